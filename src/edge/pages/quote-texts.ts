import { cutAfter, titleWords } from '../../../domain/text/words.ts';
import { clipped, CUT, type Html, html } from './html.ts';
import { markedText, MAX_QUOTE, quoteInText } from './marked-text.ts';

const lineOf = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** The title of an entry of a list. One that is little longer than `max` characters is not cut: a few words would be left. */
export function headingOf(title: string, max: number): string {
  const line = lineOf(title);
  return clipped(line, line.length <= 1.2 * max ? line.length : max);
}

/** Removes the marks of the classifier's cuts from a quote. */
export const wordsOfQuote = (quote: string): string => lineOf(quote).replace(/^… /, '').replace(/ …$/, '');

/** Letters that two forms of a verb share. */
const STEM = 4;

/** Returns the words of a text, each number as one, without the words that a summary omits from a title. */
const statedWords = (text: string): readonly string[] =>
  titleWords(text.replaceAll(/\b(?:the )?execution of (?:an? )?|(?<=\d)[.,](?=\d)/gi, ''));

/** Returns true if the words of the sentence are adjacent in the heading. The first of several, often a verb, can have another form. */
const hasSentence = (heading: readonly string[], sentence: readonly string[]): boolean =>
  heading.some((first, at) =>
    sentence.every(
      (word, number) =>
        heading[at + number] === word ||
        (number === 0 && sentence.length > 1 && word.length >= STEM && first.startsWith(word.slice(0, STEM))),
    ),
  );

/** The space after a sentence, but not after an abbreviation, an initial or a "No.", which do not end one. */
const BETWEEN_SENTENCES = /(?<=[.!?…]["”]?)(?<!\b(?:Nos?|St|Dr|Mr|Mrs|Ms|Jr|Sr|Ft|Mt|\p{Lu})\.) /u;

/** Maximum number of characters of a text that are compared and shown. */
const COMPARED = 3_000;

/**
 * Returns a summary without the leading sentences that the heading repeats. Returns all of it if the rest would begin within a
 * sentence, unless that sentence continues where the heading was cut.
 */
export function summaryAfterTitle(summary: string, heading: string): string {
  const [whole, visible] = [summary, heading].map((text) => clipped(lineOf(text), COMPARED)) as [string, string];
  const beyond = beyondHeading(visible, whole);
  if (visible.endsWith(CUT) && beyond.overlap !== '' && beyond.rest !== '') return `… ${beyond.rest}`;
  const words = statedWords(visible);
  const sentences = whole.split(BETWEEN_SENTENCES);
  const isNew = (sentence: string): boolean => !hasSentence(words, statedWords(sentence));
  const first = sentences.findIndex(isNew);
  const rest = first < 0 ? '' : sentences.slice(first).join(' ');
  return rest === '' || /^["“]?[\p{Lu}\p{N}]/u.test(rest) ? rest : whole;
}

/** True if a title contains the words of a name side by side. False for a name without letters and digits. */
export function hasName(title: string, name: string): boolean {
  const [words, nameWords] = [title, name].map((text) => ` ${titleWords(text).join(' ')} `) as [string, string];
  return nameWords.trim() !== '' && words.includes(nameWords);
}

/** Minimum number of characters for an overlap that is not a coincidence. */
const OVERLAP = 20;
/** Matches the text after a whole word or number. */
const AFTER_WORD = /^[.,;:]*(?:\s|$)/;

/** Splits a quote into the part that the heading before it repeats and the rest. The heading might end in `…`. */
export function beyondHeading(heading: string, quote: string): { readonly overlap: string; readonly rest: string } {
  const visible = heading.endsWith(CUT) ? heading.slice(0, -CUT.length) : heading;
  if (visible.includes(quote)) return { overlap: quote, rest: '' };
  for (let start = 0; start === 0 || start <= visible.length - OVERLAP; start++) {
    const overlap = visible.slice(start);
    if (overlap === '' || !quote.startsWith(overlap) || !AFTER_WORD.test(quote.slice(overlap.length))) continue;
    const rest = quote.slice(overlap.length).replace(/^[\s.,;:]+/, '');
    return { overlap, rest: /[\p{L}\p{N}]/u.test(rest) ? rest : '' };
  }
  return { overlap: '', rest: quote };
}

interface HitTexts {
  readonly title: string;
  readonly summary: string;
  readonly evidenceQuote: string;
}

/** Returns the texts of a hit without repetition: marks the quote in the heading or summary, and returns the part that neither contains. */
export function hitTexts(
  { title, summary, evidenceQuote }: HitTexts,
  max: { readonly title: number; readonly summary: number },
) {
  const heading = headingOf(title, max.title);
  const further = summaryAfterTitle(summary, heading);
  const shownSummary = clipped(further, max.summary);
  const { overlap, rest } = beyondHeading(heading, wordsOfQuote(evidenceQuote));
  const saysMore = rest !== '' && !shownSummary.includes(rest);
  return {
    title: markedText(heading, [overlap]),
    summary:
      further === '' || (saysMore && cutAfter(rest, MAX_QUOTE).includes(wordsOfQuote(further)))
        ? null
        : markedText(shownSummary, [rest]),
    quote: saysMore ? quoteBeyond({ overlap, rest }, evidenceQuote) : null,
  };
}

/** Returns the marked part of the quote that the heading does not contain. */
export const quoteBeyond = ({ overlap, rest }: ReturnType<typeof beyondHeading>, quote: string): Html =>
  overlap === '' ? quoteInText(null, quote) : html`… ${quoteInText(null, `${rest}${quote.endsWith(CUT) ? CUT : ''}`)}`;
