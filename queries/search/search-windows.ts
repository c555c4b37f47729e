import { MARK } from '../../projections/agenda-search/tables.ts';

/** The latest period first. */
export type PeriodCounts = readonly (readonly [period: number, entries: number])[];

/** A time window: periods that are looked up, or all before one. Both null: no limit. */
export interface SearchWindow {
  /** As the database writes queries. */
  readonly marks: string | null;
  readonly before: number | null;
}

interface WindowLimits {
  readonly from?: number;
  readonly to?: number;
  /** Each window reads the places of both words again: fewer windows cost less. */
  readonly isPhrase: boolean;
}

const entriesOf = (periods: PeriodCounts): number => periods.reduce((sum, [, entries]) => sum + entries, 0);
const FIRST_WINDOW = 5000;
const GROWTH = 5;

/**
 * Windows of time that a search with many matches reads one after another until enough is found, the latest first; none where nothing is
 * between the dates `from` and `to`. What reaches the last is so rare that reading all of the past costs less than looking up its many
 * periods; between dates they are looked up, since outside of them it may be common. The windows change what a search costs, never what it
 * finds.
 */
export function searchWindows(all: PeriodCounts, { from, to, isPhrase }: WindowLimits): readonly SearchWindow[] {
  const periods = all.filter(([period]) => period >= (from ?? period) && period <= (to ?? period));
  const isLimited = from !== undefined || to !== undefined;
  if (isLimited && periods.length === 0) return [];
  const windows: SearchWindow[] = [];
  let left = entriesOf(periods);
  let [next, size] = [0, FIRST_WINDOW];
  for (;;) {
    let [end, held] = [next, 0];
    while (end < periods.length && (end === next || held + periods[end]![1] <= size)) held += periods[end++]![1];
    left -= held;
    if (left < size * (isPhrase ? GROWTH : 1)) break;
    windows.push({ marks: marksOf(periods.slice(next, end)), before: null });
    [next, size] = [end, size * GROWTH];
  }
  const last = isLimited
    ? { marks: marksOf(periods.slice(next)), before: null }
    : { marks: null, before: next === 0 ? null : periods[next - 1]![0] };
  return [...windows, last];
}

const marksOf = (periods: PeriodCounts): string => periods.map(([period]) => `'${MARK.period}${period}'`).join(' | ');
