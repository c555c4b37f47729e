import { fileURLToPath } from 'node:url';
import { start, stop } from './processes.ts';

/** A small program that listens and has printed where. */
export interface YardstickProgram extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** One of the folder `yardsticks`. */
export const startYardstick = (
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<YardstickProgram> => startProgram(new URL(`../yardsticks/${name}`, import.meta.url), environment);

export async function startProgram(
  file: URL,
  environment: Readonly<Record<string, string>>,
): Promise<YardstickProgram> {
  const child = start(process.execPath, [fileURLToPath(file)], { ...process.env, ...environment });
  child.stderr!.pipe(process.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${file.pathname} ended`)));
    child.stdout!.once('data', (chunk: Buffer) => resolve(/http:\S+/.exec(chunk.toString())?.[0] ?? ''));
  });
  return { url, pid: child.pid!, [Symbol.asyncDispose]: () => stop(child) };
}
