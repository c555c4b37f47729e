import type { CompiledTopics, Phrase, PhraseNode } from './compile-topics.ts';
import { joined, singularForms, type Word, wordsOf } from './words.ts';

/** A phrase at a place in a text. */
export interface Occurrence {
  readonly phrase: Phrase;
  readonly start: number;
  readonly end: number;
}

function collect(found: Occurrence[], text: string, words: readonly Word[], from: number, root: PhraseNode): void {
  let node = root;
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] as Word;
    if (at > from && !joined(text, words[at - 1] as Word, word)) return;
    const seen = new Set<Phrase>();
    for (const form of singularForms(word.form)) {
      for (const phrase of node.next.get(form)?.phrases ?? []) {
        if (!seen.has(phrase)) found.push({ phrase, start: (words[from] as Word).start, end: word.end });
        seen.add(phrase);
      }
    }
    const next = node.next.get(word.form);
    if (next === undefined) return;
    node = next;
  }
}

/**
 * Every occurrence of every phrase, whole words only and in any case; the last word may be in the plural. Occurrences may overlap, and
 * they come in the order in which they begin.
 */
export function findPhrases(text: string, topics: CompiledTopics): Occurrence[] {
  const words = wordsOf(text);
  const found: Occurrence[] = [];
  for (let from = 0; from < words.length; from += 1) collect(found, text, words, from, topics.root);
  return found;
}
