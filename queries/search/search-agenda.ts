import { AGENDA_SEARCH, findPeriod } from '../../projections/agenda-search/tables.ts';
import type { AgendaSearchPage, SearchAgendaData, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { dayOfDate } from '../../domain/local-day.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { decodeSearchCursor, encodeSearchCursor, type SearchBinding, type SearchCursor } from '../../domain/cursor.ts';
import { excerptOf, searchGuidance } from './search-guidance.ts';
import { unaccented } from '../../domain/text/words.ts';
import { unlessNull } from '../fields.ts';
import { freshnessAt, meetingTimeOf } from '../agenda/agenda-fields.ts';
import type { CandidatePage, RankedItem } from './ranked-page.ts';
import { searchCandidates } from './search-candidates.ts';
import { readSearchContext, type SearchContext } from './search-context.ts';
import { searchQuery } from './search-query.ts';
import { STREET_TYPES } from './street-types.ts';
import { type LenientUnit, lenientQueries, lenientUnits, type NearWord, findNearWords } from './search-units.ts';
import { searchWindows } from './search-windows.ts';

interface SearchAgendaDependencies {
  /** Reads that end when the signal aborts. */
  readonly reads: (signal: AbortSignal) => LiveReads;
  readonly clock: Clock;
}

/** Conditions on items besides the words of the query. */
interface SearchLimits {
  readonly fromDay: number | null;
  readonly toDay: number | null;
  readonly after: SearchCursor | null;
  readonly limit: number;
}

type NearWords = ReadonlyMap<string, NearWord | null>;

/** Reads the context of a query after correcting typing errors. Throws what the reads throw. */
async function readCorrected(
  reads: LiveReads,
  binding: SearchBinding,
  thisYear: number,
): Promise<SearchContext & { readonly near: NearWords }> {
  const readContext = async (query: string) => {
    const parsed = searchQuery(query, thisYear);
    const context = await readSearchContext(reads, parsed, binding);
    return {
      ...context,
      unknown: context.unknown.filter((word) => !parsed.ofDates.has(word) && !STREET_TYPES.has(word)),
    };
  };
  const typed = await readContext(binding.query);
  const near = await findNearWords(reads, typed.unknown);
  const slips = [...near].filter(([, other]) => other?.isSlip);
  if (slips.length === 0) return { ...typed, near };
  const corrected = slips.reduce(
    (query, [word, other]) => replaceWord(query, word, other!.word),
    unaccented(binding.query),
  );
  return { ...(await readContext(corrected)), near };
}

const replaceWord = (text: string, word: string, other: string): string =>
  text.replaceAll(new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'giu'), other);

/** Returns a page of items that match the whole query or, if there are none, that lack the fewest of its words. */
async function find(reads: LiveReads, context: SearchContext, { fromDay, toDay, after, limit }: SearchLimits) {
  const { query, anyWord, pairs, exact, bodies, topic } = context;
  const isFound = ({ rows }: CandidatePage) => rows.length > 0 || after !== null;
  // A local day is part of up to three days of UTC.
  const windows = searchWindows(context.periods, {
    ...(fromDay === null ? {} : { from: findPeriod((fromDay - 1) * DAY_MS) }),
    ...(toDay === null ? {} : { to: findPeriod((toDay + 1) * DAY_MS) }),
  });
  if (windows.length === 0) return EMPTY_PAGE;
  const filters = [bodies, topic].filter((filter) => filter !== null);
  const search = { anyWord, pairs, exact, filters, windows, fromDay, toDay, after, limit };
  const run = async (text: string, units: readonly LenientUnit[]): Promise<CandidatePage> => {
    const [row] = await reads.rows<{ page: CandidatePage }>((generation) =>
      searchCandidates(generation(AGENDA_SEARCH.name), { ...search, query: text, units }),
    );
    return row!.page;
  };
  if (after === null || after.leniency === 0) {
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

/** Facts of one kind of a result. */
const LISTED_FACTS = 3;

const listedFacts = (facts: RankedItem['facts']): Pick<Result, 'amounts' | 'parties'> => ({
  ...(facts?.amounts && {
    amounts: facts.amounts.slice(0, LISTED_FACTS).map(({ sourceText: _words, ...amount }) => amount),
  }),
  ...(facts?.parties && {
    parties: facts.parties.slice(0, LISTED_FACTS).map(({ sourceText: _words, ...party }) => party),
  }),
});

function resultOf(item: RankedItem, now: number): Result {
  const { itemId, title, jurisdiction, body, sourceUrl, succeededAt } = item;
  return {
    itemId,
    title,
    jurisdiction,
    body,
    ...meetingTimeOf(item),
    status: item.meetingStatus as Result['status'],
    ...unlessNull('matterFile', item.matterFile),
    ...unlessNull('outcome', item.outcome as Result['outcome'] | null),
    ...listedFacts(item.facts),
    excerpt: excerptOf(item),
    sourceUrl,
    publisher: {
      jurisdiction,
      body,
      sourceType: item.sourceType as Result['publisher']['sourceType'],
    },
    freshness: freshnessAt(item.sourceStatus, succeededAt, now),
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
 * Searches agenda items by words; returns the best first, and the latest first among equals. An item that is added or
 * changed between two pages might be missed or returned twice. Throws `InvalidSearchCursor`, and `DeadlineExceeded` or
 * the reason of the signal when that aborts.
 */
export function createSearchAgenda({ reads: readsUntil, clock }: SearchAgendaDependencies) {
  return async (input: SearchAgendaInput, signal: AbortSignal): Promise<AgendaSearchPage> => {
    const binding = bindingOf(input);
    const { jurisdictionSlug, topicSlug, fromDate, toDate } = binding;
    const thisYear = new Date(clock.now()).getUTCFullYear();
    const after = searchPlace(input);
    const reads = readsUntil(signal);
    const days = {
      fromDay: fromDate === null ? null : dayOfDate(fromDate),
      toDay: toDate === null ? null : dayOfDate(toDate),
    };
    const limits = { ...days, after, limit: input.limit };
    const context = await readCorrected(reads, binding, thisYear);
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
    const facts = { wordless, uncovered, unknownFilters, near: context.near, words, continued: after !== null };
    const guidance = searchGuidance({
      ...facts,
      found: rows.length,
      hasMore,
      candidateLimitReached: limitReached,
      leniency,
    });
    const cursorAfter = (count: number): string => {
      const { itemId, rank, startsAt } = rows[count - 1]!;
      return encodeSearchCursor(binding, { leniency, rank, startsAt: Number(startsAt), itemId });
    };
    const results = rows.map((row) => resultOf(row, now));
    const nextCursor = hasMore ? cursorAfter(rows.length) : null;
    return {
      data: { results, truncated: false, guidance, nextCursor, candidateLimitReached: limitReached },
      cursorAfter,
    };
  };
}
