import { anyPhrase, anyWord, pattern } from '../../../domain/text/patterns.ts';
import { type Lexicon, type Mention, mentionsOf } from './lexicon.ts';
import { wordsOf, type Word } from './words.ts';

/** Texts of an item from which topics are read. Absent texts are empty. */
export interface TopicTexts {
  readonly title: string;
  /** Text of the item, or the action that its source proposes. */
  readonly text: string;
  /** Type of the matter at its source. */
  readonly matterType: string;
  readonly bodyName: string;
  /** Confidence of the keywords of each topic, by slug, from 0 to 100. */
  readonly keywords: ReadonlyMap<string, number>;
}

/** Values by feature: `zoning.strong:any` for phrases of the lexicon, `w:plat` for words of the title. */
export type Features = ReadonlyMap<string, number>;

/** Number of words in which a title names its matter. */
const LEAD_WORDS = 12;
const READ_WORDS = 120;
/** Characters of a text that are read. */
const READ_LENGTH = 1_500;
/** A title with fewer words, such as "Case 12", names no matter: the text of its item is read in its place. */
const NAMING_WORDS = 4;
/** Value of a word in a title of `LEAD_WORDS`; words of longer titles count less. */
const WORD_VALUE = 0.7;
const PHRASE_VALUE = 0.6;
const SHORT_TITLE = 5;
const LONG_TITLE = 60;
/** Confidence of keywords from which they alone make a hit. */
const KEYWORD_HIT = 65;

/** Labels of sentences on how an item is paid or was reviewed: "Funding: $200 is available in …". */
const SIDE_LABELS = [
  'funding',
  'financing',
  'fiscal impact',
  'source of funds',
  'budget impact',
  'ceqa',
  'ceqa status',
  'staff contact',
  'note',
];
const SIDE_SENTENCE = new RegExp(`(?<![\\p{L}\\d])(?:${SIDE_LABELS.join('|')})\\s*[:–-].*?(?=[.;] \\p{Lu}|$)`, 'giu');
/** Matches "from the Water Capital Construction Fund". */
const PAYING_FUND = pattern(
  'gi',
  String.raw`\b${anyWord('from in through under using')} (?:the )?`,
  String.raw`(?:[\w’'&/-]+ ){0,7}?${anyWord('funds? budget accounts?')}\b`,
);
/** Matches what ends ordinances of every subject: "; providing a severability clause …". */
const CLOSING_CLAUSES = new RegExp(
  `[;,] (?:and )?${anyPhrase('providing, repealing, containing, establishing an effective, including a severability')}.*$`,
  'is',
);
const FORMULA = /\btake (?:any |all )?(?:necessary |appropriate )+action\b/gi;
const CLOSING_FROM = 60;

const blank = (clause: string): string => ' '.repeat(clause.length);

/** Returns a text of the same length in which clauses on its payment and review are spaces. */
export const withoutSides = (text: string): string =>
  [SIDE_SENTENCE, PAYING_FUND, FORMULA].reduce((rest, pattern) => rest.replace(pattern, blank), text);

/** Returns a title of the same length in which clauses that name no matter are spaces. */
export function matterOf(whole: string): string {
  const title = whole.slice(0, READ_LENGTH);
  return withoutSides(title.slice(0, CLOSING_FROM) + title.slice(CLOSING_FROM).replace(CLOSING_CLAUSES, blank));
}

/** Returns the words of a title that can name its matter, with their places in the title. */
export const matterWords = (title: string): Word[] => wordsOf(matterOf(title)).slice(0, READ_WORDS);

function addMentions(features: Map<string, number>, words: readonly Word[], mentions: readonly Mention[]): void {
  const counts = new Map<string, number>();
  for (const { group, start, end } of mentions) {
    features.set(`${group}:any`, 1);
    features.set(`${group}:${start < LEAD_WORDS ? 'lead' : 'rest'}`, 1);
    if (end - start > 1) features.set(`${group}:multi`, 1);
    features.set(phraseFeature({ group, start, end }, words), PHRASE_VALUE);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  addStanding(features, mentions);
  for (const [group, count] of counts) if (count > 1) features.set(`${group}:more`, Math.min(1, (count - 1) / 2));
}

/** Adds for each topic with strong phrases if it comes first, and how many others have some. */
function addStanding(features: Map<string, number>, mentions: readonly Mention[]): void {
  const strong = mentions.flatMap(({ group, start }) => {
    const [topic, strength] = group.split('.');
    return strength === 'strong' || strength === 'sure' ? [{ topic: topic!, start }] : [];
  });
  const topics = new Set(strong.map(({ topic }) => topic));
  const leading = new Set(strong.filter(({ start }) => start < LEAD_WORDS).map(({ topic }) => topic));
  for (const topic of topics) {
    features.set(`${topic}.strong:share`, 1 / topics.size);
    if (topics.size === 1) features.set(`${topic}.strong:alone`, 1);
    if (leading.size === 1 && leading.has(topic)) features.set(`${topic}.strong:leads`, 1);
    if (topic === strong[0]!.topic) features.set(`${topic}.strong:first`, 1);
  }
}

/** Returns the feature of one phrase of the lexicon: `p:zoning.strong|planned development`. */
export const phraseFeature = ({ group, start, end }: Mention, words: readonly Word[]): string =>
  `p:${group}|${words
    .slice(start, end)
    .map(({ stem }) => stem)
    .join(' ')}`;

function addWords(features: Map<string, number>, words: readonly Word[]): void {
  const value = WORD_VALUE / Math.max(1, Math.sqrt(words.length / LEAD_WORDS));
  for (const [at, { stem }] of words.entries()) {
    features.set(`w:${stem}`, value);
    if (at < LEAD_WORDS) features.set(`l:${stem}`, value);
    if (at > 0) features.set(`b:${words[at - 1]!.stem} ${stem}`, value);
  }
}

function addSideText(features: Map<string, number>, text: string, { name, value, lexicon }: SideText): void {
  for (const { group } of mentionsOf(wordsOf(text.slice(0, READ_LENGTH)).slice(0, READ_WORDS), lexicon))
    features.set(`${group}:${name}`, value);
}

function addKeywords(features: Map<string, number>, keywords: TopicTexts['keywords']): void {
  for (const [slug, confidence] of keywords) {
    features.set(`k:${slug}`, confidence / 100);
    if (confidence >= KEYWORD_HIT) features.set(`K:${slug}`, 1);
  }
}

interface SideText {
  readonly name: 'text' | 'type' | 'body';
  readonly value: number;
  readonly lexicon: Lexicon;
}

/** Returns the features of an item, the same for the same texts. */
export function featuresOf(texts: TopicTexts, lexicon: Lexicon): Features {
  const titled = matterWords(texts.title);
  const words = titled.length < NAMING_WORDS ? matterWords(`${texts.title} ${texts.text || texts.matterType}`) : titled;
  const features = new Map<string, number>([['bias', 1]]);
  addMentions(features, words, mentionsOf(words, lexicon));
  addSideText(features, texts.text, { name: 'text', value: 0.4, lexicon });
  addSideText(features, texts.matterType, { name: 'type', value: 1, lexicon });
  addSideText(features, texts.bodyName, { name: 'body', value: 0.5, lexicon });
  addWords(features, words);
  addKeywords(features, texts.keywords);
  if (words.length < SHORT_TITLE) features.set('short', 1);
  features.set('length', Math.min(LONG_TITLE, words.length) / LONG_TITLE);
  return features;
}
