import { createHash } from 'node:crypto';
import type { AccountReportEvent, ReportInput } from '../../domain/events/report-events.ts';

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

/** What a token stands for: one report, the input it was made from, and who has presented it. */
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
 * What each token stands for, by `tokenKey`. In two layers, so that keeping one more does not copy all: an account may have thousands, and
 * its history is folded one event after the other.
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

/** What may be asked of an account's report intake. Times are ISO 8601 in UTC with milliseconds. */
export type IntakeCommand =
  /** Finds the report that the token stands for with this input, if there is one; never makes a report. */
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
