import { canonicalJson } from '../canonical-json.ts';
import type { ErasedText } from '../events/erasure-events.ts';
import type { EventMetadata, StoredEvent } from '../ports/event-log.ts';
import { isResource } from '../records/resources.ts';
import { category } from '../streams.ts';
import { CutMismatch, cutText } from './cut-text.ts';
import { putAt, valueAt } from './text-paths.ts';

type Readable = Pick<StoredEvent, 'id' | 'stream' | 'data' | 'metadata'>;

/** The data after texts of it were erased, as a value. Throws `CutMismatch` where a place holds no such text. */
export const erasedValue = (data: unknown, texts: readonly ErasedText[], replacements: readonly string[]): unknown => {
  for (const { path, keep, with: nth } of texts) {
    const text = valueAt(data, path);
    const replacement = replacements[nth];
    if (typeof text !== 'string' || replacement === undefined) throw new CutMismatch(`there is no text at ${path.join('/')}`);
    putAt(data, path, cutText(text, keep, replacement));
  }
  return data;
};

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
