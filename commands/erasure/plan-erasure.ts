import { createHash } from 'node:crypto';
import { lostFactPaths } from '../../domain/agenda/item-facts.ts';
import { canonicalJson } from '../../domain/digests.ts';
import {
  erasedValue,
  KEEP_NOTHING,
  keepAround,
  pointerOf,
  textsOf,
  valueAt,
} from '../../domain/erasure/erase-from-event.ts';
import { isErasable, refusedAsData } from '../../domain/erasure/erasable.ts';
import type { ErasedText } from '../../domain/events/erasure-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { category } from '../../domain/streams.ts';

/** Text to erase, and its replacement: the whole text at a path, or a literal everywhere or at one path. */
export interface Erasing {
  readonly path: readonly string[] | null;
  readonly literal: string | null;
  readonly replacement: string;
}

/** An event with texts to erase. `texts` refer to `replacements` by index. */
export interface PlannedEvent {
  readonly stored: StoredEvent;
  readonly texts: readonly ErasedText[];
  readonly replacements: readonly string[];
}

const samePath = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((key, nth) => key === other[nth]);

function computeKeep({ literal, replacement }: Erasing, text: string): readonly number[] | null {
  if (literal !== null) return keepAround(text, literal);
  return text === replacement ? null : KEEP_NOTHING;
}

/**
 * Replaces the hash of a repeated submission, which covers its input: with the old hash, a guess of the erased text
 * could be verified.
 */
function withHash(event: StoredEvent, texts: readonly ErasedText[], replacement: string): Omit<PlannedEvent, 'stored'> {
  const data = erasedValue(JSON.parse(event.data), texts, [replacement]) as { readonly input: unknown };
  const inputHash = createHash('sha256').update(canonicalJson(data.input)).digest('hex');
  return {
    texts: [...texts, { path: ['inputHash'], keep: [...KEEP_NOTHING], with: 1 }],
    replacements: [replacement, inputHash],
  };
}

/** Adds the texts of facts that quote an erased part of the item together with words around it. */
function withLostFacts(
  { stream, data }: StoredEvent,
  texts: readonly ErasedText[],
  replacement: string,
): readonly ErasedText[] {
  if (category(stream) !== 'agenda_items') return texts;
  const erased = erasedValue(JSON.parse(data) as RecordData<'agenda_items'>, texts, [replacement]);
  const lost = lostFactPaths(erased);
  return [
    ...texts.filter(({ path }) => !lost.some((each) => samePath(each, path))),
    ...lost.map((path) => ({ path: [...path], keep: [...KEEP_NOTHING], with: 0 })),
  ];
}

/**
 * Plans the erasure of one event; null if the event does not change. Throws a `Rejection` if a text must not be erased
 * or the rest would not be a valid event.
 */
export function planEvent(stored: StoredEvent, erasing: Erasing): PlannedEvent | null {
  if (erasing.literal !== null && !mayHold(stored.data, erasing.literal)) return null;
  const data: unknown = JSON.parse(stored.data);
  const { path } = erasing;
  const at = `version ${stored.revision + 1} of ${stored.stream}`;
  if (path !== null && erasing.literal === null) {
    const value = valueAt(data, path);
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw new Rejection('invalid_parameter', `${pointerOf(path)} of ${at} is no text; only texts can be erased`);
  }
  const texts: ErasedText[] = [];
  for (const text of textsOf(data)) {
    if (path !== null && !samePath(path, text.path)) continue;
    const keep = computeKeep(erasing, text.text);
    if (keep === null) continue;
    if (!isErasable(stored.type, text)) {
      throw new Rejection(
        'invalid_parameter',
        `${pointerOf(text.path)} of ${at} must not be erased: records are identified or found by it; allowed are ${listErasablePlaces(stored.type, data)}`,
      );
    }
    texts.push({ path: [...text.path], keep: [...keep], with: 0 });
  }
  if (texts.length === 0) return null;
  const planned =
    stored.type === 'DataReportSubmitted'
      ? withHash(stored, texts, erasing.replacement)
      : { texts: withLostFacts(stored, texts, erasing.replacement), replacements: [erasing.replacement] };
  const rest = erasedValue(data, planned.texts, planned.replacements) as Record<string, unknown>;
  const refusal = refusedAsData(stored.stream, stored.type, rest);
  if (refusal !== null)
    throw new Rejection('invalid_parameter', `${at} would not be allowed: ${refusal}; choose another --with`);
  return { stored, ...planned };
}

/** Searches the JSON text, which is cheaper than parsing it: most characters are not escaped. */
const mayHold = (data: string, literal: string): boolean =>
  data.includes(JSON.stringify(literal).slice(1, -1)) || data.includes('\\u');

function listErasablePlaces(type: string, data: unknown): string {
  const texts = textsOf(data).filter((text) => isErasable(type, text));
  return texts.length === 0 ? 'none here' : texts.map(({ path }) => pointerOf(path)).join(', ');
}
