import { cutAfter } from '../../domain/text/words.ts';
import type { ReadWords } from './question/read-question.ts';
import type { NearWord } from './search-units.ts';

interface GuidanceFacts {
  readonly found: number;
  readonly hasMore: boolean;
  readonly candidateLimitReached: boolean;
  /** True if no word of the query can be searched. */
  readonly wordless: boolean;
  /** The jurisdiction is known and has no body. */
  readonly uncovered: boolean;
  readonly unknownFilters: readonly ('jurisdictionSlug' | 'topicSlug')[];
  /** Words that no record has, each with the nearest. */
  readonly near: ReadonlyMap<string, NearWord | null>;
  readonly leniency: number;
  /** Number of different words and phrases of the query; 0 for a query with OR or minus. */
  readonly words: number;
  readonly continued: boolean;
  /** Words that were read as filters. */
  readonly filters: readonly ReadWords[];
  /** Words whose meaning comes first, and whose plain words follow. */
  readonly preferred: readonly ReadWords[];
  /** True if items match that these filters left out. */
  readonly isBeyondFilters: boolean;
  /** True if a place was named and no item is of its bodies. */
  readonly isElsewhere: boolean;
}

const quoted = (word: string): string => `"${word}"`;
const asRead = (read: readonly ReadWords[]): string =>
  read.map(({ words, meaning }) => `${quoted(words)} as ${meaning}`).join('; ');

/** A search for this many words or more with few results proposes fewer words. */
const [MANY_WORDS, FEW_RESULTS] = [3, 3];

const OUTSIDE =
  ' Items outside them match: leave out the words that were read as filters, or put them in quotation marks.';
const EMPTY =
  'An empty result does not prove that no government activity occurred. Try fewer or other words or wider filters; get_coverage says which sources are read and when, and report_missing_data reports a public record that should be here.';

/** A sentence or two per condition. Ends with what holds for every record. */
export function searchGuidance(facts: GuidanceFacts): string {
  const sentences: string[] = [];
  if (facts.filters.length > 0)
    sentences.push(`Filters were read in the query: ${asRead(facts.filters)}. Quotation marks make them plain words.`);
  if (facts.preferred.length > 0)
    sentences.push(`Read ${asRead(facts.preferred)}: items of that kind come first, then items that have the words.`);
  if (facts.isElsewhere) sentences.push('No item of this place matches; these items are of other places.');
  if (facts.wordless)
    sentences.push(
      'The query has no word that can be searched: give words of the title or the text, other than "the" or "of".',
    );
  if (facts.uncovered)
    sentences.push('No body of this jurisdiction is covered yet: get_coverage lists the jurisdictions that are.');
  for (const filter of facts.unknownFilters)
    sentences.push(`No ${filter === 'topicSlug' ? 'topic' : 'jurisdiction'} with this ${filter} is known.`);
  for (const [word, near] of facts.near) {
    const searched =
      near === null
        ? ''
        : near.isSlip
          ? `; searched for ${quoted(near.word)} instead`
          : `; ${quoted(near.word)}, which is near, was not searched`;
    sentences.push(`No record has the word ${quoted(word)}${searched}.`);
  }
  if (facts.leniency > 0 && facts.found > 0) {
    sentences.push('No item has all of these words; these have some of them, those with the rarer words first.');
  }
  const isWhole = facts.found > 0 && !facts.hasMore && !facts.continued;
  if (isWhole && facts.leniency === 0 && facts.words >= MANY_WORDS && facts.found <= FEW_RESULTS) {
    sentences.push('All of these words were required: a search with fewer words may find more.');
  }
  if (facts.found === 0)
    sentences.push(
      facts.continued
        ? 'There are no further results.'
        : facts.filters.length > 0
          ? `No agenda item matches within these filters.${facts.isBeyondFilters ? OUTSIDE : ''}`
          : 'No agenda item matches.',
      EMPTY,
    );
  if (facts.hasMore) sentences.push('There are more results: repeat the search with nextCursor as cursor.');
  if (facts.candidateLimitReached) {
    sentences.push(
      'More than 1,000 items match and only the latest 1,000 of them were ranked: narrow the search with more words, a place, a topic or dates.',
    );
  }
  if (facts.found > 0) sentences.push('Follow sourceUrl to the public record before relying on a result.');
  return sentences.join(' ');
}

const MAX_LENGTH = 300;
const SEEN = 40;

/** A part of a text, empty if a long text has no word, and how that text begins and ends. */
interface Stretch {
  readonly part: string;
  readonly beginning: string;
  readonly end: string;
}

/**
 * Plain text on one line, at most 300 characters, with an ellipsis at each end that is not the text's own. No character
 * is split.
 */
export function excerptOf({ part, beginning, end }: Stretch): string {
  const line = oneLine(part) || oneLine(beginning);
  const excerpt = cutAfter(line, MAX_LENGTH);
  const before = oneLine(beginning).startsWith(line.slice(0, SEEN)) ? '' : '… ';
  const after = part !== '' && excerpt.length === line.length && oneLine(end).endsWith(line.slice(-SEEN)) ? '' : ' …';
  return `${before}${excerpt}${after}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
