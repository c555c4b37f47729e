import * as statements from './search-statements.ts';
import { AGENDA_SEARCH, periodOf } from '../../projections/agenda-search/tables.ts';
import type { AgendaSearchPage, SearchAgendaData, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { dayOfDate } from '../../domain/local-day.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { decodeSearchCursor, encodeSearchCursor, type SearchBinding, type SearchCursor } from '../../domain/cursor.ts';
import { excerptOf, searchGuidance } from './search-guidance.ts';
import { unaccented } from '../../domain/words.ts';
import { unlessNull } from '../fields.ts';
import { freshnessAt, meetingTimeOf } from '../agenda/agenda-fields.ts';
import { composed, searchQuery } from './search-query.ts';
import { anyWordOf, lenientQueries, lenientUnits, nearOnes } from './search-units.ts';
import { hasFewMatches, searchWindows, WHOLE } from './search-windows.ts';

interface SearchAgendaDependencies {
  /** Reads that end when the signal aborts. */
  readonly reads: (signal: AbortSignal) => LiveReads;
  readonly clock: Clock;
}

type SearchContext = Awaited<ReturnType<typeof contextOf>>;

async function contextOf(reads: LiveReads, binding: SearchBinding, now: number) {
  const read = async (query: string) => {
    const search = searchQuery(query, new Date(now).getUTCFullYear());
    const [row] = await reads.texts((generation) => statements.searchContext(generation(AGENDA_SEARCH.name), search, binding));
    const context = JSON.parse(row![0]!) as statements.SearchContext;
    return { ...context, ...composed(search, context.queries) };
  };
  const typed = await read(binding.query);
  const near = await nearOnes(reads, typed.unknown);
  const slips = [...near].filter(([, other]) => other?.isSlip);
  if (slips.length === 0) return { ...typed, near };
  const respelt = slips.reduce((query, [word, other]) => replaced(query, word, other!.word), unaccented(binding.query));
  return { ...(await read(respelt)), near };
}

const replaced = (text: string, word: string, other: string): string =>
  text.replaceAll(new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'giu'), other);

/** A page of items that match the whole query or, where there are none, that lack the fewest of its words; rows of `searchCandidates`. */
async function find(reads: LiveReads, context: SearchContext, input: SearchAgendaInput, after: SearchCursor | null) {
  const { query, pairs, bodyIds, topicId } = context;
  const [fromDay = null, toDay = null] = [input.fromDate, input.toDate].map((date) => (date === undefined ? null : dayOfDate(date)));
  // A local day is part of up to three days of UTC.
  const limits = {
    isPhrase: query.includes('<'),
    ...(fromDay === null ? {} : { from: periodOf((fromDay - 1) * DAY_MS) }),
    ...(toDay === null ? {} : { to: periodOf((toDay + 1) * DAY_MS) }),
  };
  const marks = [
    ...(bodyIds === null ? [] : [statements.bodyMarks(bodyIds)]),
    ...(topicId === null ? [] : [statements.topicMark(topicId)]),
  ];
  const windows = searchWindows(context.periods, limits);
  if (windows.length === 0) return { rows: [], leniency: 0 };
  // An alternative or an exclusion, with which a query has no units, may match far more than the rarest word.
  const isFew = context.units.length > 0 && hasFewMatches(context);
  const search = { pairs, marks, fromDay, toDay, after, limit: input.limit };
  const run = (wanted: string, units: statements.CandidateSearch['units']): Promise<readonly TextRow[]> => {
    const looked = isFew && wanted === query ? WHOLE : windows;
    const asked = { ...search, query: wanted, anyWord: anyWordOf(wanted), units, windows: looked };
    return reads.texts((generation) => statements.searchCandidates(generation(AGENDA_SEARCH.name), asked));
  };
  if (after === null || after.leniency === 0) {
    const rows = await run(query, []);
    if (rows.length > 0 || after !== null) return { rows, leniency: 0 };
  }
  const units = lenientUnits(context.units, context);
  const queries = lenientQueries(units);
  for (let leniency = after?.leniency ?? 1; leniency <= queries.length; leniency++) {
    const rows = await run(queries[leniency - 1]!, units);
    if (rows.length > 0 || after !== null) return { rows, leniency };
  }
  return { rows: [], leniency: 0 };
}

type Result = SearchAgendaData['results'][number];

function resultOf(row: TextRow, now: number): Result {
  const [itemId, startsAt, title, jurisdiction, body, part, beginning, end, sourceUrl, sourceType, status, succeededAt] = row;
  const [day, timezone, startTime, meetingStatus, matterFile, outcome] = row.slice(12);
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
export const searchPlace = (input: SearchAgendaInput): SearchCursor | null =>
  input.cursor === undefined ? null : decodeSearchCursor(bindingOf(input), input.cursor);

/** One page. Where all its items were removed between their ranking and the read of their details, the page after it. */
async function searchPage(reads: LiveReads, context: SearchContext, input: SearchAgendaInput) {
  for (let after = searchPlace(input); ; ) {
    const { rows, leniency } = await find(reads, context, input, after);
    const page = rows.slice(0, input.limit);
    const places = page.map(([itemId, rank, startsAt]) => ({ leniency, rank: Number(rank), startsAt: Number(startsAt), itemId: itemId! }));
    const ids = places.map(({ itemId }) => itemId);
    const anyWord = anyWordOf(context.query);
    const shown =
      ids.length === 0 ? [] : await reads.texts((generation) => statements.searchResults(generation(AGENDA_SEARCH.name), ids, anyWord));
    const hasMore = rows.length > page.length;
    if (shown.length > 0 || !hasMore) {
      return { shown, places, hasMore, candidateLimitReached: rows[0]?.at(-1) === 't', leniency };
    }
    after = places.at(-1)!;
  }
}

type Page = Awaited<ReturnType<typeof searchPage>>;
const EMPTY_PAGE: Page = { shown: [], places: [], hasMore: false, candidateLimitReached: false, leniency: 0 };

/**
 * Agenda items by words, the best first and of equals the latest first. An item that is added or changed between two pages may be missed or
 * returned twice. Throws `InvalidSearchCursor`, and `DeadlineExceeded` or the reason of the signal when that aborts.
 */
export const createSearchAgenda =
  ({ reads: readsUntil, clock }: SearchAgendaDependencies) =>
  async (input: SearchAgendaInput, signal: AbortSignal): Promise<AgendaSearchPage> => {
    const binding = bindingOf(input);
    const continued = searchPlace(input) !== null;
    const reads = readsUntil(signal);
    const context = await contextOf(reads, binding, clock.now());
    const wordless = context.query === '';
    const uncovered = context.bodyIds?.length === 0;
    const unknownFilters = [
      ...(binding.jurisdictionSlug !== null && context.bodyIds === null ? ['jurisdictionSlug' as const] : []),
      ...(binding.topicSlug !== null && context.topicId === null ? ['topicSlug' as const] : []),
    ];
    const isEmpty = wordless || uncovered || unknownFilters.length > 0;
    const page = isEmpty ? EMPTY_PAGE : await searchPage(reads, context, input);
    const { shown, places, hasMore, candidateLimitReached, leniency } = page;
    const now = clock.now();
    const words = new Set(context.units).size;
    const asked = { wordless, uncovered, unknownFilters, near: context.near, words, continued };
    const guidance = searchGuidance({ ...asked, found: shown.length, hasMore, candidateLimitReached, leniency });
    const results = shown.map((row) => resultOf(row, now));
    const nextCursor = hasMore ? encodeSearchCursor(binding, places.at(-1)!) : null;
    return {
      data: { results, truncated: false, guidance, nextCursor, candidateLimitReached },
      cursorAfter: (rows) => encodeSearchCursor(binding, places.find(({ itemId }) => itemId === shown[rows - 1]![0])!),
    };
  };
