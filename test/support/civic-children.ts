import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './child-environment.ts';

const MAIN = fileURLToPath(new URL('civic-projector-main.ts', import.meta.url));
const LAST_LINES = 40;

export interface FoldingChild {
  readonly process: ChildProcess;
  /** Its first output. */
  readonly firstLine: Promise<string>;
  /** Its last warnings, and its exit if it has ended. */
  told(): readonly string[];
  /** Ends it as `kill -9` does and waits for its end. */
  kill(): Promise<void>;
}

/** Starts a process that folds; see `civic-projector-main.ts`. */
export function startFolding(
  mode: 'run' | 'replay',
  url: string,
  number: number,
  environment: Readonly<Record<string, string>> = {},
): FoldingChild {
  const child = spawn(process.execPath, [MAIN, mode, url, String(number)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: childEnvironment(environment),
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const outputLines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    outputLines.push(line);
    if (outputLines.length > LAST_LINES) outputLines.shift();
  });
  const readLines = (): readonly string[] =>
    child.exitCode === null && child.signalCode === null
      ? outputLines
      : [...outputLines, `ended by ${child.signalCode ?? child.exitCode}`];
  const firstLine = Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    ended.then(() => Promise.reject(new Error(`the folding process ended without a word: ${readLines().join('\n')}`))),
  ]);
  firstLine.catch(() => undefined);
  return {
    process: child,
    firstLine,
    told: readLines,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
