import { readFileSync } from 'node:fs';
import { wordsOf, type Word } from './words.ts';

/** A place in a text at which a phrase of a group occurs. `start` and `end` count words. */
export interface Mention {
  readonly group: string;
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly next: Map<string, Node>;
  readonly groups: string[];
}

/** Phrases by group, as a tree of stems. */
export type Lexicon = Node;

/** Reads lines of the form `group: phrase, phrase`; a line that begins with # is a comment. */
export function parseLexicon(text: string): Lexicon {
  const root: Node = { next: new Map(), groups: [] };
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    const colon = line.indexOf(':');
    for (const phrase of line.slice(colon + 1).split(',')) addPhrase(root, line.slice(0, colon), phrase);
  }
  return root;
}

function addPhrase(root: Node, group: string, phrase: string): void {
  let node = root;
  for (const { stem } of wordsOf(phrase)) {
    const next = node.next.get(stem) ?? { next: new Map(), groups: [] };
    node.next.set(stem, next);
    node = next;
  }
  if (!node.groups.includes(group)) node.groups.push(group);
}

export const shippedLexicon = (): Lexicon =>
  parseLexicon(readFileSync(new URL('lexicon.txt', import.meta.url), 'utf8'));

/** Returns the longest phrase of each group at each word. */
export function mentionsOf(words: readonly Word[], lexicon: Lexicon): Mention[] {
  const mentions: Mention[] = [];
  for (let start = 0; start < words.length; start += 1) {
    const longest = new Map<string, number>();
    let node: Node | undefined = lexicon;
    for (let at = start; at < words.length && node !== undefined; at += 1) {
      node = node.next.get(words[at]!.stem);
      for (const group of node?.groups ?? []) longest.set(group, at + 1);
    }
    for (const [group, end] of longest) mentions.push({ group, start, end });
  }
  return mentions;
}
