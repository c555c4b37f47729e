import { readFileSync } from 'node:fs';

/**
 * Loaded before a process's own code (`--import`): its wall clock runs beside the machine's by what stands in the file, in milliseconds,
 * and steps when SIGUSR2 says that the file has changed. Timers and `performance` go on as ever, as they do when a machine's clock is set.
 */
const file = process.env['SOAK_CLOCK_FILE'];
if (file !== undefined) {
  const Machine = Date;
  const machineNow = Machine.now;
  let offset = 0;
  const now = (): number => machineNow() + offset;
  Machine.now = now;
  globalThis.Date = new Proxy(Machine, {
    construct: (target, args: unknown[], asked) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, asked === globalThis.Date ? target : asked) as object,
    apply: () => new Machine(now()).toString(),
  });
  const step = (): void => {
    offset = Number(readFileSync(file, 'utf8'));
  };
  step();
  process.on('SIGUSR2', step);
}
