import { createHash } from 'node:crypto';
import type { AccountReportEvent } from '../../domain/events/report-events.ts';
import { EMPTY_BOOK, findToken, keepToken, type TokenBook } from './token-book.ts';

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
