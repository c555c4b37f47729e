import {
  type EventDetails,
  type AgendaReader,
  MAX_EVENT_ITEMS,
  RecordGone,
  SourceUnavailable,
} from '../../../domain/ports/source-ports.ts';
import { isAgendaPublished } from './publication.ts';
import type { EventRow } from './rows.ts';

interface EventContent {
  readonly items: readonly unknown[];
  readonly details: EventDetails | undefined;
}

/** Items and details of an event; null once the source confirms that the event is gone. Throws `SourceUnavailable`. */
export async function contentOf(reader: AgendaReader, event: EventRow): Promise<EventContent | null> {
  try {
    // Some clients refuse the items of a draft.
    const items = isAgendaPublished(event) ? await reader.eventItems(event.EventId) : [];
    if (items.length > MAX_EVENT_ITEMS) throw new SourceUnavailable(`it has more than ${MAX_EVENT_ITEMS} items`);
    return { items, details: await reader.details?.(event.EventId) };
  } catch (error) {
    if (!(error instanceof RecordGone)) throw error;
    return (await reader.event(event.EventId)) === null ? null : { items: [], details: undefined };
  }
}
