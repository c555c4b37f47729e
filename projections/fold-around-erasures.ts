import { CONTENT_ERASED, type ContentErased, contentErased } from '../domain/events/erasure-events.ts';
import type { StoredEvent } from '../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../domain/ports/projection.ts';
import { category } from '../domain/streams.ts';

export interface Erasure {
  readonly event: StoredEvent;
  /** Number of the erasure among all erasures, from 1. */
  readonly number: number;
  readonly data: ContentErased;
}

/** Folds the events between two erasures together, each erasure alone. */
export function foldAroundErasures(
  foldEvents: Projection['fold'],
  foldErasure: (erasure: Erasure, context: FoldContext) => Promise<void>,
): Projection['fold'] {
  return async (batch, context) => {
    let from = 0;
    for (const [index, event] of batch.entries()) {
      if (event.type !== CONTENT_ERASED) continue;
      if (index > from) await foldEvents(batch.slice(from, index), context);
      await foldErasure(
        { event, number: event.revision + 1, data: contentErased.parse(JSON.parse(event.data)) },
        context,
      );
      from = index + 1;
    }
    if (from < batch.length) await foldEvents(batch.slice(from), context);
  };
}

/** Reads, in pages, the current form of the events that an erasure names, on streams of some categories. */
export async function* erasedEvents(
  { event, data }: Erasure,
  { reread }: FoldContext,
  isWanted: (category: string) => boolean,
): AsyncGenerator<readonly StoredEvent[]> {
  for (const { stream, events } of data.streams) {
    if (!isWanted(category(stream))) continue;
    const revisions = new Set(events.map(({ revision }) => revision));
    for await (const page of reread(stream, event.position)) {
      const erased = page.filter(({ revision }) => revisions.has(revision));
      if (erased.length > 0) yield erased;
    }
  }
}
