import type { Command, OptionValues } from '@commander-js/extra-typings';
import { z } from 'zod';
import type { Handled } from '../../commands/handle.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { withoutSecrets } from '../../domain/key-secret.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import type { Civic } from '../app/civic.ts';
import { duration } from '../app/setting-values.ts';
import { type CliContext, CommandFailed, MISUSE } from './context.ts';
import { print, warn } from './output.ts';

/** Milliseconds for which a command is retried after conflicts. */
export const DEADLINE_MS = 30_000;

/** Parses a value. Throws `CommandFailed` with its name, its text without secrets, and the allowed values. */
export function parseValue<Value>(name: string, schema: z.ZodType<Value>, text: string, allowed: string): Value {
  const parsed = schema.safeParse(text);
  if (!parsed.success)
    throw new CommandFailed(`${name} is ${JSON.stringify(withoutSecrets(text))}; allowed is ${allowed}`, MISUSE);
  return parsed.data;
}

/** Returns a parser for `option` and `argument` of commander, which rejects a bad value before the program is opened. */
export const parser =
  <Value>(name: string, schema: z.ZodType<Value>, allowed: string) =>
  (text: string): Value =>
    parseValue(name, schema, text, allowed);
export const uuidParser = (name: string) => parser(name, uuid, 'a uuid');
/** Parser for a variadic argument; drops duplicates. */
export const uuidsParser =
  (name: string) =>
  (text: string, earlier: readonly string[] = []): readonly string[] => [
    ...new Set([...earlier, uuidParser(name)(text)]),
  ];
export const timeParser = (name: string) => parser(name, dateTime, 'an ISO 8601 time');
export const choiceParser = <Value extends string>(name: string, values: readonly Value[]) =>
  parser<Value>(name, z.enum(values), values.join(', '));
const DIGITS = /^\d{1,15}$/;
const whole = z.string().regex(DIGITS).transform(Number);
export const wholeParser = (name: string, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  parser<number>(
    name,
    whole.refine((number) => number >= min && number <= max),
    `a whole number${max === Number.MAX_SAFE_INTEGER ? '' : ` from ${min} to ${max}`}`,
  );
const commaSeparated = z.string().transform((text) => text.split(',').map((part) => part.trim()));
export const listParser = <Value extends string>(name: string, values: readonly Value[], allowed: string) =>
  parser<Value[]>(name, commaSeparated.pipe(z.array(z.enum(values))), allowed);
export const textParser = (name: string, maxLength: number, allowed = `1 to ${maxLength} characters`) =>
  parser(name, z.string().trim().min(1).max(maxLength), allowed);
const milliseconds = duration('PT1H').transform(Math.ceil);
/** Parser for a duration in whole milliseconds. */
export const durationParser = (name: string, maxDays: number, longest = `P${maxDays}D`) =>
  parser<number>(
    name,
    milliseconds.refine((length) => length <= maxDays * DAY_MS),
    `an ISO 8601 duration such as PT1H or P1D, ${longest} at most`,
  );

interface Opened {
  readonly nothing: undefined;
  readonly stores: Stores;
  /** Like `stores`, but creates a missing installation. */
  readonly 'new stores': Stores;
  /** The program; its read models might lag. */
  readonly log: Civic;
  /** The program; it creates a missing installation, and this process folds if no service does. */
  readonly projector: Civic;
  /** The program; this process folds if no service does, and the read models have passed the head of the log. */
  readonly 'read models': Civic;
}
type Need = keyof Opened;

async function open(context: CliContext, need: Need): Promise<Stores | Civic | undefined> {
  if (need === 'nothing') return undefined;
  const role = need === 'projector' || need === 'new stores' ? 'command' : 'reader';
  return need === 'stores' || need === 'new stores' ? context.openStores(role) : context.open(role);
}

export async function withOpened<N extends Need, Result>(
  context: CliContext,
  need: N,
  work: (opened: Opened[N]) => Promise<Result>,
): Promise<Result> {
  const opened = await open(context, need);
  try {
    if (need === 'projector' || need === 'read models') (opened as Civic).startProjector();
    if (need === 'read models') await (opened as Civic).caughtUp(await (opened as Civic).log.head());
    return await work(opened as Opened[N]);
  } finally {
    await opened?.close();
  }
}

/** Adds `--json`, and an action that opens what the command needs, runs `work` and prints its result unless it is undefined. */
export function runs<
  N extends Need,
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(
  context: CliContext,
  need: N,
  command: Command<Args, Options, Globals>,
  work: (
    opened: Opened[N],
    ...values: [...Args, NoInfer<Options & Globals> & { readonly json?: true }]
  ) => Promise<unknown>,
): void {
  command.option('--json', 'print one JSON value').action(async () => {
    // If a parent command has the same option, the value ends up with the parent.
    const options = command.optsWithGlobals() as Options & Globals & { readonly json?: true };
    await withOpened(context, need, async (opened) => {
      const answer = await work(opened, ...command.processedArgs, options);
      if (answer !== undefined) print(context, answer, options);
    });
  });
}

/** Waits up to 30 s until the read models have passed the position. Warns instead of failing, because the change is already stored. */
export async function waitUntilVisible(context: CliContext, civic: Civic, position: Position | null): Promise<void> {
  if (position !== null && !(await civic.caughtUp(position))) {
    warn(context, 'the change is stored, but the read models have not caught up yet; it becomes visible later');
  }
}

/** Waits until an appended change is visible. Throws the rejection of a rejected command. */
export async function requireHandled(context: CliContext, civic: Civic, handled: Handled): Promise<void> {
  if (handled.kind === 'rejected') throw handled.rejection;
  if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
}
