/**
 * The number of a row as its parts, outermost first: `["2", "1"]` of "2.1", `["K", "1"]` of "K. (1)", `["Z", "4"]` of
 * "Z4.".
 */
export const numberParts = (number: string): readonly string[] =>
  number.slice(0, MAX_NUMBER).match(/\d+|\p{L}+/gu) ?? [];

/** Longer texts are not numbers. */
const MAX_NUMBER = 40;
const ROMAN = /^[ivx]{1,6}$/i;

/** True if the row numbered `child` belongs to the row numbered `parent`: "2.1" to "2", "A.1" to "A". */
export function isPartOf(child: string, parent: string): boolean {
  const [inner, outer] = [numberParts(child), numberParts(parent)];
  return outer.length > 0 && inner.length > outer.length && outer.every((part, index) => part === inner[index]);
}

/** Numerals that cannot be letters of a list. */
const LONG_ROMAN = /^(?:i{2,3}|iv|vi{1,3}|ix|xi{1,3}|xiv|xvi{0,3}|xix|xx)$/i;
const ROMAN_LETTERS = /^[ivx]+$/i;
const isUpper = (part: string): boolean => part === part.toUpperCase();

/**
 * The level of each number of one agenda: equal for numbers that count the same kind of rows, "3." and "12.", "A.1" and
 * "B.4". "I." is a numeral where the agenda has "II.", and a letter elsewhere.
 */
export function createNumberLevels(numbers: readonly string[]): (number: string) => string {
  const romans = numbers.flatMap(numberParts).filter((part) => LONG_ROMAN.test(part));
  const [hasUpper, hasLower] = [romans.some(isUpper), romans.some((part) => !isUpper(part))];
  const levelOf = (part: string): string => {
    if (/^\d/.test(part)) return '1';
    if (ROMAN_LETTERS.test(part) && (isUpper(part) ? hasUpper : hasLower)) return isUpper(part) ? 'I' : 'i';
    return isUpper(part) ? 'A' : 'a';
  };
  return (number) => `${/^\s*\(/.test(number) ? '(' : ''}${numberParts(number).map(levelOf).join('.')}`;
}

/** True if a row with this number is the first of its list: "1.", "A.", "(i)", "2.1". */
export const isFirst = (number: string): boolean => /^(?:0*1|a|i)$/i.test(numberParts(number).at(-1) ?? '');

/** A letter or a Roman numeral. */
export function isSectionNumber(number: string): boolean {
  const parts = numberParts(number);
  return parts.length === 1 && (/^\p{L}{1,2}$/u.test(parts[0]!) || ROMAN.test(parts[0]!));
}

const IN_BRACKETS = String.raw`\(\s*(?:\d{1,3}|[a-z]|[ivx]{1,6})\s*\)`;
const WITH_MARK = String.raw`(?:\d{1,3}(?:\.\d{1,3}){0,3}|[a-z]{1,2}|[ivx]{1,6})\s*[.):]`;
/** A number before a title: "IV. ", "2.1 ", "A) ", "(3) ". */
const LEADING = new RegExp(String.raw`^\s*(?:(?:section|part|item)\s+)?(?:${IN_BRACKETS}|${WITH_MARK})[\s–—-]+`, 'i');

/** The title without its leading number. */
export const withoutNumber = (title: string): string => title.replace(LEADING, '');
