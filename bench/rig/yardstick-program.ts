import { fileURLToPath } from 'node:url';
import { start, stop } from './processes.ts';

/** A small program under `yardsticks` that listens and has printed where. */
export interface YardstickProgram extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

export async function startYardstick(name: string, environment: Readonly<Record<string, string>>): Promise<YardstickProgram> {
  const program = fileURLToPath(new URL(`../yardsticks/${name}`, import.meta.url));
  const child = start(process.execPath, [program], { ...process.env, ...environment });
  child.stderr!.pipe(process.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the yardstick ended')));
    child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return { url, pid: child.pid!, [Symbol.asyncDispose]: () => stop(child) };
}
