import { DAY_MS } from '../../domain/durations.ts';
import { MARK, periodStart } from '../../projections/agenda-search/tables.ts';
import { MAX_CANDIDATES } from './ranked-page.ts';

/** The latest period first. */
export type PeriodCounts = readonly (readonly [period: number, entries: number])[];

/** A time window: the meetings that start in it, in milliseconds. Null: no limit on that side. */
export interface SearchWindow {
  /** Query of the marks that its entries have, as the database writes queries. Null: the times alone limit it. */
  readonly marks: string | null;
  readonly since: number | null;
  readonly before: number | null;
}

interface WindowLimits {
  readonly from?: number;
  readonly to?: number;
  /** Each window reads the places of both words again: fewer windows cost less. */
  readonly isPhrase: boolean;
  /** So many entries have all words, were they spread by chance; null where that is not known. */
  readonly likely: number | null;
  /** Entries have marks of days: a period with many of them is searched in parts. */
  readonly isDated: boolean;
}

const FIRST_WINDOW = 5000;
const GROWTH = 5;
/** Times the entries that are likely to have the candidates. */
const MORE_THAN_ENOUGH = 1.2;
/** The index looks at each mark for each entry of a window: of more days of a period, the mark of the period costs less. */
const MAX_DAYS = 31;

/** A period, or one of so many parts of it. */
interface Stretch {
  readonly period: number;
  readonly parts: number;
  readonly entries: number;
  readonly since: number;
  readonly before: number;
}

/** The parts of a period have about as many days each, the latest part first. */
function stretchesOf(period: number, entries: number, isDated: boolean): readonly Stretch[] {
  const [start, end] = [periodStart(period), periodStart(period + 1)];
  const days = (end - start) / DAY_MS;
  const wanted = Math.min(days, Math.ceil(entries / FIRST_WINDOW));
  // Parts of more days would be looked up by the mark of the period, each of them the whole of it.
  const parts = isDated && Math.ceil(days / wanted) + 2 <= MAX_DAYS ? wanted : 1;
  const cut = (part: number): number => end - Math.floor((days * part) / parts) * DAY_MS;
  return Array.from({ length: parts }, (_, part) => ({ period, parts, entries: entries / parts, since: cut(part + 1), before: cut(part) }));
}

/**
 * Windows of time that a search with many matches reads one after another until enough is found, the latest first; none where nothing is
 * between the periods `from` and `to`. What reaches the last is so rare that reading all of the past costs less than looking up its many
 * marks; between dates they are looked up, since outside of them it may be common. The windows change what a search costs, never what it
 * finds.
 */
export function searchWindows(all: PeriodCounts, { from, to, isPhrase, likely, isDated }: WindowLimits): readonly SearchWindow[] {
  const periods = all.filter(([period]) => period >= (from ?? period) && period <= (to ?? period));
  const isLimited = from !== undefined || to !== undefined;
  if (isLimited && periods.length === 0) return [];
  const stretches = periods.flatMap(([period, entries]) => stretchesOf(period, entries, isDated));
  const windows: SearchWindow[] = [];
  const total = (some: PeriodCounts): number => some.reduce((sum, [, entries]) => sum + entries, 0);
  let left = total(periods);
  const enough = likely === null ? 0 : (MORE_THAN_ENOUGH * MAX_CANDIDATES * total(all)) / Math.max(1, likely);
  let [next, size] = [0, Math.max(FIRST_WINDOW, enough)];
  for (;;) {
    let [end, held] = [next, 0];
    while (end < stretches.length && (end === next || held + stretches[end]!.entries <= size)) held += stretches[end++]!.entries;
    left -= held;
    if (left < size * (isPhrase ? GROWTH : 1)) break;
    windows.push(windowOf(stretches.slice(next, end)));
    [next, size] = [end, size * GROWTH];
  }
  const last = isLimited
    ? windowOf(stretches.slice(next))
    : { marks: null, since: null, before: next === 0 ? null : stretches[next]!.before };
  return [...windows, last];
}

function windowOf(stretches: readonly Stretch[]): SearchWindow {
  const marks = [...Map.groupBy(stretches, ({ period }) => period)].flatMap(([period, parts]) => {
    // A local day is part of up to three days of UTC.
    const [first, last] = [parts.at(-1)!.since / DAY_MS - 1, parts[0]!.before / DAY_MS];
    if (parts.length === parts[0]!.parts || last - first >= MAX_DAYS) return [`${MARK.period}${period}`];
    return Array.from({ length: last - first + 1 }, (_, index) => `${MARK.day}${first + index}`);
  });
  return { marks: marks.map((mark) => `'${mark}'`).join(' | '), since: stretches.at(-1)!.since, before: stretches[0]!.before };
}
