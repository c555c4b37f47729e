import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('civic-projector-main.ts', import.meta.url));

export interface FoldingChild {
  readonly process: ChildProcess;
  /** What it says first. */
  readonly firstLine: Promise<string>;
  /** Ends it as `kill -9` does and waits for its end. */
  kill(): Promise<void>;
}

/** Starts a process that folds; see `civic-projector-main.ts`. */
export const startFolding = (
  mode: 'run' | 'replay',
  url: string,
  number: number,
  environment: Readonly<Record<string, string>> = {},
): FoldingChild => {
  const child = spawn(process.execPath, [MAIN, mode, url, String(number)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...environment },
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const firstLine = Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    ended.then(() => Promise.reject(new Error('the folding process ended without a word'))),
  ]);
  firstLine.catch(() => undefined);
  return {
    process: child,
    firstLine,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
