import { AGENDA_SEARCH, periodOf } from '../../projections/agenda-search/tables.ts';
import type { AgendaSearchPage, SearchAgendaData, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { dayOfDate } from '../../domain/local-day.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { decodeSearchCursor, encodeSearchCursor, type SearchBinding } from '../../domain/cursor.ts';
import { excerptOf, searchGuidance } from './search-guidance.ts';
import { unaccented } from '../../domain/words.ts';
import { unlessNull } from '../fields.ts';
import { freshnessAt, meetingTimeOf } from '../agenda/agenda-fields.ts';
import type { CandidatePage } from './ranked-page.ts';
import { searchCandidates } from './search-candidates.ts';
import { type SearchContext, searchContext, type SearchLimits } from './search-context.ts';
import { searchQuery } from './search-query.ts';
import { type LenientUnit, lenientQueries, lenientUnits, type NearWord, nearOnes } from './search-units.ts';
import { searchWindows } from './search-windows.ts';

interface SearchAgendaDependencies {
  /** Reads that end when the signal aborts. */
  readonly reads: (signal: AbortSignal) => LiveReads;
  readonly clock: Clock;
}

interface Asked {
  readonly binding: SearchBinding;
  readonly limits: SearchLimits;
}

type NearWords = ReadonlyMap<string, NearWord | null>;

/** Reads the contexts of searches. Throws what the reads throw. */
function createContexts(clock: Clock) {
  // The plan of the statement is that for so many entries: their number in the system of four has so many digits.
  let scale = 0;
  return async (reads: LiveReads, { binding, limits }: Asked): Promise<SearchContext & { readonly near: NearWords }> => {
    const read = async (query: string) => {
      const search = searchQuery(query, new Date(clock.now()).getUTCFullYear());
      const [row] = await reads.texts((generation) => searchContext(generation(AGENDA_SEARCH.name), search, { ...limits, scale }));
      const context = JSON.parse(row![0]!) as SearchContext;
      scale = context.periods.reduce((sum, [, entries]) => sum + entries, 0).toString(4).length;
      return { ...context, unknown: context.unknown.filter((word) => !search.ofDates.has(word)) };
    };
    const typed = await read(binding.query);
    const near = await nearOnes(reads, typed.unknown);
    const slips = [...near].filter(([, other]) => other?.isSlip);
    if (slips.length === 0) return { ...typed, near };
    const respelt = slips.reduce((query, [word, other]) => replaced(query, word, other!.word), unaccented(binding.query));
    return { ...(await read(respelt)), near };
  };
}

const replaced = (text: string, word: string, other: string): string =>
  text.replaceAll(new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'giu'), other);

/** A page of items that match the whole query or, where there are none, that lack the fewest of its words. */
async function find(reads: LiveReads, context: SearchContext, { fromDay, toDay, after, limit }: SearchLimits) {
  const { query, anyWord, pairs, bodies, topic } = context;
  const isFound = ({ rows }: CandidatePage) => rows.length > 0 || after !== null;
  if (context.page !== null && isFound(context.page)) return { ...context.page, leniency: 0 };
  // A local day is part of up to three days of UTC.
  const windows = searchWindows(context.periods, {
    isPhrase: query.includes('<'),
    likely: context.likely,
    isDated: context.isDated,
    ...(fromDay === null ? {} : { from: periodOf((fromDay - 1) * DAY_MS) }),
    ...(toDay === null ? {} : { to: periodOf((toDay + 1) * DAY_MS) }),
  });
  if (windows.length === 0) return EMPTY_PAGE;
  const filters = [bodies, topic].filter((filter) => filter !== null);
  const search = { anyWord, pairs, filters, windows, fromDay, toDay, after, limit };
  const run = async (wanted: string, units: readonly LenientUnit[]): Promise<CandidatePage> => {
    const [row] = await reads.texts((generation) => searchCandidates(generation(AGENDA_SEARCH.name), { ...search, query: wanted, units }));
    return JSON.parse(row![0]!) as CandidatePage;
  };
  if (context.page === null && (after === null || after.leniency === 0)) {
    const page = await run(query, []);
    if (isFound(page)) return { ...page, leniency: 0 };
  }
  const units = lenientUnits(context.units, context);
  const queries = lenientQueries(units);
  for (let leniency = after?.leniency ?? 1; leniency <= queries.length; leniency++) {
    const page = await run(queries[leniency - 1]!, units);
    if (isFound(page)) return { ...page, leniency };
  }
  return EMPTY_PAGE;
}

const EMPTY_PAGE = { rows: [], hasMore: false, limitReached: false, leniency: 0 };

type Result = SearchAgendaData['results'][number];

function resultOf(row: TextRow, now: number): Result {
  const [itemId, , startsAt, title, jurisdiction, body, part, beginning, end, sourceUrl, sourceType, status, succeededAt] = row;
  const [day, timezone, startTime, meetingStatus, matterFile, outcome] = row.slice(13);
  return {
    itemId: itemId!,
    title: title!,
    jurisdiction: jurisdiction!,
    body: body!,
    ...meetingTimeOf({ startsAt: startsAt!, day: day!, timezone, startTime }),
    status: meetingStatus as Result['status'],
    ...unlessNull('matterFile', matterFile),
    ...unlessNull('outcome', outcome as Result['outcome'] | null),
    excerpt: excerptOf({ part: part!, beginning: beginning!, end: end! }),
    sourceUrl: sourceUrl!,
    publisher: { jurisdiction: jurisdiction!, body: body!, sourceType: (sourceType ?? null) as Result['publisher']['sourceType'] },
    freshness: freshnessAt(status ?? null, succeededAt ?? null, now),
  };
}

const bindingOf = (input: SearchAgendaInput): SearchBinding => ({
  query: input.query,
  jurisdictionSlug: input.jurisdictionSlug ?? null,
  topicSlug: input.topicSlug ?? null,
  fromDate: input.fromDate ?? null,
  toDate: input.toDate ?? null,
});

/** Decodes the position of a search, null at its start. Throws `InvalidSearchCursor`. */
export const searchPlace = (input: SearchAgendaInput): SearchLimits['after'] =>
  input.cursor === undefined ? null : decodeSearchCursor(bindingOf(input), input.cursor);

/**
 * Agenda items by words, the best first and of equals the latest first. An item that is added or changed between two pages may be missed or
 * returned twice. Throws `InvalidSearchCursor`, and `DeadlineExceeded` or the reason of the signal when that aborts.
 */
export function createSearchAgenda({ reads: readsUntil, clock }: SearchAgendaDependencies) {
  const contextOf = createContexts(clock);
  return async (input: SearchAgendaInput, signal: AbortSignal): Promise<AgendaSearchPage> => {
    const binding = bindingOf(input);
    const { jurisdictionSlug, topicSlug, fromDate, toDate } = binding;
    const after = searchPlace(input);
    const reads = readsUntil(signal);
    const days = { fromDay: fromDate === null ? null : dayOfDate(fromDate), toDay: toDate === null ? null : dayOfDate(toDate) };
    const limits = { jurisdictionSlug, topicSlug, ...days, after, limit: input.limit };
    const context = await contextOf(reads, { binding, limits });
    const wordless = context.query === '';
    const uncovered = context.bodies === '';
    const unknownFilters = [
      ...(jurisdictionSlug !== null && context.bodies === null ? ['jurisdictionSlug' as const] : []),
      ...(topicSlug !== null && context.topic === null ? ['topicSlug' as const] : []),
    ];
    const isEmpty = wordless || uncovered || unknownFilters.length > 0;
    const { rows, hasMore, limitReached, leniency } = isEmpty ? EMPTY_PAGE : await find(reads, context, limits);
    const now = clock.now();
    const words = new Set(context.units).size;
    const asked = { wordless, uncovered, unknownFilters, near: context.near, words, continued: after !== null };
    const guidance = searchGuidance({ ...asked, found: rows.length, hasMore, candidateLimitReached: limitReached, leniency });
    const cursorAfter = (count: number): string => {
      const [itemId, rank, startsAt] = rows[count - 1]!;
      return encodeSearchCursor(binding, { leniency, rank: Number(rank), startsAt: Number(startsAt), itemId: itemId! });
    };
    const results = rows.map((row) => resultOf(row, now));
    const nextCursor = hasMore ? cursorAfter(rows.length) : null;
    return { data: { results, truncated: false, guidance, nextCursor, candidateLimitReached: limitReached }, cursorAfter };
  };
}
