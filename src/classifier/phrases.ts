import type { RecordData } from '../../domain/records/resources.ts';

interface Phrase {
  readonly topic: RecordData<'topics'>;
  /** Number of words. */
  readonly length: number;
  /** Lower-case words with single spaces: the same for two keywords that differ in case or hyphens only. */
  readonly form: string;
  readonly negative: boolean;
}

interface PhraseNode {
  readonly next: Map<string, PhraseNode>;
  readonly phrases: Phrase[];
}

/** The phrases of all active topics as one tree of words, so that a text is read once for all topics. */
export interface CompiledTopics {
  readonly topics: readonly RecordData<'topics'>[];
  readonly root: PhraseNode;
}

const emptyNode = (): PhraseNode => ({ next: new Map(), phrases: [] });

function add(root: PhraseNode, keyword: string, topic: RecordData<'topics'>, negative: boolean): void {
  const forms = wordsOf(keyword).map((word) => word.form);
  if (forms.length === 0) return;
  let node = root;
  for (const form of forms) {
    const next = node.next.get(form) ?? emptyNode();
    node.next.set(form, next);
    node = next;
  }
  const form = forms.join(' ');
  if (node.phrases.some((phrase) => phrase.topic.id === topic.id && phrase.negative === negative)) return;
  node.phrases.push({ topic, length: forms.length, form, negative });
}

/**
 * Compiles the topics that are active for classification, ordered by id: the order in which they come changes nothing.
 */
export function compileTopics(topics: readonly RecordData<'topics'>[]): CompiledTopics {
  const active = topics
    .filter((topic) => topic.classificationActive)
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const root = emptyNode();
  for (const topic of active) {
    for (const keyword of topic.keywords) add(root, keyword, topic, false);
    for (const keyword of topic.negativeKeywords) add(root, keyword, topic, true);
  }
  return { topics: active, root };
}

interface Word {
  readonly form: string;
  readonly start: number;
  readonly end: number;
}

const WORD = /\d{1,3}(?:,\d{3})+(?![\p{L}\p{N}])|[\p{L}\p{N}]+/gu;

/**
 * Returns the words of a text in order. Characters other than letters and digits separate them: `short-term` is two
 * words, `217,911` is one.
 */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    form: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

/** Matches the text between two words of one phrase. */
const JOINT = /^(?:\s+|\s*&\s*|[-‐‑/'’.])$/;
const joined = (text: string, left: Word, right: Word): boolean => JOINT.test(text.slice(left.end, right.start));

/** Returns the possible singular forms of a word, after the word itself. */
function singularForms(form: string): string[] {
  if (!form.endsWith('s') || form.length < 4) return [form];
  const forms = [form, form.slice(0, -1)];
  if (form.endsWith('ies')) forms.push(`${form.slice(0, -3)}y`);
  else if (/(?:[sxz]|[cs]h)es$/.test(form)) forms.push(form.slice(0, -2));
  return forms;
}

export interface Occurrence {
  readonly phrase: Phrase;
  readonly start: number;
  readonly end: number;
}

function collect(matches: Occurrence[], text: string, words: readonly Word[], from: number, root: PhraseNode): void {
  let node: PhraseNode | undefined = root;
  for (let at = from; at < words.length && node !== undefined; at += 1) {
    const { next }: PhraseNode = node;
    const word = words[at]!;
    if (at > from && !joined(text, words[at - 1]!, word)) return;
    const nodes = singularForms(word.form).flatMap((form) => next.get(form) ?? []);
    if (nodes.length === 0) return;
    const phrases = new Set(nodes.flatMap(({ phrases: ending }) => ending));
    matches.push(...[...phrases].map((phrase) => ({ phrase, start: words[from]!.start, end: word.end })));
    node = next.get(word.form);
  }
}

/**
 * Returns the occurrences of phrases, ordered by their start: whole words in any case, the last one also in the plural.
 * They can overlap.
 */
export function findPhrases(text: string, topics: CompiledTopics): Occurrence[] {
  const words = wordsOf(text);
  const matches: Occurrence[] = [];
  for (let from = 0; from < words.length; from += 1) collect(matches, text, words, from, topics.root);
  return matches;
}
