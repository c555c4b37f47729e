import type { CheckpointForm } from '../decider.ts';
import { type IntakeState, type KeptToken, tokensOf } from './intake-state.ts';

/**
 * A token is answered for ever, so the state has a row for each. A row is short, since what many rows say alike (who presented, where the
 * service was reached) is written once; and it is cheap to read, since only the one token that a command asks about is made whole.
 */
interface Written {
  readonly aliases: readonly string[];
  /** What a status URL is without the id of its report. */
  readonly places: readonly string[];
  readonly tokens: readonly WrittenToken[];
  readonly newByDay: readonly (readonly [day: string, count: number])[];
  readonly unresolved: readonly string[];
}
type WrittenToken = readonly [
  key: string,
  inputHash: string,
  reportId: string,
  submittedAt: number,
  nextCheckAt: number,
  place: number,
  aliases: readonly number[],
];

/** Numbers texts in the order in which they first come. */
function numbering() {
  const numbers = new Map<string, number>();
  return {
    of(text: string): number {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    },
    texts: (): readonly string[] => [...numbers.keys()],
  };
}

function write({ tokens, newByDay, unresolved }: IntakeState): Written {
  const aliases = numbering();
  const places = numbering();
  const rows = [...tokensOf(tokens)].map(([key, { inputHash, receipt, aliases: presented }]): WrittenToken => {
    const { reportId, statusUrl, submittedAt, nextCheckAt } = receipt;
    const place = statusUrl.slice(0, -reportId.length);
    const times = [Date.parse(submittedAt), Date.parse(nextCheckAt)] as const;
    return [key, inputHash, reportId, ...times, places.of(place), presented.map((alias) => aliases.of(alias))];
  });
  return { aliases: aliases.texts(), places: places.texts(), tokens: rows, newByDay: [...newByDay], unresolved: [...unresolved] };
}

/** What was written has been sealed, so that its shape is looked at from outside only. */
function read(value: unknown): IntakeState {
  const { aliases, places, tokens, newByDay, unresolved } = value as Written;
  if (![aliases, places, tokens, newByDay, unresolved].every(Array.isArray)) throw new Error('this is no state of report intake');
  return {
    tokens: { older: new Map(tokens.map((token) => [token[0], keptToken(token, places, aliases)])), newer: new Map() },
    newByDay: new Map(newByDay),
    unresolved: new Set(unresolved),
  };
}

const keptToken = (
  [, inputHash, reportId, submittedAt, nextCheckAt, place, presented]: WrittenToken,
  places: readonly string[],
  aliases: readonly string[],
): KeptToken => ({
  inputHash,
  get receipt() {
    const times = { submittedAt: new Date(submittedAt).toISOString(), nextCheckAt: new Date(nextCheckAt).toISOString() };
    return { reportId, statusUrl: places[place]! + reportId, ...times };
  },
  get aliases() {
    return presented.map((number) => aliases[number]!);
  },
});

const EVENTS_BETWEEN = 50;

/** How an account's intake is kept between commands. */
export const intakeCheckpoint: CheckpointForm<IntakeState> = { name: 'report_intake', version: 1, every: EVENTS_BETWEEN, write, read };
