import type { RecordData } from '../../domain/records/resources.ts';
import { wordsOf } from './words.ts';

export interface Phrase {
  readonly topic: RecordData<'topics'>;
  /** Number of words. */
  readonly length: number;
  /** Lower-case words with single spaces: the same for two keywords that differ in case or hyphens only. */
  readonly form: string;
  readonly negative: boolean;
}

export interface PhraseNode {
  readonly next: Map<string, PhraseNode>;
  readonly phrases: Phrase[];
}

/** The phrases of all active topics as one tree of words, so that a text is read once however many topics there are. */
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

/** Compiles the topics that are active for classification, ordered by id: the order in which they come changes nothing. */
export function compileTopics(topics: readonly RecordData<'topics'>[]): CompiledTopics {
  const active = topics.filter((topic) => topic.classificationActive).toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const root = emptyNode();
  for (const topic of active) {
    for (const keyword of topic.keywords) add(root, keyword, topic, false);
    for (const keyword of topic.negativeKeywords) add(root, keyword, topic, true);
  }
  return { topics: active, root };
}
