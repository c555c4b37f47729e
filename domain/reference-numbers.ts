/** A case number in a text, as in "Z245-177" or "M&C 26-0243"; no part of a telephone number or a date. */
const CASE = /(?<!\d|\d-)(\d{1,4})-(\d{2,5})(?!\d|-\d)/g;
/** "z-", or letters that begin case numbers and stand apart: "m&c ". */
const CASE_LETTERS = String.raw`(?:[a-z]{1,3}-?|(?:m&c|zc?|sup|pd|bda|spsd|nc|ca|int|res|lu)[-\s])?`;
/** A case number as people type it: "z245-177", "m&c 26 0243". */
export const TYPED_CASE = String.raw`${CASE_LETTERS}\d{1,4}[-\s]\d{2,5}[a-z]?(?![-\p{L}\p{N}])`;
export const HIGHWAY = String.raw`\b(?:I|IH|Interstate)(?:\s+Highway)?(?:\s+\(IH\))?[-\s]?(\d{1,3})[ewns]?\b`;
const HIGHWAYS = new RegExp(HIGHWAY, 'gi');

/**
 * Numbers of cases and interstate highways in a text, each in one spelling: its digits. Several groups are joined by a
 * hyphen, without leading zeros.
 */
export function referenceNumbers(text: string): readonly string[] {
  const cases = [...text.matchAll(CASE)].map(([, first, second]) => `${Number(first)}-${Number(second)}`);
  const highways = [...text.matchAll(HIGHWAYS)].map(([, number]) => `i${Number(number)}`);
  return [...new Set([...cases, ...highways])];
}
