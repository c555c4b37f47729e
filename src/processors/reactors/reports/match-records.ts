import { MONTHS } from '../../../../domain/months.ts';
import type { ReportInput } from '../../../../domain/events/report-events.ts';
import { sourceAddressKey, sourceHost } from '../../../../domain/source-url.ts';
import { titleWords } from '../../../../domain/text/words.ts';
import type { Candidate } from './candidates.ts';

export interface Matches {
  /** Published records that the report certainly misses; empty if there is a doubt. */
  readonly certain: readonly Candidate[];
  /** Agendas, and parts of agendas, of the certain meetings, if the report misses an agenda. */
  readonly agendaParts: readonly Candidate[];
  /** Meetings that would be certain if the agenda that the report misses were published. */
  readonly withoutAgenda: readonly Candidate[];
  /** Other records that match the report in part, the likeliest first, for a person to examine. */
  readonly possible: readonly Candidate[];
}

/** Shortest run of words that identifies a title within another text. */
const DISTINCTIVE_WORDS = 5;
const MAX_URL_LENGTH = 2048;
const MAX_MATCHES = 20;

const containsRun = (words: readonly string[], run: readonly string[]): boolean =>
  run.length >= DISTINCTIVE_WORDS && ` ${words.join(' ')} `.includes(` ${run.join(' ')} `);

/** Compares text instead of words: a title that was cut at 1,000 characters might end within a word. */
const startsWith = (words: readonly string[], start: readonly string[]): boolean =>
  start.length >= DISTINCTIVE_WORDS && words.join(' ').startsWith(start.join(' '));

const FILLER: ReadonlySet<string> = new Set(
  'a an and at for from in of on the to its meeting agenda document page pdf'.split(' '),
);
/** A report with one of these words misses the agenda of a meeting, which the meeting record alone does not provide. */
const AGENDA_WORDS: ReadonlySet<string> = new Set('agenda agendas document documents packet pdf'.split(' '));

function dateWords(date: string | null): readonly string[] {
  if (date === null) return [];
  const [year, month, day] = date.split('-') as [string, string, string];
  const name = MONTHS[Number(month) - 1]!;
  return [year, month, day, String(Number(month)), String(Number(day)), name, name.slice(0, 3)];
}

/**
 * Returns true if the report's words only name the candidate: then the report means the container, not a record in it.
 */
function isOnlyNamed(expected: readonly string[], { title, bodyName, jurisdictionName, date }: Candidate): boolean {
  const names = titleWords([title, bodyName, jurisdictionName].join(' '));
  const words = new Set([...names, ...dateWords(date), 'city', 'county']);
  return (
    expected.some((word) => !FILLER.has(word) && words.has(word)) &&
    expected.every((word) => words.has(word) || FILLER.has(word))
  );
}

function contradicts(input: ReportInput, candidate: Candidate): boolean {
  const { date, jurisdictionSlug, resource, url } = candidate;
  const isStreamRecord = resource === 'stream_records';
  return (
    (input.recordDate !== undefined && date !== null && input.recordDate !== date) ||
    (input.jurisdictionSlug !== undefined &&
      jurisdictionSlug !== null &&
      input.jurisdictionSlug !== jurisdictionSlug) ||
    (input.recordKind === 'agenda' && isStreamRecord) ||
    (input.recordKind === 'record_stream' && !isStreamRecord && resource !== 'documents') ||
    url.length > MAX_URL_LENGTH
  );
}

type Facts = ReturnType<typeof compare>;

function compare(input: ReportInput, candidate: Candidate) {
  const [expected, title] = [titleWords(input.expectedRecord), titleWords(candidate.title)];
  const wantedId = input.sourceRecordId?.toUpperCase();
  const exact = title.length > 0 && title.join(' ') === expected.join(' ');
  return {
    id: wantedId !== undefined && candidate.sourceRecordId?.toUpperCase() === wantedId,
    file: wantedId !== undefined && candidate.matterFile?.toUpperCase() === wantedId,
    address: sourceAddressKey(candidate.url) === sourceAddressKey(input.sourceUrl),
    exact,
    title: exact || containsRun(expected, title) || containsRun(title, expected) || startsWith(title, expected),
    named: candidate.container && isOnlyNamed(expected, candidate),
    date: input.recordDate !== undefined && input.recordDate === candidate.date,
    place:
      (input.jurisdictionSlug !== undefined && input.jurisdictionSlug === candidate.jurisdictionSlug) ||
      sourceHost(candidate.url) === sourceHost(input.sourceUrl),
  };
}

const sharesName = ({ id, file, address, title, named }: Facts): boolean => id || file || address || title || named;

const weigh = ({ id, file, address, exact, title, named, date, place }: Facts): number =>
  (id ? 32 : 0) +
  (file ? 16 : 0) +
  (exact ? 12 : title ? 8 : 0) +
  (named ? 4 : 0) +
  (address ? 4 : 0) +
  (date ? 2 : 0) +
  (place ? 1 : 0);

interface Compared {
  readonly candidate: Candidate;
  readonly facts: Facts;
  readonly weight: number;
}

/** Returns the candidates that do not contradict the report, the best match first. */
const compareAll = (input: ReportInput, candidates: readonly Candidate[]): readonly Compared[] =>
  candidates
    .filter((candidate) => !contradicts(input, candidate))
    .map((candidate) => ({ candidate, facts: compare(input, candidate) }))
    .map((compared) => ({ ...compared, weight: weigh(compared.facts) }))
    .toSorted((one, other) => other.weight - one.weight);

/** Returns the rule by which a record is beyond doubt what the report misses, apart from a missing agenda. */
function certaintyRule(input: ReportInput, compared: readonly Compared[]): (one: Compared) => boolean {
  const isOnly = (hasFact: (facts: Facts) => boolean) => compared.filter(({ facts }) => hasFact(facts)).length === 1;
  const isOnlyId = isOnly(({ id, place }) => id && place);
  const isOnlyFile = isOnly(({ file, place }) => file && place);
  const isOnlyAddress = isOnly(({ address }) => address);
  return ({ candidate, facts: { id, file, address, title, named, date, place } }) => {
    if (id && (address || (place && (date || title || isOnlyId)))) return true;
    if (file && place && (date || address || title || isOnlyFile)) return true;
    if ((title || named) && (address || (date && place))) return true;
    return address && isOnlyAddress && !candidate.container && input.sourceRecordId === undefined;
  };
}

const isMinutes = ({ resource, container, isAgenda }: Candidate): boolean =>
  resource === 'documents' && container && !isAgenda;

/**
 * Returns the records that a report misses: records with its source id at its address or place, the only record at its
 * address, and records with its title at its address or date. Ignores records that contradict the report, and meetings
 * without an agenda if the report misses an agenda. No record is certain if two different ones match equally well.
 * Pure.
 */
export function matchRecords(input: ReportInput, candidates: readonly Candidate[]): Matches {
  const words = titleWords(input.expectedRecord);
  const missesAgenda = words.some((word) => AGENDA_WORDS.has(word));
  const partsOf = ({ meetingId }: Candidate) =>
    candidates.filter((part) => part.isAgenda && part.meetingId === meetingId);
  const lacksAgenda = (one: Candidate) => one.resource === 'meetings' && missesAgenda && partsOf(one).length === 0;
  const isOtherMinutes = (one: Candidate) => isMinutes(one) && missesAgenda && !words.includes('minutes');

  const compared = compareAll(input, candidates);
  const isCertain = certaintyRule(input, compared);
  const matching = compared.filter((one) => isCertain(one) && !isOtherMinutes(one.candidate));
  const complete = matching.filter(({ candidate }) => !lacksAgenda(candidate));
  const best = complete.filter(({ weight }) => weight === complete[0]!.weight).map(({ candidate }) => candidate);
  const certain = areSameRecord(best) ? best.slice(0, MAX_MATCHES) : [];
  return {
    certain,
    agendaParts: missesAgenda ? certain.filter(({ resource }) => resource === 'meetings').flatMap(partsOf) : [],
    withoutAgenda: matching.map(({ candidate }) => candidate).filter((one) => lacksAgenda(one) && one.arePartsRead),
    possible: compared
      .filter(({ candidate, facts }) => sharesName(facts) && !certain.includes(candidate))
      .map(({ candidate }) => candidate),
  };
}

const areSameRecord = (candidates: readonly Candidate[]): boolean =>
  new Set(candidates.map(({ resource, title, date }) => JSON.stringify([resource, title, date]))).size <= 1 ||
  areOneMeeting(candidates);

/** Returns true for a meeting, its agenda and its agenda's document: one thing in several resources. */
const areOneMeeting = (candidates: readonly Candidate[]): boolean =>
  candidates[0]?.meetingId != null &&
  candidates.every(({ meetingId, container }) => container && meetingId === candidates[0]!.meetingId) &&
  new Set(candidates.map(({ resource }) => resource)).size === candidates.length;
