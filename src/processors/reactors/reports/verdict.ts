import type { ReportMove, VerifiedRecord } from '../../../../commands/reports/report-decider.ts';
import type { KnownReport } from '../../../../queries/reports/known-reports.ts';
import { DAY_MS } from '../../../../domain/durations.ts';
import type { FoundResource } from '../../../../domain/records/external-ids.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import { REPORT_TRANSITIONS, type ReportStatus } from '../../../../domain/reports.ts';
import type { Candidate } from './candidates.ts';
import type { Matches } from './match-records.ts';

type Source = RecordData<'sources'>;

export interface ReportFacts {
  readonly report: KnownReport;
  readonly matches: Matches;
  /**
   * Time since which all certain records, and the agenda if one is missed, have been published without interruption;
   * null if they are not.
   */
  readonly publishedSince: string | null;
  /** Older open reports of the same record, from this account and from others. */
  readonly olderOwn: KnownReport | null;
  readonly olderOthers: readonly KnownReport[];
  /** Reason for which the service does not cover the report's subject, or null. */
  readonly outside: string | null;
  readonly sources: readonly Source[];
  /** Agendas of the same date and place. */
  readonly agendas: readonly Candidate[];
  /** Clock milliseconds. */
  readonly now: number;
}

export interface Verdict {
  readonly moves: readonly ReportMove[];
  readonly note: string | null;
  /** Time of the next check for the customer, if the verdict has no move. */
  readonly nextCheckAt: string | null;
}

const MAX_WAIT_MS = 7 * DAY_MS;
const MAX_FINDING_LENGTH = 1000;
const MAX_TITLE_LENGTH = 300;
const MAX_NOTE_LENGTH = 4000;

/** Returns null if the report is left to a person. Pure. */
export function verdictOn(facts: ReportFacts): Verdict | null {
  const { report, now } = facts;
  const closing = closeIfPublished(facts);
  if (closing !== null) return closing;
  if (report.status === 'received') return examineFirst(facts);
  return report.nextCheckAt !== null && Date.parse(report.nextCheckAt) <= now ? examineAgain(facts) : null;
}

/**
 * Closes a report whose record is published. A record published after the report resolves it and closes a confirmed
 * gap.
 */
function closeIfPublished(facts: ReportFacts): Verdict | null {
  const { report, matches, publishedSince } = facts;
  if (matches.certain.length === 0 || publishedSince === null) return null;
  const toVerified = ({ id, url, title }: Candidate): VerifiedRecord => ({
    itemId: id,
    sourceUrl: url,
    title: cut(title, MAX_TITLE_LENGTH),
  });
  const verifiedRecords = matches.certain.map(toVerified);
  const records = describeAll(matches.certain);
  const isLate = publishedSince > report.submittedAt;
  const finding = isLate
    ? `Published by this service on ${publishedSince}, after the report: ${records}.`
    : `Published by this service since ${publishedSince}: ${records}.`;
  const available = isLate ? null : moveTo(facts, { to: 'already_available', verifiedRecords, finding });
  if (available !== null) return available;
  // The report shows the reason of an earlier move until a move sets another. Only a confirmed gap is resolved for its
  // own reason.
  const ofGap = report.status === 'gap_confirmed' || report.status === 'backfilling' ? report.reasonCode : null;
  return moveTo(facts, {
    to: 'resolved',
    verifiedRecords,
    finding,
    reasonCode: ofGap ?? (isLate ? 'publication_delay' : null),
  });
}

function examineFirst(facts: ReportFacts): Verdict | null {
  const { olderOwn, outside, sources, agendas, matches } = facts;
  if (olderOwn !== null) {
    const finding = `Your earlier report ${olderOwn.reportId}, submitted ${olderOwn.submittedAt}, is about the same record and is still open.`;
    const nextAction = `Follow report ${olderOwn.reportId} instead.`;
    return moveTo(facts, { to: 'declined', reasonCode: 'duplicate_report', finding, nextAction });
  }
  if (outside !== null) {
    const nextAction =
      'If the record belongs to a jurisdiction of a covered source (get_coverage, listPublicSourceStatuses), report it again with its jurisdictionSlug.';
    return moveTo(facts, { to: 'out_of_scope', reasonCode: 'outside_coverage', finding: outside, nextAction });
  }
  if (isEvery(sources, ({ status }) => status === 'failing')) {
    const finding = sources.map(explainFailure).join(' ');
    return moveTo(facts, { to: 'awaiting_source', reasonCode: 'source_unavailable', finding }, writeNote(facts));
  }
  if (
    agendas.length > 0
      ? agendas.every(isUndecodable)
      : isEvery(sources, (source) => source.agendaTextEvidence === 'no_text_layer')
  ) {
    const finding =
      agendas.length > 0
        ? `The ${describeAll(agendas)} was found to have no text layer.`
        : sources.map((source) => `Agendas of the ${sourceName(source)} were found to have no text layer.`).join(' ');
    return moveTo(facts, { to: 'awaiting_source', reasonCode: 'source_unreadable', finding }, writeNote(facts));
  }
  const finding =
    matches.withoutAgenda.length > 0
      ? `Published by this service: ${describeAll(matches.withoutAgenda)}. No agenda, agenda item or agenda document of it was found.`
      : 'No published record could be matched to this report with certainty by address, source id, or title and date.';
  // Reports of other customers appear in the investigator's note only.
  return moveTo(facts, { to: 'investigating', finding }, writeNote(facts));
}

function examineAgain(facts: ReportFacts): Verdict | null {
  const { report, sources, now } = facts;
  const isReadable = isEvery(sources, ({ status }) => status === 'healthy');
  if (report.status === 'awaiting_source' && report.reasonCode === 'source_unavailable' && isReadable) {
    return moveTo(facts, { to: 'investigating', finding: sources.map(explainRecovery).join(' ') }, writeNote(facts));
  }
  // The interval grows while nothing changes.
  const waited = Math.min(Math.max(now - Date.parse(report.submittedAt), DAY_MS), MAX_WAIT_MS);
  return { moves: [], note: writeNote(facts), nextCheckAt: new Date(now + waited).toISOString() };
}

const EMPTY = { reasonCode: null, finding: null, nextAction: null, verifiedRecords: [], nextCheckAt: null };
const BEGIN: ReportMove = { ...EMPTY, to: 'investigating' };

/** Returns the moves to a status, through `investigating` if needed; null if the status cannot be reached. */
function moveTo(
  { report: { status } }: ReportFacts,
  fields: Partial<ReportMove> & Pick<ReportMove, 'to'>,
  note: string | null = null,
) {
  const finding = fields.finding == null ? null : cut(fields.finding, MAX_FINDING_LENGTH);
  const move: ReportMove = { ...EMPTY, ...fields, finding };
  const canReach = (from: ReportStatus): boolean => REPORT_TRANSITIONS[from].includes(move.to);
  if (canReach(status)) return { moves: [move], note, nextCheckAt: null };
  return status === 'received' && canReach('investigating') ? { moves: [BEGIN, move], note, nextCheckAt: null } : null;
}

const isEvery = <Value>(values: readonly Value[], is: (value: Value) => boolean): boolean =>
  values.length > 0 && values.every(is);
const isUndecodable = ({ textEvidence }: Candidate): boolean => textEvidence === 'no_text_layer';

/** Cuts to a number of characters, never inside a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

// Sentences of an answer. Each describes a record or a check, without conclusions.

const WORDS: Readonly<Record<FoundResource, string>> = {
  meetings: 'meeting',
  agendas: 'agenda',
  agenda_items: 'agenda item',
  documents: 'document',
  stream_records: 'record',
};

function describe({ resource, title, jurisdictionName, bodyName, date, isMeetingCancelled, id }: Candidate): string {
  const who = [jurisdictionName, bodyName].filter((name) => name !== null).join(' ');
  const parts = [
    `${WORDS[resource]} "${cut(title, 160)}"`,
    who,
    date ?? '',
    isMeetingCancelled ? 'meeting cancelled' : '',
  ];
  return `${parts.filter((part) => part !== '').join(', ')} (${id})`;
}

function describeAll(candidates: readonly Candidate[]): string {
  const [first] = candidates;
  return `${describe(first!)}${candidates.length === 1 ? '' : ` and ${candidates.length - 1} more`}`;
}

const sourceName = ({ sourceTypeLabel, officialSourceUrl, id }: Source): string =>
  `${sourceTypeLabel} source ${officialSourceUrl ?? id}`;

function explainFailure(source: Source): string {
  const { lastCheckedAt, lastSuccessfulCheckAt } = source;
  const success =
    lastSuccessfulCheckAt === null ? 'no check has succeeded yet' : `the last success was ${lastSuccessfulCheckAt}`;
  return `The last check of the ${sourceName(source)} failed${lastCheckedAt === null ? '' : ` (${lastCheckedAt})`}; ${success}.`;
}

const explainRecovery = (source: Source): string =>
  `The ${sourceName(source)} was read successfully${source.lastSuccessfulCheckAt === null ? '' : ` on ${source.lastSuccessfulCheckAt}`}.`;

const describeSource = (source: Source): string =>
  `${sourceName(source)}: ${source.status}, last success ${source.lastSuccessfulCheckAt ?? 'never'}, text ${source.agendaTextEvidence ?? 'not known'}`;

const SHOWN = 8;
const listLines = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0
    ? [`${title}: none`]
    : [
        `${title}: ${lines.length}`,
        ...lines.slice(0, SHOWN).map((line) => `- ${line}`),
        ...(lines.length > SHOWN ? ['- …'] : []),
      ];

/** Returns the note for the person who continues. */
function writeNote({ matches, sources, olderOwn, olderOthers }: ReportFacts): string {
  const same = [...(olderOwn === null ? [] : [olderOwn]), ...olderOthers].map(
    ({ reportId, status }) => `${reportId} (${status})`,
  );
  const lines = [
    'No published record could be matched to the report beyond doubt.',
    ...listLines(
      'published records that share an address, an id, a title or the words of a name with the report',
      matches.possible.map(describe),
    ),
    ...listLines('active sources at its address or in its place', sources.map(describeSource)),
    ...listLines('older open reports about the same record', same),
  ];
  return cut(lines.join('\n'), MAX_NOTE_LENGTH);
}
