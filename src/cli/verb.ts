import type { Command } from 'commander';
import { z } from 'zod';
import { withoutSecrets } from '../../domain/key-secret.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import type { Rejection } from '../../domain/rejections.ts';
import type { Civic } from '../civic.ts';
import { type CliContext, CommandFailed } from './context.ts';
import { print, warn } from './output.ts';

/** Milliseconds for which a command is decided again after conflicts. */
export const DEADLINE_MS = 30_000;

/** Parses an option. Throws `CommandFailed` with the option, its value without secrets, and the allowed values. */
export function parseOption<Value>(name: string, schema: z.ZodType<Value>, text: string, allowed: string): Value {
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new CommandFailed(`${name} is ${JSON.stringify(withoutSecrets(text))}; allowed is ${allowed}`);
  return parsed.data;
}

export const uuidOf = (name: string, text: string): string => parseOption(name, uuid, text, 'a uuid');
/** Parsers for `option` and `argument` of commander: an id is refused before the program is opened. */
export const uuidParser =
  (name: string) =>
  (text: string): string =>
    uuidOf(name, text);
export const timeOf = (name: string, text: string): string => parseOption(name, dateTime, text, 'an ISO 8601 time');
export const oneOf = <Value extends string>(name: string, values: readonly Value[], text: string): Value =>
  parseOption<Value>(name, z.enum(values), text, values.join(', '));

/** `log`: read models may lag. `projector`: this process folds where no service does. `read models`: they have also passed the log's head. */
export type Need = 'log' | 'projector' | 'read models';

/** Opens the program for one command and closes it. */
export async function withCivic<Result>(context: CliContext, need: Need, work: (civic: Civic) => Promise<Result>): Promise<Result> {
  const civic = await context.open('command');
  try {
    if (need !== 'log') civic.startProjector();
    if (need === 'read models') await civic.caughtUp(await civic.log.head());
    return await work(civic);
  } finally {
    await civic.close();
  }
}

interface Verb {
  /** A method, so that a command names its own options; `argument` is its first one. */
  run(civic: Civic, options: { readonly json?: boolean }, argument: string): Promise<unknown>;
}

/** Adds `--json` and an action that runs in the opened program and prints its result, unless that is undefined. */
export function runs(context: CliContext, need: Need, command: Command, work: Verb['run']): void {
  command.option('--json', 'print one JSON value').action((...given: unknown[]) =>
    withCivic(context, need, async (civic) => {
      const options = given.at(-2) as { readonly json?: boolean };
      const answer = await work(civic, options, given[0] as string);
      if (answer !== undefined) print(context, answer, options);
    }),
  );
}

/** Waits up to 30 s until the read models have passed the position; warns if they have not, since the write stands. */
export async function waitUntilVisible(context: CliContext, civic: Civic, position: Position | null): Promise<void> {
  if (position !== null && !(await civic.caughtUp(position))) {
    warn(context, 'the change is stored, but the read models have not caught up yet; the same command finds it later');
  }
}

/** The refusal as a line that begins with its code. */
export const failedAs = ({ code, message }: Rejection): CommandFailed => new CommandFailed(`${code}: ${message}`);

type Handled =
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'unchanged' };

/** Waits until an appended change is visible. Throws `CommandFailed` for a rejection. */
export async function requireHandled(context: CliContext, civic: Civic, handled: Handled): Promise<void> {
  if (handled.kind === 'rejected') throw failedAs(handled.rejection);
  if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
}
