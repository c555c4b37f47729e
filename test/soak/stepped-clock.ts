import { readFileSync } from 'node:fs';

/**
 * Loaded before the code of a process (`--import`): offsets its wall clock by the number in the file, in milliseconds,
 * and steps on SIGUSR2. Timers and `performance` are not affected, as when the clock of a machine is set.
 */
const file = process.env['SOAK_CLOCK_FILE'];
if (file !== undefined) {
  const Machine = Date;
  const machineNow = Machine.now;
  let offset = 0;
  const now = (): number => machineNow() + offset;
  Machine.now = now;
  globalThis.Date = new Proxy(Machine, {
    construct: (target, args: unknown[], request) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now()] : args,
        request === globalThis.Date ? target : request,
      ) as object,
    apply: () => new Machine(now()).toString(),
  });
  const step = (): void => {
    offset = Number(readFileSync(file, 'utf8'));
  };
  step();
  process.on('SIGUSR2', step);
}
