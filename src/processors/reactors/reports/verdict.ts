import * as findings from './findings.ts';
import type { ReportMove } from '../../../../commands/reports/report-decider.ts';
import type { KnownReport } from '../../../../queries/reports/known-reports.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import { REPORT_TRANSITIONS, type ReportStatus } from '../../../../domain/reports.ts';
import type { Candidate } from './candidates.ts';
import type { Matches } from './match-records.ts';

/** Everything that a verdict rests on. */
export interface ReportFacts {
  readonly report: KnownReport;
  readonly matches: Matches;
  /** Since when the last of the certain records has been published without a break; null where there is none. */
  readonly publishedSince: string | null;
  /** Open reports of the same record that are older, of this account and of others. */
  readonly olderOwn: KnownReport | null;
  readonly olderOthers: readonly KnownReport[];
  /** Why the service does not cover the report's subject, or null. */
  readonly outside: string | null;
  readonly sources: readonly RecordData<'sources'>[];
  /** Agendas of its date and place. */
  readonly agendas: readonly Candidate[];
  /** Clock milliseconds. */
  readonly now: number;
}

export interface Verdict {
  readonly moves: readonly ReportMove[];
  readonly note: string | null;
  /** For a verdict without a move: when the customer should look again. */
  readonly nextCheckAt: string | null;
}

const DAY_MS = 86_400_000;
const MAX_WAIT_MS = 7 * DAY_MS;

const EMPTY = { reasonCode: null, finding: null, nextAction: null, verifiedRecords: [], nextCheckAt: null };
const BEGIN: ReportMove = { ...EMPTY, to: 'investigating' };

/** The moves to a status, through `investigating` where needed; none where the status cannot be reached. */
function towards(from: ReportStatus, move: ReportMove): readonly ReportMove[] {
  if (REPORT_TRANSITIONS[from].includes(move.to)) return [move];
  return from === 'received' && REPORT_TRANSITIONS.investigating.includes(move.to) ? [BEGIN, move] : [];
}

function to(facts: ReportFacts, move: Partial<ReportMove> & Pick<ReportMove, 'to'>, note: string | null = null): Verdict | null {
  const moves = towards(facts.report.status, { ...EMPTY, ...move });
  return moves.length === 0 ? null : { moves, note, nextCheckAt: null };
}

/** The record existed when the report came, or came later. A confirmed gap is resolved by the record that closes it. */
function published(facts: ReportFacts): Verdict | null {
  const { report, matches, publishedSince } = facts;
  if (matches.certain.length === 0 || publishedSince === null) return null;
  const verifiedRecords = findings.verified(matches.certain);
  if (publishedSince <= report.submittedAt) {
    const there = {
      to: 'already_available',
      verifiedRecords,
      finding: findings.publishedFinding(matches.certain, publishedSince),
    } as const;
    const verdict = to(facts, there);
    if (verdict !== null) return verdict;
  }
  const finding =
    publishedSince > report.submittedAt
      ? findings.arrivedFinding(matches.certain, publishedSince)
      : findings.publishedFinding(matches.certain, publishedSince);
  const late = publishedSince > report.submittedAt ? 'publication_delay' : null;
  // The report shows the reason of an earlier move until another states one: only a confirmed gap is resolved for its own reason.
  const ofGap = report.status === 'gap_confirmed' || report.status === 'backfilling' ? report.reasonCode : null;
  return to(facts, { to: 'resolved', verifiedRecords, finding, reasonCode: ofGap ?? late });
}

const allOf = <Value>(values: readonly Value[], is: (value: Value) => boolean): boolean => values.length > 0 && values.every(is);

const isUndecodable = ({ agendas, sources }: ReportFacts): boolean =>
  agendas.length > 0
    ? agendas.every(({ textEvidence }) => textEvidence === 'no_text_layer')
    : allOf(sources, ({ agendaTextEvidence }) => agendaTextEvidence === 'no_text_layer');

const note = ({ matches, sources, olderOwn, olderOthers }: ReportFacts): string =>
  findings.investigatorNote({
    possible: matches.possible,
    sources,
    same: [...(olderOwn === null ? [] : [olderOwn]), ...olderOthers].map(({ reportId, status }) => `${reportId} (${status})`),
  });

/** A report without an investigation. */
function first(facts: ReportFacts): Verdict | null {
  const { olderOwn, outside, sources, agendas } = facts;
  if (olderOwn !== null) {
    const finding = `Your earlier report ${olderOwn.reportId}, submitted ${olderOwn.submittedAt}, is about the same record and is still open.`;
    return to(facts, {
      to: 'declined',
      reasonCode: 'duplicate_report',
      finding,
      nextAction: `Follow report ${olderOwn.reportId} instead.`,
    });
  }
  if (outside !== null) {
    const nextAction =
      'If the record belongs to a covered jurisdiction, report it again with its jurisdictionSlug (listDfwResearchCoverage).';
    return to(facts, { to: 'out_of_scope', reasonCode: 'outside_coverage', finding: outside, nextAction });
  }
  if (allOf(sources, ({ status }) => status === 'failing')) {
    const finding = findings.failingFinding(sources);
    return to(facts, { to: 'awaiting_source', reasonCode: 'source_unavailable', finding }, note(facts));
  }
  if (isUndecodable(facts)) {
    const finding = findings.undecodableFinding(agendas, sources);
    return to(facts, { to: 'awaiting_source', reasonCode: 'source_unreadable', finding }, note(facts));
  }
  const finding = 'No published record could be matched to this report with certainty by address, source id, or title and date.';
  // Reports of other customers appear in the investigator's note only.
  return to(facts, { to: 'investigating', finding }, note(facts));
}

/** A report that is due for another examination. */
function again(facts: ReportFacts): Verdict | null {
  const { report, sources, now } = facts;
  if (
    report.status === 'awaiting_source' &&
    report.reasonCode === 'source_unavailable' &&
    allOf(sources, ({ status }) => status === 'healthy')
  ) {
    return to(facts, { to: 'investigating', finding: findings.readableAgainFinding(sources) }, note(facts));
  }
  // The interval grows while nothing changes.
  const waited = Math.min(Math.max(now - Date.parse(report.submittedAt), DAY_MS), MAX_WAIT_MS);
  return { moves: [], note: note(facts), nextCheckAt: new Date(now + waited).toISOString() };
}

/**
 * What the worker does about a report, from facts alone; null when it does nothing and the report stays for a person. Deterministic: the
 * same facts always come to the same verdict.
 */
export function verdictOn(facts: ReportFacts): Verdict | null {
  const { report, now } = facts;
  const found = published(facts);
  if (found !== null) return found;
  if (report.status === 'received') return first(facts);
  return report.nextCheckAt !== null && Date.parse(report.nextCheckAt) <= now ? again(facts) : null;
}
