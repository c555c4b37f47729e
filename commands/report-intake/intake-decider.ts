import { createHash } from 'node:crypto';
import {
  type AccountReportEvent,
  readAccountReportEvent,
  type ReportInput,
} from '../../domain/events/report-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { AllowanceState } from '../../domain/ports/counts.ts';
import {
  MAX_ALIASES,
  MAX_NEW_REPORTS_A_DAY,
  MAX_UNRESOLVED_REPORTS,
  NEW_REPORTS_A_DAY,
  REPORT_LIMIT_RETRY_SECONDS,
  UNRESOLVED_REPORTS,
} from '../../domain/reports.ts';
import type { CheckpointForm, Decider } from '../decider.ts';

/** A token as presented by one key over one surface, with the hash of its input. */
export interface PresentedToken {
  readonly token: string;
  /** SHA-256 of the canonical JSON of the parsed input without the token. */
  readonly inputHash: string;
  readonly keyId: string;
  readonly surface: 'rest' | 'mcp';
}

export type IntakeCommand =
  /** Finds the report of the token and this input, if any; creates none. */
  | ({ readonly type: 'PresentToken' } & PresentedToken)
  | ({ readonly type: 'SubmitReport'; readonly input: ReportInput } & Receipt & PresentedToken)
  /** The report was closed in its lifecycle. */
  | { readonly type: 'SettleReport'; readonly reportId: string; readonly closedAt: string };

/** The answer to a submission, which never changes. Times are ISO 8601 in UTC. */
export interface Receipt {
  readonly reportId: string;
  readonly statusUrl: string;
  readonly submittedAt: string;
  readonly nextCheckAt: string;
}

export interface IntakeState {
  readonly tokens: TokenBook;
  /** Number of new reports by UTC day, for the latest days only. */
  readonly newByDay: ReadonlyMap<string, number>;
  readonly unresolved: ReadonlySet<string>;
}

interface KnownToken {
  readonly inputHash: string;
  readonly receipt: Receipt;
  /** All keys and surfaces that presented the token, including the first. */
  readonly aliases: readonly string[];
}

/**
 * Values by `hashToken`, in two layers, so that adding one does not copy the thousands of tokens that an account can
 * have.
 */
interface TokenBook {
  readonly older: ReadonlyMap<string, KnownToken>;
  readonly newer: ReadonlyMap<string, KnownToken>;
}

const MAX_NEWER = 64;
const findToken = ({ older, newer }: TokenBook, key: string): KnownToken | undefined =>
  newer.get(key) ?? older.get(key);

function addToken({ older, newer }: TokenBook, key: string, value: KnownToken): TokenBook {
  const grown = new Map(newer).set(key, value);
  return grown.size <= MAX_NEWER ? { older, newer: grown } : { older: new Map([...older, ...grown]), newer: new Map() };
}

export const tokensOf = ({ older, newer }: TokenBook): ReadonlyMap<string, KnownToken> => new Map([...older, ...newer]);

/** Hashes a token. Tokens are the customer's own words, so no state contains them: it might outlive their erasure. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
const formatAlias = ({ keyId, surface }: { readonly keyId: string; readonly surface: string }): string =>
  `${keyId} ${surface}`;

/** Returns the day of an ISO 8601 time in UTC. */
const utcDay = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length);

function decide(command: IntakeCommand, state: IntakeState): readonly AccountReportEvent[] | Rejection {
  switch (command.type) {
    case 'PresentToken':
    case 'SubmitReport': {
      const previous = findReplay(state, command);
      if (previous !== undefined) return presentAgain(previous, command);
      return command.type === 'SubmitReport' ? submit(command, state) : [];
    }
    case 'SettleReport': {
      const { reportId, closedAt } = command;
      return state.unresolved.has(reportId) ? [{ type: 'DataReportSettled', data: { reportId, closedAt } }] : [];
    }
  }
}

/** Returns the value of the token for this input; undefined for an unknown token or another input. */
export function findReplay({ tokens }: IntakeState, { token, inputHash }: PresentedToken): KnownToken | undefined {
  const stored = findToken(tokens, hashToken(token));
  return stored?.inputHash === inputHash ? stored : undefined;
}

function presentAgain(
  previous: KnownToken,
  { token, keyId, surface }: PresentedToken,
): readonly AccountReportEvent[] | Rejection {
  if (previous.aliases.includes(formatAlias({ keyId, surface }))) return [];
  if (previous.aliases.length >= MAX_ALIASES)
    return limitReached(`this token was used with ${MAX_ALIASES} combinations of key and interface, the maximum`);
  return [{ type: 'DataReportTokenAliased', data: { reportId: previous.receipt.reportId, token, keyId, surface } }];
}

/** Returns the remaining allowances at a time (ISO 8601 in UTC): new reports of the day, and unresolved ones. */
export function computeAllowances({ newByDay, unresolved }: IntakeState, time: string): readonly AllowanceState[] {
  const computeRemaining = (limit: number, used: number): number => Math.max(0, limit - used);
  const dayMs = NEW_REPORTS_A_DAY.seconds * 1000;
  const resetSeconds = Math.ceil((dayMs - (Date.parse(time) % dayMs)) / 1000);
  return [
    {
      bucket: NEW_REPORTS_A_DAY,
      remaining: computeRemaining(NEW_REPORTS_A_DAY.limit, newByDay.get(utcDay(time)) ?? 0),
      resetSeconds,
    },
    {
      bucket: UNRESOLVED_REPORTS,
      remaining: computeRemaining(UNRESOLVED_REPORTS.limit, unresolved.size),
      resetSeconds: null,
    },
  ];
}

function submit(
  command: Extract<IntakeCommand, { type: 'SubmitReport' }>,
  state: IntakeState,
): readonly AccountReportEvent[] | Rejection {
  const { type: _, ...submitted } = command;
  if (findToken(state.tokens, hashToken(command.token)) !== undefined)
    return new Rejection('replay_conflict', 'this token was used before with another input');
  if ((state.newByDay.get(utcDay(submitted.submittedAt)) ?? 0) >= MAX_NEW_REPORTS_A_DAY) {
    return limitReached(`the account has made ${MAX_NEW_REPORTS_A_DAY} reports today (UTC)`);
  }
  if (state.unresolved.size >= MAX_UNRESOLVED_REPORTS) {
    return limitReached(`${MAX_UNRESOLVED_REPORTS} reports of the account are not resolved yet`);
  }
  return [{ type: 'DataReportSubmitted', data: submitted }];
}

const limitReached = (message: string): Rejection =>
  new Rejection('report_limit_reached', message, { retryAfterSeconds: REPORT_LIMIT_RETRY_SECONDS });

function evolve(state: IntakeState, event: AccountReportEvent): IntakeState {
  switch (event.type) {
    case 'DataReportSubmitted': {
      const { token, inputHash, reportId, statusUrl, submittedAt, nextCheckAt } = event.data;
      const value = {
        inputHash,
        receipt: { reportId, statusUrl, submittedAt, nextCheckAt },
        aliases: [formatAlias(event.data)],
      };
      return {
        tokens: addToken(state.tokens, hashToken(token), value),
        newByDay: countOn(state.newByDay, utcDay(submittedAt)),
        unresolved: new Set(state.unresolved).add(reportId),
      };
    }
    case 'DataReportTokenAliased': {
      const key = hashToken(event.data.token);
      const value = findToken(state.tokens, key);
      if (value === undefined) return state;
      const aliases = [...value.aliases, formatAlias(event.data)];
      return { ...state, tokens: addToken(state.tokens, key, { ...value, aliases }) };
    }
    case 'DataReportSettled': {
      const unresolved = new Set(state.unresolved);
      unresolved.delete(event.data.reportId);
      return { ...state, unresolved };
    }
  }
}

/** Clocks of several processes might differ around midnight, but never by days. */
const COUNTED_DAYS = 3;

function countOn(newByDay: IntakeState['newByDay'], day: string): IntakeState['newByDay'] {
  const counts = new Map(newByDay).set(day, (newByDay.get(day) ?? 0) + 1);
  return new Map([...counts].toSorted(([one], [other]) => (one < other ? 1 : -1)).slice(0, COUNTED_DAYS));
}

/**
 * A stored state. Tokens do not expire, so it has a row for each. Values that many rows share (presenters, addresses of
 * the service) are written once, and only the token of the command is decoded.
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

/** Returns the number of a text, in order of first use. */
function numberText(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
}

function write({ tokens, newByDay, unresolved }: IntakeState): Written {
  const [aliases, places] = [new Map<string, number>(), new Map<string, number>()];
  const rows = [...tokensOf(tokens)].map(([key, { inputHash, receipt, aliases: presented }]): WrittenToken => {
    const { reportId, statusUrl, submittedAt, nextCheckAt } = receipt;
    const place = numberText(places, statusUrl.slice(0, -reportId.length));
    const times = [Date.parse(submittedAt), Date.parse(nextCheckAt)] as const;
    return [key, inputHash, reportId, ...times, place, presented.map((alias) => numberText(aliases, alias))];
  });
  return {
    aliases: [...aliases.keys()],
    places: [...places.keys()],
    tokens: rows,
    newByDay: [...newByDay],
    unresolved: [...unresolved],
  };
}

/** Reads a stored state. It is sealed, so only its outer shape is checked. */
function readState(value: unknown): IntakeState {
  const { aliases, places, tokens, newByDay, unresolved } = value as Written;
  if (![aliases, places, tokens, newByDay, unresolved].every(Array.isArray))
    throw new Error('this is not a state of report intake');
  return {
    tokens: {
      older: new Map(tokens.map((token) => [token[0], storedToken(token, places, aliases)])),
      newer: new Map(),
    },
    newByDay: new Map(newByDay),
    unresolved: new Set(unresolved),
  };
}

const storedToken = (
  [, inputHash, reportId, submittedAt, nextCheckAt, place, presented]: WrittenToken,
  places: readonly string[],
  aliases: readonly string[],
): KnownToken => ({
  inputHash,
  get receipt() {
    const times = {
      submittedAt: new Date(submittedAt).toISOString(),
      nextCheckAt: new Date(nextCheckAt).toISOString(),
    };
    return { reportId, statusUrl: places[place]! + reportId, ...times };
  },
  get aliases() {
    return presented.map((number) => aliases[number]!);
  },
});

export const intakeCheckpoint: CheckpointForm<IntakeState> = {
  name: 'report_intake',
  version: 1,
  every: 50,
  write,
  read: readState,
};

/**
 * The decider of `account_reports-<accountId>`: tokens and their aliases, the reports of a day, and the unresolved
 * ones.
 */
export const intakeDecider = {
  initialState: (): IntakeState => ({
    tokens: { older: new Map(), newer: new Map() },
    newByDay: new Map(),
    unresolved: new Set(),
  }),
  decide,
  evolve,
  read: readAccountReportEvent,
  checkpoint: intakeCheckpoint,
  schemaVersion: 1,
} satisfies Decider<IntakeState, IntakeCommand, AccountReportEvent>;
