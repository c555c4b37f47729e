import { derivedId } from './identifiers.ts';

/** A text as the words that it is made of: lower case, without accents and punctuation. Two titles of the same words are the same title. */
export const titleWords = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words as a fixed-size key for an index; null for a text without any. */
export function titleKey(text: string): string | null {
  const words = titleWords(text);
  return words.length === 0 ? null : derivedId('title', words.join(' '));
}
