import { addDigest, canonicalJson, digestText, recordDigest } from '../../domain/digests.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { positionOfCursor } from './positions.ts';

/** An item as received. */
export interface WireItem {
  readonly cursor: string;
  readonly resource: string;
  readonly operation: 'upsert' | 'remove';
  readonly recordId: string;
  readonly version: string;
  readonly changedAt: string;
  readonly data?: unknown;
}

/** The content of a record, shared by readers. */
export interface Content {
  readonly resource: string;
  readonly id: string;
  readonly canonical: string;
  digest?: string;
}

export interface PublishedItem {
  readonly position: number;
  /** The item without its cursor. */
  readonly text: string;
  readonly key: string;
  readonly resource: string;
  /** Null for a remove. */
  readonly content: Content | null;
}

/** The item at each position as its first reader got it: every later reader must get the same. */
export class PublishedFeed {
  readonly items = new Map<number, PublishedItem>();

  /** Throws when the position has been seen with other content. */
  see(item: WireItem): PublishedItem {
    const { cursor, ...rest } = item;
    const position = positionOfCursor(cursor);
    const text = JSON.stringify(rest);
    const published = this.items.get(position);
    if (published !== undefined) {
      if (published.text !== text) throw new Error(`position ${position} was ${published.text} and is now ${text}`);
      return published;
    }
    const key = `${item.resource} ${item.recordId}`;
    const content =
      item.operation === 'remove'
        ? null
        : { resource: item.resource, id: item.recordId, canonical: canonicalJson(item.data) };
    const entry = { position, text, key, resource: item.resource, content };
    this.items.set(position, entry);
    return entry;
  }

  /** The highest position below which nothing is missing. */
  get whole(): number {
    while (this.items.has(this.#whole + 1)) this.#whole += 1;
    return this.#whole;
  }
  #whole = 0;

  /** Records by `resource id` right after a position that is whole. */
  stateAt(position: number): Map<string, Content> {
    const state = new Map<string, Content>();
    for (let at = 1; at <= position; at += 1) {
      const { key, content } = this.items.get(at)!;
      if (content === null) state.delete(key);
      else state.set(key, content);
    }
    return state;
  }
}

/** State digests of records, by resource. */
export function digestsOf(state: ReadonlyMap<string, Content>): Readonly<Record<string, string>> {
  const sums = new Map<string, bigint>(RESOURCES.map((resource) => [resource, 0n]));
  for (const content of state.values()) {
    content.digest ??= recordDigest(content.resource, content.id, content.canonical);
    sums.set(content.resource, addDigest(sums.get(content.resource)!, content.digest));
  }
  return Object.fromEntries([...sums].map(([resource, sum]) => [resource, digestText(sum)]));
}
