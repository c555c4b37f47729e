import { createHash } from 'node:crypto';
import type { AccountReportEvent } from '../../src/domain/events/report-events.ts';

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

export interface IntakeState {
  /** By `tokenKey`. */
  readonly tokens: ReadonlyMap<string, KeptToken>;
  /** New reports by UTC day, of the latest days only. */
  readonly newByDay: ReadonlyMap<string, number>;
  readonly unresolved: ReadonlySet<string>;
}

export const EMPTY_INTAKE: IntakeState = { tokens: new Map(), newByDay: new Map(), unresolved: new Set() };

/** A token is the customer's own words, which no state may keep (it may outlive their erasure). */
export const tokenKey = (token: string): string => createHash('sha256').update(token).digest('base64url');

export const aliasOf = ({ keyId, surface }: { readonly keyId: string; readonly surface: string }): string => `${keyId} ${surface}`;

/** Of an ISO 8601 time in UTC. */
export const utcDay = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length);

/** Clocks of several processes may differ around midnight, never by days. */
const DAYS_KEPT = 3;

const countOn = (newByDay: IntakeState['newByDay'], day: string): IntakeState['newByDay'] => {
  const counted = new Map(newByDay).set(day, (newByDay.get(day) ?? 0) + 1);
  return new Map([...counted].toSorted(([one], [other]) => (one < other ? 1 : -1)).slice(0, DAYS_KEPT));
};

/** Never throws. */
export const evolveIntake = (state: IntakeState, event: AccountReportEvent): IntakeState => {
  switch (event.type) {
    case 'DataReportSubmitted': {
      const { token, inputHash, reportId, statusUrl, submittedAt, nextCheckAt } = event.data;
      const kept = { inputHash, receipt: { reportId, statusUrl, submittedAt, nextCheckAt }, aliases: [aliasOf(event.data)] };
      return {
        tokens: new Map(state.tokens).set(tokenKey(token), kept),
        newByDay: countOn(state.newByDay, utcDay(submittedAt)),
        unresolved: new Set(state.unresolved).add(reportId),
      };
    }
    case 'DataReportTokenAliased': {
      const key = tokenKey(event.data.token);
      const kept = state.tokens.get(key);
      if (kept === undefined) return state;
      const aliases = [...kept.aliases, aliasOf(event.data)];
      return { ...state, tokens: new Map(state.tokens).set(key, { ...kept, aliases }) };
    }
    case 'DataReportSettled': {
      const unresolved = new Set(state.unresolved);
      unresolved.delete(event.data.reportId);
      return { ...state, unresolved };
    }
  }
};
