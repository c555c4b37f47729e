import { createInterface } from 'node:readline';
import { type CliContext, CommandFailed, MISUSE } from './context.ts';

/** Flags and description of the option `--yes`, which every command that cannot be undone has. */
export const YES = ['--yes', 'skip the confirmation; required without a terminal'] as const;

interface Question {
  /** Describes what will happen, with its numbers and without a full stop. Not called with `--yes`. */
  readonly what: () => string | Promise<string>;
  readonly yes: boolean | undefined;
}

/** Asks on the terminal. Throws `CommandFailed` for any answer but `yes`, and with the status of a misuse if there is neither terminal nor `--yes`. */
export async function confirm({ stdin, stderr, stopping }: CliContext, { what, yes = false }: Question): Promise<void> {
  if (yes) return;
  const consequence = `this ${await what()}; it cannot be undone`;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CommandFailed(`${consequence}: repeat it with --yes; nothing was changed`, MISUSE);
  stderr.write(`${consequence}.\nType yes to continue: `);
  // The terminal's own line editing: no escape sequences.
  const lines = createInterface({ input: stdin, terminal: false, signal: stopping });
  const answer = await lines[Symbol.asyncIterator]().next();
  lines.close();
  stopping.throwIfAborted();
  if (answer.done === true || answer.value.trim().toLowerCase() !== 'yes')
    throw new CommandFailed('nothing was changed');
}

/** Formats a number with its noun: `1 key`, `2 keys`. */
export const numbered = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
