import { cutAfter, titleWords } from '../../../domain/words.ts';
import { clipped, CUT, type Html, html } from './html.ts';
import { markedText, MAX_QUOTE, quoteInText } from './marked-text.ts';

const lineOf = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** The title of an entry of a list. One that is little longer than `max` characters is not cut: a few words would be left. */
export function headingOf(title: string, max: number): string {
  const line = lineOf(title);
  return clipped(line, line.length <= 1.2 * max ? line.length : max);
}

/** A quote without the signs that the classifier cut it. */
export const wordsOfQuote = (quote: string): string => lineOf(quote).replace(/^… /, '').replace(/ …$/, '');

/** Letters that two forms of a verb share. */
const STEM = 4;

/** The words of a text, each number as one, without the words that a summary leaves out of a title. */
const statedWords = (text: string): readonly string[] =>
  titleWords(text.replaceAll(/\b(?:the )?execution of (?:an? )?|(?<=\d)[.,](?=\d)/gi, ''));

/** Whether the words of the sentence stand side by side in the heading; the first of several, which is often a verb, also in another form. */
const says = (heading: readonly string[], sentence: readonly string[]): boolean =>
  heading.some((first, at) =>
    sentence.every(
      (word, number) =>
        heading[at + number] === word ||
        (number === 0 && sentence.length > 1 && word.length >= STEM && first.startsWith(word.slice(0, STEM))),
    ),
  );

/** The space behind a sentence; none behind an abbreviation, an initial or a "No.", after which the same sentence goes on. */
const BETWEEN_SENTENCES = /(?<=[.!?…]["”]?)(?<!\b(?:Nos?|St|Dr|Mr|Mrs|Ms|Jr|Sr|Ft|Mt|\p{Lu})\.) /u;

/** Of longer texts only so many characters are compared and shown. */
const COMPARED = 3_000;

/**
 * What a summary says after the sentences at its beginning that the heading says too; all of it where that would begin within a
 * sentence, but for one that goes on where the heading was cut.
 */
export function summaryAfterTitle(summary: string, heading: string): string {
  const [whole, shown] = [summary, heading].map((text) => clipped(lineOf(text), COMPARED)) as [string, string];
  const beyond = beyondHeading(shown, whole);
  if (shown.endsWith(CUT) && beyond.said !== '' && beyond.rest !== '') return `… ${beyond.rest}`;
  const words = statedWords(shown);
  const sentences = whole.split(BETWEEN_SENTENCES);
  const isNew = (sentence: string): boolean => !says(words, statedWords(sentence));
  const first = sentences.findIndex(isNew);
  const rest = first < 0 ? '' : sentences.slice(first).join(' ');
  return rest === '' || /^["“]?[\p{Lu}\p{N}]/u.test(rest) ? rest : whole;
}

/** Whether a title has the words of a name side by side; not for a name without letters and digits. */
export function hasName(title: string, name: string): boolean {
  const [words, nameWords] = [title, name].map((text) => ` ${titleWords(text).join(' ')} `) as [string, string];
  return nameWords.trim() !== '' && words.includes(nameWords);
}

/** Characters that are no overlap of two texts by chance. */
const OVERLAP = 20;
/** What follows a whole word or number. */
const AFTER_WORD = /^[.,;:]*(?:\s|$)/;

/** What a quote has in common with the heading before it, which may end in `…`, and what it says beyond that. */
export function beyondHeading(heading: string, quote: string): { readonly said: string; readonly rest: string } {
  const shown = heading.endsWith(CUT) ? heading.slice(0, -CUT.length) : heading;
  if (shown.includes(quote)) return { said: quote, rest: '' };
  for (let start = 0; start === 0 || start <= shown.length - OVERLAP; start++) {
    const said = shown.slice(start);
    if (said === '' || !quote.startsWith(said) || !AFTER_WORD.test(quote.slice(said.length))) continue;
    const rest = quote.slice(said.length).replace(/^[\s.,;:]+/, '');
    return { said, rest: /[\p{L}\p{N}]/u.test(rest) ? rest : '' };
  }
  return { said: '', rest: quote };
}

interface HitTexts {
  readonly title: string;
  readonly summary: string;
  readonly evidenceQuote: string;
}

/** The texts of a hit, each statement once: the quote is marked where the heading or the summary has it, and stands apart as far as it says more. */
export function hitTexts({ title, summary, evidenceQuote }: HitTexts, max: { readonly title: number; readonly summary: number }) {
  const heading = headingOf(title, max.title);
  const further = summaryAfterTitle(summary, heading);
  const shownSummary = clipped(further, max.summary);
  const { said, rest } = beyondHeading(heading, wordsOfQuote(evidenceQuote));
  const saysMore = rest !== '' && !shownSummary.includes(rest);
  return {
    title: markedText(heading, [said]),
    summary:
      further === '' || (saysMore && cutAfter(rest, MAX_QUOTE).includes(wordsOfQuote(further))) ? null : markedText(shownSummary, [rest]),
    quote: saysMore ? quoteBeyond({ said, rest }, evidenceQuote) : null,
  };
}

/** The quote, marked, as far as it goes beyond a heading. */
export const quoteBeyond = ({ said, rest }: ReturnType<typeof beyondHeading>, quote: string): Html =>
  said === '' ? quoteInText(null, quote) : html`… ${quoteInText(null, `${rest}${quote.endsWith(CUT) ? CUT : ''}`)}`;
