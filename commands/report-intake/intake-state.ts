import { createHash } from 'node:crypto';
import type { AccountReportEvent, ReportInput } from '../../domain/events/report-events.ts';
import type { CheckpointForm } from '../decider.ts';

const EMPTY_BOOK: TokenBook = { older: new Map(), newer: new Map() };

export interface IntakeState {
  readonly tokens: TokenBook;
  /** New reports by UTC day, of the latest days only. */
  readonly newByDay: ReadonlyMap<string, number>;
  readonly unresolved: ReadonlySet<string>;
}

export const EMPTY_INTAKE: IntakeState = { tokens: EMPTY_BOOK, newByDay: new Map(), unresolved: new Set() };

/** A token is the customer's own words, which no state may keep (it may outlive their erasure). */
export const tokenKey = (token: string): string => createHash('sha256').update(token).digest('base64url');

export const aliasOf = ({ keyId, surface }: { readonly keyId: string; readonly surface: string }): string => `${keyId} ${surface}`;

/** Of an ISO 8601 time in UTC. */
export const utcDay = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length);

/** Clocks of several processes may differ around midnight, never by days. */
const DAYS_KEPT = 3;

function countOn(newByDay: IntakeState['newByDay'], day: string): IntakeState['newByDay'] {
  const counted = new Map(newByDay).set(day, (newByDay.get(day) ?? 0) + 1);
  return new Map([...counted].toSorted(([one], [other]) => (one < other ? 1 : -1)).slice(0, DAYS_KEPT));
}

/** Never throws. */
export function evolveIntake(state: IntakeState, event: AccountReportEvent): IntakeState {
  switch (event.type) {
    case 'DataReportSubmitted': {
      const { token, inputHash, reportId, statusUrl, submittedAt, nextCheckAt } = event.data;
      const kept = { inputHash, receipt: { reportId, statusUrl, submittedAt, nextCheckAt }, aliases: [aliasOf(event.data)] };
      return {
        tokens: keepToken(state.tokens, tokenKey(token), kept),
        newByDay: countOn(state.newByDay, utcDay(submittedAt)),
        unresolved: new Set(state.unresolved).add(reportId),
      };
    }
    case 'DataReportTokenAliased': {
      const key = tokenKey(event.data.token);
      const kept = findToken(state.tokens, key);
      if (kept === undefined) return state;
      const aliases = [...kept.aliases, aliasOf(event.data)];
      return { ...state, tokens: keepToken(state.tokens, key, { ...kept, aliases }) };
    }
    case 'DataReportSettled': {
      const unresolved = new Set(state.unresolved);
      unresolved.delete(event.data.reportId);
      return { ...state, unresolved };
    }
  }
}

/** The value of a token: one report, the hash of its input, and the keys and surfaces that have presented it. */
export interface KeptToken {
  readonly inputHash: string;
  readonly receipt: Receipt;
  /** Every key and surface that has presented the token, the first included. */
  readonly aliases: readonly string[];
}

/** The answer to a submission, the same for ever. Times are ISO 8601 in UTC. */
export interface Receipt {
  readonly reportId: string;
  readonly statusUrl: string;
  readonly submittedAt: string;
  readonly nextCheckAt: string;
}

/**
 * Values by `tokenKey`, in two layers, so that an addition does not copy all: an account may have thousands of tokens, and the fold adds them
 * one by one.
 */
interface TokenBook {
  readonly older: ReadonlyMap<string, KeptToken>;
  readonly newer: ReadonlyMap<string, KeptToken>;
}

const MAX_NEWER = 64;

export const findToken = ({ older, newer }: TokenBook, key: string): KeptToken | undefined => newer.get(key) ?? older.get(key);

function keepToken({ older, newer }: TokenBook, key: string, kept: KeptToken): TokenBook {
  const grown = new Map(newer).set(key, kept);
  return grown.size <= MAX_NEWER ? { older, newer: grown } : { older: new Map([...older, ...grown]), newer: new Map() };
}

/** Each token once. */
export const tokensOf = ({ older, newer }: TokenBook): ReadonlyMap<string, KeptToken> => new Map([...older, ...newer]);

/** A token as one key presents it over one surface, with the hash of what it came with. */
export interface PresentedToken {
  readonly token: string;
  /** SHA-256 of the canonical JSON of the parsed input without the token. */
  readonly inputHash: string;
  readonly keyId: string;
  readonly surface: 'rest' | 'mcp';
}

/** The commands of report intake. Times are ISO 8601 in UTC with milliseconds. */
export type IntakeCommand =
  /** Finds the report of the token and this input, if there is one; creates none. */
  | ({ readonly type: 'PresentToken' } & PresentedToken)
  | ({
      readonly type: 'SubmitReport';
      readonly reportId: string;
      readonly input: ReportInput;
      readonly submittedAt: string;
      readonly nextCheckAt: string;
      readonly statusUrl: string;
    } & PresentedToken)
  /** The lifecycle has closed the report. */
  | { readonly type: 'SettleReport'; readonly reportId: string; readonly closedAt: string };

/**
 * Tokens do not expire, so the state has a row for each. Values that many rows share (presenters, addresses of the service) are written once,
 * and only the token of the command is decoded.
 */
interface Written {
  readonly aliases: readonly string[];
  /** Status URLs without the ids of their reports. */
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

/** The stored state is sealed, so only its outer shape is checked. */
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

/** The checkpoint of an account's intake. */
export const intakeCheckpoint: CheckpointForm<IntakeState> = { name: 'report_intake', version: 1, every: EVENTS_BETWEEN, write, read };
