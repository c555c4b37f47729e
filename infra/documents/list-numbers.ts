const ROMAN: readonly (readonly [number, string])[] = [
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function romanNumeral(value: number): string {
  const numeral = ROMAN.find(([worth]) => worth <= value);
  return numeral === undefined ? '' : numeral[1] + romanNumeral(value - numeral[0]);
}

/** A letter of a list: "A" to "Z", then "AA". */
const letterOf = (value: number): string => String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));

/** Returns the number of a list's entry in its style: `1`, `a`, `A`, `i` or `I`. */
export function listNumber(type: string, value: number): string {
  if (value < 1 || value > 300) return String(value);
  const text =
    type.toLowerCase() === 'i' ? romanNumeral(value) : type.toLowerCase() === 'a' ? letterOf(value) : String(value);
  return type === type.toUpperCase() ? text.toUpperCase() : text;
}
