import { MARK } from '../../projections/agenda-search/tables.ts';

/** Number of entries in each quarter that has entries, the latest quarter first. */
export type PeriodCounts = readonly (readonly [period: number, entries: number])[];

/** A range of quarters that a search reads at once. */
export interface SearchWindow {
  /** Query for the marks of its quarters. Null for the last window of a search without dates, which `before` limits. */
  readonly marks: string | null;
  /** The window ends before this quarter. Null: no limit. */
  readonly before: number | null;
}

/** Number of entries that each window covers at least; one more window covers all earlier entries. */
const WINDOW_ENTRIES = [5_000, 50_000];

/**
 * Returns windows that a search reads in turn, the latest first, until it has found enough; none if nothing is between
 * the quarters `from` and `to`. Common words are found in a recent window, without reading their matches of all years.
 * Rare words cost little in every window. Windows affect the cost of a search, never its result.
 */
export function searchWindows(
  counts: PeriodCounts,
  { from, to }: { readonly from?: number; readonly to?: number },
): readonly SearchWindow[] {
  const isLimited = from !== undefined || to !== undefined;
  let rest = counts.filter(([period]) => period >= (from ?? period) && period <= (to ?? period));
  if (isLimited && rest.length === 0) return [];
  const windows: SearchWindow[] = [];
  for (const entries of WINDOW_ENTRIES) {
    const size = countUntil(rest, entries);
    if (size >= rest.length) break;
    windows.push(windowOf(rest.slice(0, size)));
    rest = rest.slice(size);
  }
  // Reading all earlier entries costs less than looking up the marks of many quarters if no dates are given.
  const before = windows.length === 0 ? null : rest[0]![0] + 1;
  return [...windows, isLimited ? windowOf(rest) : { marks: null, before }];
}

/** Returns how many of the latest quarters together have this many entries. */
function countUntil(counts: PeriodCounts, minimum: number): number {
  let [size, entries] = [0, 0];
  while (size < counts.length && entries < minimum) entries += counts[size++]![1];
  return size;
}

const windowOf = (counts: PeriodCounts): SearchWindow => ({
  marks: counts.map(([period]) => `'${MARK.period}${period}'`).join(' | '),
  before: null,
});
