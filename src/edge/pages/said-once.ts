import { titleWords } from '../../../domain/words.ts';
import { clipped, CUT, type Html, html } from './html.ts';
import { markedText, quoteInText } from './marked-text.ts';

const lineOf = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** The title of an entry of a list. One that is little longer than `max` characters is not cut: a few words would be left. */
export function headingOf(title: string, max: number): string {
  const line = lineOf(title);
  return line.length <= 1.2 * max ? line : clipped(line, max);
}

/** A quote without the signs that the classifier cut it. */
export const wordsOfQuote = (quote: string): string => lineOf(quote).replace(/^… /, '').replace(/ …$/, '');

/** Letters that two forms of a verb share. */
const STEM = 4;

/** Whether the title has all words of the sentence in their order; the first one, which is often a verb, also in another form. */
function says(title: readonly string[], sentence: readonly string[]): boolean {
  let at = 0;
  return sentence.every((word, number) => {
    const isForm = (other: string): boolean =>
      other === word || (number === 0 && word.length >= STEM && other.startsWith(word.slice(0, STEM)));
    const found = title.findIndex((other, place) => place >= at && isForm(other));
    at = found + 1;
    return found >= 0;
  });
}

/** What a summary says after the sentences at its beginning that the title says too; all of it where that would begin within a sentence. */
export function summaryAfterTitle(summary: string, title: string): string {
  const [whole, words] = [lineOf(summary), titleWords(title)];
  const sentences = whole.split(/(?<=[.!?…]["”]?) /);
  const isNew = (sentence: string): boolean => !says(words, titleWords(sentence));
  const first = sentences.findIndex(isNew);
  const rest = first < 0 ? '' : sentences.slice(first).join(' ');
  return rest === '' || /^["“(]?[\p{Lu}\p{N}]/u.test(rest) ? rest : whole;
}

/** Characters that are no overlap of two texts by chance. */
const OVERLAP = 20;

/** What a quote has in common with the heading before it, which may end in `…`, and what it says beyond that. */
export function beyondHeading(heading: string, quote: string): { readonly said: string; readonly rest: string } {
  const shown = heading.endsWith(CUT) ? heading.slice(0, -CUT.length) : heading;
  if (shown.includes(quote)) return { said: quote, rest: '' };
  for (let start = 0; start === 0 || start <= shown.length - OVERLAP; start++) {
    const said = shown.slice(start);
    if (said === '' || !quote.startsWith(said)) continue;
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
  const further = summaryAfterTitle(summary, title);
  const shownSummary = clipped(further, max.summary);
  const { said, rest } = beyondHeading(heading, wordsOfQuote(evidenceQuote));
  const saysMore = rest !== '' && !shownSummary.includes(rest);
  return {
    title: markedText(heading, [said]),
    summary: further === '' || (saysMore && rest.includes(further)) ? null : markedText(shownSummary, [rest]),
    quote: saysMore ? quoteBeyond({ said, rest }, evidenceQuote) : null,
  };
}

/** The quote, marked, as far as it goes beyond a heading. */
export const quoteBeyond = ({ said, rest }: ReturnType<typeof beyondHeading>, quote: string): Html =>
  said === '' ? quoteInText(null, quote) : html`… ${quoteInText(null, `${rest}${quote.endsWith(CUT) ? CUT : ''}`)}`;
