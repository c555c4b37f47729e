import type { ReportInput } from '../../../../domain/events/report-events.ts';
import { sourceAddressKey, sourceHost } from '../../../../domain/source-url.ts';
import { titleWords } from '../../../../domain/words.ts';
import type { Candidate } from './candidates.ts';

export interface Matches {
  /** Published, and beyond doubt what is missed; empty where there is a doubt. */
  readonly certain: readonly Candidate[];
  /** Other records that match the report in part, the likeliest first, for a person to examine. */
  readonly possible: readonly Candidate[];
}

/** So many words in a row are no coincidence. */
const DISTINCTIVE_WORDS = 5;
const MAX_URL_LENGTH = 2048;
const MAX_MATCHES = 20;

type Facts = ReturnType<typeof compare>;

const containsRun = (words: readonly string[], run: readonly string[]): boolean =>
  run.length >= DISTINCTIVE_WORDS && ` ${words.join(' ')} `.includes(` ${run.join(' ')} `);

/** A text that was cut at a thousand characters may end within a word. */
const begins = (words: readonly string[], start: readonly string[]): boolean =>
  start.length >= DISTINCTIVE_WORDS && words.join(' ').startsWith(start.join(' '));

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const FILLER: ReadonlySet<string> = new Set('a an and at for from in of on the to its meeting agenda document page pdf'.split(' '));

function dateWords(date: string | null): readonly string[] {
  if (date === null) return [];
  const [year, month, day] = date.split('-') as [string, string, string];
  const name = MONTHS[Number(month) - 1]!;
  return [year, month, day, String(Number(month)), String(Number(day)), name, name.slice(0, 3)];
}

/** Whether the words of the report only name the record: then the report means the container, not its content. */
function saysNoMore(expected: readonly string[], { title, bodyName, jurisdictionName, date }: Candidate): boolean {
  const words = new Set([...titleWords([title, bodyName, jurisdictionName].join(' ')), ...dateWords(date), 'city', 'county']);
  return expected.some((word) => !FILLER.has(word) && words.has(word)) && expected.every((word) => words.has(word) || FILLER.has(word));
}

function compare(input: ReportInput, candidate: Candidate) {
  const [expected, title] = [titleWords(input.expectedRecord), titleWords(candidate.title)];
  const wantedId = input.sourceRecordId?.toUpperCase();
  const streamsOnly = candidate.resource === 'stream_records';
  const exact = title.length > 0 && title.join(' ') === expected.join(' ');
  return {
    contradicts:
      (input.recordDate !== undefined && candidate.date !== null && input.recordDate !== candidate.date) ||
      (input.jurisdictionSlug !== undefined &&
        candidate.jurisdictionSlug !== null &&
        input.jurisdictionSlug !== candidate.jurisdictionSlug) ||
      (input.recordKind === 'agenda' && streamsOnly) ||
      (input.recordKind === 'record_stream' && !streamsOnly && candidate.resource !== 'documents') ||
      candidate.url.length > MAX_URL_LENGTH,
    id: wantedId !== undefined && candidate.sourceRecordId?.toUpperCase() === wantedId,
    file: wantedId !== undefined && candidate.matterFile?.toUpperCase() === wantedId,
    address: sourceAddressKey(candidate.url) === sourceAddressKey(input.sourceUrl),
    exact,
    title: exact || containsRun(expected, title) || containsRun(title, expected) || begins(title, expected),
    named: candidate.container && saysNoMore(expected, candidate),
    date: input.recordDate !== undefined && input.recordDate === candidate.date,
    place:
      (input.jurisdictionSlug !== undefined && input.jurisdictionSlug === candidate.jurisdictionSlug) ||
      sourceHost(candidate.url) === sourceHost(input.sourceUrl),
  };
}

const weight = ({ id, file, address, exact, title, named, date, place }: Facts): number =>
  (id ? 32 : 0) + (file ? 16 : 0) + (exact ? 12 : title ? 8 : 0) + (named ? 4 : 0) + (address ? 4 : 0) + (date ? 2 : 0) + (place ? 1 : 0);

/**
 * Which published records are what a report misses: those of its source's id at its address or place, of its address where nothing else is
 * there, or of its title at its address or date. Nothing that contradicts the report is; where two different records would be, none is
 * certain. Pure.
 */
export function matchRecords(input: ReportInput, candidates: readonly Candidate[]): Matches {
  const compared = candidates
    .map((candidate) => ({ candidate, facts: compare(input, candidate) }))
    .filter(({ facts }) => !facts.contradicts)
    .map((one) => ({ ...one, weight: weight(one.facts) }))
    .toSorted((one, other) => other.weight - one.weight);
  const alone = (fact: 'id' | 'file' | 'address') =>
    compared.filter(({ facts }) => facts[fact] && (fact === 'address' || facts.place)).length === 1;
  const [aloneById, aloneByFile, aloneAtAddress] = [alone('id'), alone('file'), alone('address')];
  const isCertain = ({ candidate, facts }: (typeof compared)[number]): boolean => {
    const { id, file, address, title, named, date, place } = facts;
    if (id && (address || (place && (date || title || aloneById)))) return true;
    if (file && place && (date || address || title || aloneByFile)) return true;
    if ((title || named) && (address || (date && place))) return true;
    return address && aloneAtAddress && !candidate.container && input.sourceRecordId === undefined;
  };
  const certain = compared.filter(isCertain);
  const best = certain.filter((one) => one.weight === certain[0]!.weight);
  const rest = compared.filter(({ facts }) => facts.id || facts.file || facts.address || facts.title).map(({ candidate }) => candidate);
  const doubtful = new Set(best.map(({ candidate: { resource, title, date } }) => JSON.stringify([resource, title, date]))).size > 1;
  if (doubtful && !oneMeeting(best.map(({ candidate }) => candidate))) return { certain: [], possible: rest };
  const chosen = best.slice(0, MAX_MATCHES).map(({ candidate }) => candidate);
  return { certain: chosen, possible: rest.filter((candidate) => !chosen.includes(candidate)) };
}

/** A meeting and its own agenda, its agenda's document and so on: the same thing in several resources. */
const oneMeeting = (candidates: readonly Candidate[]): boolean =>
  candidates[0]?.meetingId != null &&
  candidates.every(({ meetingId, container }) => container && meetingId === candidates[0]!.meetingId) &&
  new Set(candidates.map(({ resource }) => resource)).size === candidates.length;
