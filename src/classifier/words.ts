/** A word of a text: its lower-case form and where it stands. */
export interface Word {
  readonly form: string;
  readonly start: number;
  readonly end: number;
}

const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text in order; everything that is neither letter nor digit separates them, so `short-term` is two words. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    words.push({ form: match[0].toLowerCase(), start: match.index, end: match.index + match[0].length });
  }
  return words;
}

const JOINT = /^(?:\s+|\s*&\s*|[-‐‑/'’.])$/;

/** Whether what stands between two words leaves them in one phrase: white space, a hyphen, a slash, an apostrophe or an ampersand. */
export const joined = (text: string, left: Word, right: Word): boolean => JOINT.test(text.slice(left.end, right.start));

/** The forms that a word may be the plural of, itself first. */
export function singularForms(form: string): string[] {
  if (!form.endsWith('s') || form.length < 4) return [form];
  const forms = [form, form.slice(0, -1)];
  if (form.endsWith('ies')) forms.push(`${form.slice(0, -3)}y`);
  else if (/(?:[sxz]|[cs]h)es$/.test(form)) forms.push(form.slice(0, -2));
  return forms;
}
