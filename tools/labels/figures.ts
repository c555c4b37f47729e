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

const percent = (share: number): string => (share * 100).toFixed(0);

/** Returns a part with its share and interval, such as `9/10 90 % [60-98]`. */
export function share(part: number, whole: number): string {
  const interval = wilson(part, whole);
  return interval === null
    ? '-'
    : `${part}/${whole} ${percent(part / whole)} % [${percent(interval[0])}-${percent(interval[1])}]`;
}
