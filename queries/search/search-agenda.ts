import { AGENDA_SEARCH, findPeriod, MARK } from '../../projections/agenda-search/tables.ts';
import type { AgendaSearchPage, SearchAgendaData, SearchAgendaInput } from '../../contract/tools/search-agenda.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { localDay } from '../../domain/local-day.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { decodeSearchCursor, encodeSearchCursor, type SearchBinding, type SearchCursor } from '../../domain/cursor.ts';
import { excerptOf, searchGuidance } from './search-guidance.ts';
import { unaccented } from '../../domain/text/words.ts';
import { unlessNull } from '../fields.ts';
import { freshnessAt, meetingTimeOf } from '../agenda/agenda-fields.ts';
import { type AmountRange, LARGEST_AMOUNT } from './question/amounts.ts';
import { limitsOf, type Question, readQuestion, withoutAmount } from './question/read-question.ts';
import { type CandidatePage, PREFERRED_BODY, type RankedItem } from './ranked-page.ts';
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
  /** IANA name of the zone in which "today" is meant. */
  readonly timezone: string;
}

/** Conditions on items besides the words of the query. */
interface SearchLimits {
  readonly fromDay: number | null;
  readonly toDay: number | null;
  /** One of these days, in any order; null for any day. */
  readonly sameDays: readonly number[] | null;
  readonly amount: AmountRange | null;
  readonly after: SearchCursor | null;
  readonly limit: number;
}

type NearWords = ReadonlyMap<string, NearWord | null>;

/** Reads the context of a query after correcting typing errors. Throws what the reads throw. */
async function readCorrected(
  reads: LiveReads,
  binding: SearchBinding & { readonly text: string },
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
  const typed = await readContext(binding.text);
  const near = await findNearWords(reads, typed.unknown);
  const slips = [...near].filter(([, other]) => other?.isSlip);
  if (slips.length === 0) return { ...typed, near };
  const corrected = slips.reduce(
    (query, [word, other]) => replaceWord(query, word, other!.word),
    unaccented(binding.text),
  );
  return { ...(await readContext(corrected)), near };
}

const replaceWord = (text: string, word: string, other: string): string =>
  text.replaceAll(new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'giu'), other);

/** Returns the marks of amounts in a range. Entries have the number of digits of their amount. */
function amountMarks({ least, most }: AmountRange): string {
  const [first, last] = [String(least ?? 0).length, String(most ?? LARGEST_AMOUNT).length];
  return Array.from({ length: last - first + 1 }, (_, index) => `'${MARK.amount}${first + index}'`).join(' | ');
}

/** Returns a page of items that match the whole query or, if there are none, that lack the fewest of its words. */
async function find(reads: LiveReads, context: SearchContext, limits: SearchLimits) {
  const { anyWord, pairs, exact, preferred, preferredBodies, bodies, namedBodies, topic } = context;
  const { fromDay, toDay, sameDays, amount, after, limit } = limits;
  const isFound = ({ rows }: CandidatePage) => rows.length > 0 || after !== null;
  // A local day is part of up to three days of UTC.
  const windows = searchWindows(context.periods, {
    ...(fromDay === null ? {} : { from: findPeriod((fromDay - 1) * DAY_MS) }),
    ...(toDay === null ? {} : { to: findPeriod((toDay + 1) * DAY_MS) }),
  });
  if (windows.length === 0) return EMPTY_PAGE;
  const filters = [
    bodies,
    namedBodies,
    topic,
    sameDays && sameDays.map((day) => `'${MARK.day}${day}'`).join(' | '),
    amount && amountMarks(amount),
  ].filter((filter) => filter !== null);
  // A query without words finds all items that pass the filters.
  const query = context.query === '' ? (filters[0] ?? windows[0]!.marks ?? '') : context.query;
  const ranking = { anyWord, pairs, exact, preferred, preferredBodies, highlights: context.highlights };
  const search = { ...ranking, filters, windows, fromDay, toDay, amount, after, limit };
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

const NO_FILTERS = { days: null, amount: null };

const yearOf = (day: number): number => new Date(day * DAY_MS).getUTCFullYear();

/** True if words of the query were read as filters. */
const isNarrowed = ({ days, amount }: Question, { namedBodies }: SearchContext): boolean =>
  days !== null || namedBodies !== null || amount !== null;

/**
 * Searches agenda items by words; returns the best first, and the latest first among equals. An item that is added or
 * changed between two pages might be missed or returned twice. Throws `InvalidSearchCursor`, and `DeadlineExceeded` or
 * the reason of the signal when that aborts.
 */
export function createSearchAgenda({ reads: readsUntil, clock, timezone }: SearchAgendaDependencies) {
  return async (input: SearchAgendaInput, signal: AbortSignal): Promise<AgendaSearchPage> => {
    const binding = bindingOf(input);
    const after = searchPlace(input);
    const firstPageDay = after?.firstPageDay ?? localDay(clock.now(), timezone);
    const typed = readQuestion(binding.query, firstPageDay);
    const reads = readsUntil(signal);
    const context = await readCorrected(reads, { ...binding, text: typed.text }, yearOf(firstPageDay));
    const question = context.hasAmounts ? typed : withoutAmount(typed);
    const limits = limitsOf(binding, question);
    const isLimited = isNarrowed(question, context);
    const wordless = context.query === '' && !isLimited;
    const uncovered = context.bodies === '';
    const unknownFilters = [
      ...(binding.jurisdictionSlug !== null && context.bodies === null ? ['jurisdictionSlug' as const] : []),
      ...(binding.topicSlug !== null && context.topic === null ? ['topicSlug' as const] : []),
    ];
    const isEmpty = wordless || uncovered || unknownFilters.length > 0;
    const page = isEmpty ? EMPTY_PAGE : await find(reads, context, { ...limits, after, limit: input.limit });
    const { rows, hasMore, limitReached, leniency } = page;
    const isBeyond = isLimited && !isEmpty && rows.length === 0 && after === null && context.query !== '';
    const wider = { ...limitsOf(binding, NO_FILTERS), after, limit: 1 };
    const beyond = isBeyond ? await find(reads, { ...context, namedBodies: null }, wider) : EMPTY_PAGE;
    const guidance = searchGuidance({
      wordless,
      uncovered,
      unknownFilters,
      near: context.near,
      words: new Set(context.units).size,
      continued: after !== null,
      found: rows.length,
      hasMore,
      candidateLimitReached: limitReached,
      leniency,
      filters: [...question.read, ...context.readBodies],
      preferred: context.readPreferred,
      isBeyondFilters: beyond.rows.length > 0,
      isElsewhere: context.preferredBodies !== null && rows.length > 0 && rows[0]!.rank < PREFERRED_BODY,
    });
    const now = clock.now();
    const cursorAfter = (count: number): string => {
      const { itemId, rank, startsAt } = rows[count - 1]!;
      return encodeSearchCursor(binding, { leniency, rank, startsAt: Number(startsAt), itemId, firstPageDay });
    };
    const results = rows.map((row) => resultOf(row, now));
    const nextCursor = hasMore ? cursorAfter(rows.length) : null;
    return {
      data: { results, truncated: false, guidance, nextCursor, candidateLimitReached: limitReached },
      cursorAfter,
    };
  };
}
