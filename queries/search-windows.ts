import { MARK } from '../projections/agenda-search/tables.ts';

/** Number of entries of a period, the latest period first. */
export type PeriodCounts = readonly (readonly [period: number, entries: number])[];

const FIRST_WINDOW = 20_000;
const GROWTH = 4;

/**
 * Stretches of time that are searched one after another until enough is found, the latest first, each as the marks of its periods. A common
 * word is found often enough in the first, a rare one costs little in the last. Which stretches these are changes what a search costs, never
 * what it finds. One without marks is all of time.
 */
export const searchWindows = (periods: PeriodCounts): readonly (string | null)[] => {
  const windows: number[][] = [];
  let [window, held, most]: [number[], number, number] = [[], 0, FIRST_WINDOW];
  for (const [period, entries] of periods) {
    if (window.length > 0 && held + entries > most) {
      windows.push(window);
      [window, held, most] = [[], 0, most * GROWTH];
    }
    window.push(period);
    held += entries;
  }
  if (window.length > 0) windows.push(window);
  return windows.length <= 1 ? [null] : windows.map((each) => each.map((period) => `'${MARK.period}${period}'`).join(' | '));
};
