import { titleWords } from '../../../../domain/text/words.ts';
import type { Steps } from '../../../../domain/text/steps.ts';
import { derivedNumber } from '../../listed/listed-reader.ts';

interface NumberedTitle {
  readonly number: string | null;
  readonly title: string;
}

/** An item of an earlier version of the agenda, with the id of its row. */
export interface EarlierItem extends NumberedTitle {
  readonly itemId: number;
}

/** Maximum words of a title that are compared. */
const MAX_WORDS = 60;
/** Titles with fewer words are compared by pairs of letters. */
const FEW_WORDS = 5;
/** Minimum similarity of two titles of one item, with different numbers and with the same number. */
const SAME_ITEM = 0.8;
const SAME_ITEM_OF_NUMBER = 0.6;
/** Maximum number of remaining pairs that are compared. */
const MAX_PAIRS = 40_000;

interface Compared {
  readonly number: string | null;
  readonly words: readonly string[];
  readonly title: string;
}

function compared({ number, title }: NumberedTitle): Compared {
  const words = titleWords(title);
  return { number: number?.toLowerCase() ?? null, words: words.slice(0, MAX_WORDS), title: words.join(' ') };
}

const letterPairs = (text: string): readonly string[] =>
  Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2));

/** Share of the words, or pairs of letters, that two titles have in common, from 0 to 1. */
function likeness(one: Compared, other: Compared): number {
  const isShort = one.words.length < FEW_WORDS && other.words.length < FEW_WORDS;
  const [ofOne, ofOther] = [one, other].map(({ words }) => new Set(isShort ? words.flatMap(letterPairs) : words));
  return (2 * ofOne!.intersection(ofOther!).size) / Math.max(1, ofOne!.size + ofOther!.size);
}

/** Pairs the items of an agenda with those of its earlier version, each with at most one. */
class Pairing {
  /** Ids by index of the item. */
  readonly ids = new Map<number, number>();
  readonly #items: readonly Compared[];
  readonly #earlier: ReadonlyMap<number, Compared>;
  readonly #left: Set<number>;

  constructor(items: readonly NumberedTitle[], earlier: readonly EarlierItem[]) {
    this.#items = items.map(compared);
    this.#earlier = new Map(earlier.map((item) => [item.itemId, compared(item)]));
    this.#left = new Set(this.#earlier.keys());
  }

  #pair(index: number, itemId: number): void {
    this.ids.set(index, itemId);
    this.#left.delete(itemId);
  }

  #open(): readonly (readonly [number, Compared])[] {
    return [...this.#items.entries()].filter(([index]) => !this.ids.has(index));
  }

  /** Pairs items with an equal key, in the order of both agendas. */
  pairEqual(keyOf: (item: Compared) => string): void {
    const byKey = Map.groupBy(this.#left, (itemId) => keyOf(this.#earlier.get(itemId)!));
    for (const [index, item] of this.#open()) {
      const itemId = byKey.get(keyOf(item))?.shift();
      if (itemId !== undefined) this.#pair(index, itemId);
    }
  }

  /** Pairs items with similar titles, the most similar first. */
  *pairSimilar(): Steps<void> {
    const open = this.#open();
    const isBounded = open.length * this.#left.size <= MAX_PAIRS;
    const pairs: { readonly index: number; readonly itemId: number; readonly weight: number }[] = [];
    for (const [index, item] of open) {
      yield;
      for (const itemId of this.#left) {
        const other = this.#earlier.get(itemId)!;
        const isSameNumber = item.number !== null && item.number === other.number;
        if (!isBounded && !isSameNumber) continue;
        const weight = likeness(item, other);
        if (weight >= (isSameNumber ? SAME_ITEM_OF_NUMBER : SAME_ITEM)) pairs.push({ index, itemId, weight });
      }
    }
    for (const { index, itemId } of pairs.toSorted((left, right) => right.weight - left.weight))
      if (!this.ids.has(index) && this.#left.has(itemId)) this.#pair(index, itemId);
  }
}

/**
 * Returns an id for each item of an agenda. An item keeps the id of the earlier one with the same title, or with a
 * similar one, so that it stays the same record when it is renumbered or reworded.
 */
export function* itemIdsInSteps(
  eventId: number,
  items: readonly NumberedTitle[],
  earlier: readonly EarlierItem[],
): Steps<readonly number[]> {
  const pairing = new Pairing(items, earlier);
  pairing.pairEqual(({ number, title }) => JSON.stringify([number, title]));
  pairing.pairEqual(({ title }) => title);
  yield* pairing.pairSimilar();
  const usedIds = new Set(earlier.map(({ itemId }) => itemId));
  return items.map(({ number, title }, index) => {
    const pairedId = pairing.ids.get(index);
    if (pairedId !== undefined) return pairedId;
    for (let nth = 0; ; nth += 1) {
      const itemId = derivedNumber('agenda item', String(eventId), number ?? '', title, String(nth));
      if (usedIds.has(itemId)) continue;
      usedIds.add(itemId);
      return itemId;
    }
  });
}
