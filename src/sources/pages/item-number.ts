const TOKEN = String.raw`(?:\d{1,3}|[A-Za-z]{1,2}|[IVXL]{1,7}|[ivxl]{1,7})`;
/** "1)", "2.a)", "4.D.2.", "(3)", "IV." at the beginning of a title. A word with a dot, such as "Mr.", has no number. */
const NUMBER = new RegExp(
  String.raw`^(?:\((${TOKEN})\)|(${TOKEN}(?:[.-]?\d{1,3}|[.-]${TOKEN}){0,4})[.):])\s+(\S.*)$`,
  's',
);
const ABBREVIATION = /^(?:mr|ms|dr|st|no|vs?)$/i;

/** Splits a title into its number, without the mark behind it, and the rest. */
export function splitNumber(text: string): { readonly number: string | null; readonly title: string } {
  const [, enclosed, plain, title] = NUMBER.exec(text) ?? [];
  const number = enclosed ?? plain;
  return number === undefined || ABBREVIATION.test(number) ? { number: null, title: text } : { number, title: title! };
}

const parts = (number: string): readonly string[] => number.toLowerCase().split(/[.-]/).filter(Boolean);

/** The number of an item under another one: "a" under "2" is "2.a", and "2.a" stays. */
export function underNumber(parent: string | null, number: string | null): string | null {
  if (parent === null || number === null) return number;
  const [outer, own] = [parts(parent), parts(number)];
  return own.length > outer.length && outer.every((part, index) => part === own[index])
    ? number
    : `${parent}.${number}`;
}
