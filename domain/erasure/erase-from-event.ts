import { canonicalJson } from '../canonical-json.ts';
import type { ErasedText } from '../events/erasure-events.ts';
import type { EventMetadata, StoredEvent } from '../ports/event-log.ts';
import { isResource } from '../records/resources.ts';
import { category } from '../streams.ts';
import { putAt, valueAt } from './text-paths.ts';

export class CutMismatch extends Error {
  override readonly name = 'CutMismatch';
}

/** The lengths, in code points, of what stays of a text when each occurrence of `literal` goes; null where there is none. */
export function keepAround(text: string, literal: string): readonly number[] | null {
  const pieces = text.split(literal);
  return pieces.length === 1 ? null : pieces.map((piece) => Array.from(piece).length);
}

export const KEEP_NOTHING: readonly number[] = [0, 0];

/** The pieces that stay, joined by what stands between them now. All gaps were of one length, at least one character. */
export function cutText(text: string, keep: readonly number[], replacement: string): string {
  const characters = Array.from(text);
  const gaps = keep.length - 1;
  const gap = (characters.length - keep.reduce((sum, length) => sum + length, 0)) / gaps;
  if (!Number.isInteger(gap) || gap < 1) throw new CutMismatch('the text is not as long as the erasure says');
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

/** The data after texts of it were erased, as a value. Throws `CutMismatch` where a place holds no such text. */
export function erasedValue(data: unknown, texts: readonly ErasedText[], replacements: readonly string[]): unknown {
  for (const { path, keep, with: nth } of texts) {
    const text = valueAt(data, path);
    const replacement = replacements[nth];
    if (typeof text !== 'string' || replacement === undefined) throw new CutMismatch(`there is no text at ${path.join('/')}`);
    putAt(data, path, cutText(text, keep, replacement));
  }
  return data;
}

/** A record's `data` is canonical JSON, which parsing and writing alone would not keep: keys that are numbers would come first. */
const written = (stream: string, value: unknown): string => (isResource(category(stream)) ? canonicalJson(value) : JSON.stringify(value));

/** Which erasure an event's data reads as after; 0 for none. */
export const erasuresOf = (metadata: string): number =>
  metadata.includes('"erasures"') ? ((JSON.parse(metadata) as EventMetadata).erasures ?? 0) : 0;

/** The event as it reads after one more erasure, the `number`-th of the log. */
export const eraseFromEvent = <Event extends Readable>(
  event: Event,
  texts: readonly ErasedText[],
  replacements: readonly string[],
  number: number,
): Event => ({
  ...event,
  data: written(event.stream, erasedValue(JSON.parse(event.data), texts, replacements)),
  metadata: JSON.stringify({ ...(JSON.parse(event.metadata) as EventMetadata), erasures: number }),
});
