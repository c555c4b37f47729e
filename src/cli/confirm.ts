import { createInterface } from 'node:readline';
import { type CliContext, CommandFailed, MISUSE } from './context.ts';

/** The option of every command that cannot be undone, in its parts. */
export const YES = ['--yes', 'do it without a question; required where no terminal can ask'] as const;

interface Question {
  /** What will happen, with its numbers, without a full stop; only computed for a question. */
  readonly what: () => string | Promise<string>;
  readonly yes: boolean | undefined;
}

/** Asks on the terminal. Throws `CommandFailed` for another answer than `yes`, and as a misuse where there is neither terminal nor `--yes`. */
export async function confirm({ stdin, stderr, stopping }: CliContext, { what, yes = false }: Question): Promise<void> {
  if (yes) return;
  const stated = `this ${await what()}; it cannot be undone`;
  if (!stdin.isTTY || !stderr.isTTY) throw new CommandFailed(`${stated}: repeat it with --yes; nothing was changed`, MISUSE);
  stderr.write(`${stated}.\nType yes to go on: `);
  // As the terminal's own line: no escape sequences.
  const lines = createInterface({ input: stdin, terminal: false, signal: stopping });
  const answer = await lines[Symbol.asyncIterator]().next();
  lines.close();
  stopping.throwIfAborted();
  if (answer.done === true || answer.value.trim().toLowerCase() !== 'yes') throw new CommandFailed('nothing was changed');
}

/** A number with its noun: `1 key`, `2 keys`. */
export const numbered = (count: number, noun: string): string => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
