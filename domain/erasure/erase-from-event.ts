import { canonicalJson } from '../digests.ts';
import { contentErased, type ErasedText } from '../events/erasure-events.ts';
import type { EventMetadata, StoredEvent } from '../ports/event-log.ts';
import { isResource } from '../records/resources.ts';
import { category } from '../streams.ts';

/** A text in a JSON value. Keys of objects do not count as texts. */
export interface TextAt {
  readonly path: readonly string[];
  readonly text: string;
}

export function textsOf(value: unknown, path: readonly string[] = []): readonly TextAt[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, [...path, key]));
}

/** Returns the paths of the wanted keys of a JSON value. Keys cannot be erased. */
export function keysWith(
  value: unknown,
  isWanted: (key: string) => boolean,
  path: readonly string[] = [],
): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(!Array.isArray(value) && isWanted(key) ? [[...path, key]] : []),
    ...keysWith(inner, isWanted, [...path, key]),
  ]);
}

/** Formats a path as a JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Parses a JSON pointer; null if it is none, or points at the whole value. */
export function pathOf(pointer: string): readonly string[] | null {
  if (!/^(\/([^~]|~[01])*)+$/s.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/**
 * Returns the lengths, in code points, of the pieces that remain when each occurrence of `literal` is removed; null if
 * there is none.
 */
export function keepAround(text: string, literal: string): readonly number[] | null {
  const pieces = text.split(literal);
  return pieces.length === 1 ? null : pieces.map((piece) => Array.from(piece).length);
}

export const KEEP_NOTHING: readonly number[] = [0, 0];

/** Joins the remaining pieces with the replacement. All gaps had the same length of at least one character. */
export function cutText(text: string, keep: readonly number[], replacement: string): string {
  const characters = Array.from(text);
  const gaps = keep.length - 1;
  const gap = (characters.length - keep.reduce((sum, length) => sum + length, 0)) / gaps;
  if (!Number.isInteger(gap) || gap < 1) throw new Error('the text is not as long as the erasure says');
  let at = 0;
  return keep
    .map((length) => {
      const piece = characters.slice(at, at + length).join('');
      at += length + gap;
      return piece;
    })
    .join(replacement);
}

type Readable = Pick<StoredEvent, 'id' | 'stream' | 'data' | 'metadata'>;

/** Replaces texts in place. Throws if a path contains no such text. */
export function erasedValue<Data>(data: Data, texts: readonly ErasedText[], replacements: readonly string[]): Data {
  for (const { path, keep, with: nth } of texts) {
    const text = valueAt(data, path);
    const replacement = replacements[nth];
    if (typeof text !== 'string' || replacement === undefined) throw new Error(`there is no text at ${path.join('/')}`);
    const holder = valueAt(data, path.slice(0, -1)) as Record<string, unknown>;
    holder[path.at(-1)!] = cutText(text, keep, replacement);
  }
  return data;
}

/**
 * Writes data as JSON text. A record's `data` is canonical JSON, because writing a parsed value would put numeric keys
 * first.
 */
const writeData = (stream: string, value: unknown): string =>
  isResource(category(stream)) ? canonicalJson(value) : JSON.stringify(value);

/** Returns the number of the last erasure applied to an event's data; 0 for none. */
const countErasures = (metadata: string): number =>
  metadata.includes('"erasures"') ? ((JSON.parse(metadata) as EventMetadata).erasures ?? 0) : 0;

/** Returns the event after one more erasure, the `number`-th of the log. */
export const eraseFromEvent = <Event extends Readable>(
  event: Event,
  texts: readonly ErasedText[],
  replacements: readonly string[],
  number: number,
): Event => ({
  ...event,
  data: writeData(event.stream, erasedValue(JSON.parse(event.data), texts, replacements)),
  metadata: JSON.stringify({ ...(JSON.parse(event.metadata) as EventMetadata), erasures: number }),
});

interface Entry {
  readonly number: number;
  readonly texts: readonly ErasedText[];
  readonly replacements: readonly string[];
}

/** All erasures read so far, by the id of the event that they change, in order. */
export class ErasureOverlay {
  readonly #entries = new Map<string, Entry[]>();
  #revision = -1;

  /** Revision of the last known erasure, -1 before the first. */
  get revision(): number {
    return this.#revision;
  }

  add(stored: Pick<StoredEvent, 'revision' | 'data'>): void {
    if (stored.revision <= this.#revision) return;
    const { replacements, streams } = contentErased.parse(JSON.parse(stored.data));
    for (const { id, texts } of streams.flatMap(({ events }) => events)) {
      const entry = { number: stored.revision + 1, texts, replacements };
      const entries = this.#entries.get(id);
      if (entries === undefined) this.#entries.set(id, [entry]);
      else entries.push(entry);
    }
    this.#revision = stored.revision;
  }

  /** Returns the event with every erasure that its data does not reflect yet. */
  apply(event: StoredEvent): StoredEvent {
    const entries = this.#entries.get(event.id);
    if (entries === undefined) return event;
    const erasureCounts = countErasures(event.metadata);
    let erased = event;
    for (const { number, texts, replacements } of entries) {
      if (number > erasureCounts) erased = eraseFromEvent(erased, texts, replacements, number);
    }
    return erased;
  }
}
