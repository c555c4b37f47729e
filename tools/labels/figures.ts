const Z_95 = 1.959964;

/** The Wilson interval of 95 % of `part` in `whole`; null of nothing. */
export function wilson(part: number, whole: number): readonly [low: number, high: number] | null {
  if (whole === 0) return null;
  const share = part / whole;
  const square = (Z_95 * Z_95) / whole;
  const middle = share + square / 2;
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / whole + square / (4 * whole));
  return [Math.max(0, (middle - spread) / (1 + square)), Math.min(1, (middle + spread) / (1 + square))];
}

/** One topic of one item. `belongs` is null if the label does not decide. */
export interface Case {
  readonly item: string;
  readonly city: string;
  readonly topic: string;
  readonly belongs: boolean | null;
  readonly found: boolean;
}

const percent = (share: number): string => (share * 100).toFixed(0);

function share(part: number, whole: number): string {
  const interval = wilson(part, whole);
  return interval === null
    ? '-'
    : `${part}/${whole} ${percent(part / whole)} % [${percent(interval[0])}-${percent(interval[1])}]`;
}

export const FIGURE_COLUMNS = ['', 'precision', 'recall', 'left out'] as const;

/** Precision, recall, and the number of cases that no label decides. */
export function figures(name: string, cases: readonly Case[]): string[] {
  const decided = cases.filter(({ belongs }) => belongs !== null);
  const right = decided.filter(({ belongs, found }) => belongs === true && found).length;
  return [
    name,
    share(right, decided.filter(({ found }) => found).length),
    share(right, decided.filter(({ belongs }) => belongs === true).length),
    String(cases.length - decided.length),
  ];
}

/** Returns the share of the items with a topic that have no hit. */
export function withoutAnyHit(cases: readonly Case[]): string {
  const items = [...Map.groupBy(cases, ({ item }) => item).values()];
  const belonging = items.filter((own) => own.some(({ belongs }) => belongs === true));
  return share(belonging.filter((own) => own.every(({ found }) => !found)).length, belonging.length);
}

/** Items of which at least one topic is left out. */
export const undecidedItems = (cases: readonly Case[]): number =>
  new Set(cases.filter(({ belongs }) => belongs === null).map(({ item }) => item)).size;
