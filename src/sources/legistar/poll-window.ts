import type { EventRow } from './rows.ts';
import { localDate, utcStamp } from './values.ts';
import { DAY_MS } from '../../../domain/durations.ts';

/** A poll reads events modified since the last good check and this long before it: the source sets stamps late, or not at all when only an item changes. */
const STAMP_LOOK_BACK = 7 * DAY_MS;
/** Events dated within this time before today, or later, are read at every poll. */
const DATE_LOOK_BACK = 60 * DAY_MS;
/** Up to this number of events, every poll reads them all and uses no stamp. */
export const READ_ALL_UP_TO = 500;

interface PollWindow {
  readonly now: number;
  /** Whether the operator gave the window: then all of it is read. */
  readonly named: boolean;
  /** Whether the platform states of no event when it was modified. */
  readonly isUnstamped: boolean;
  /** Last successful check of the event's source, milliseconds; null when there was none. */
  lastSuccess(event: EventRow): number | null;
  isPublished(event: EventRow): boolean;
}

/** The listed events whose items must be read again. The list itself is always read whole, so that vanished events are found. */
export function eventsToRead(events: readonly EventRow[], window: PollWindow): readonly EventRow[] {
  if (window.named || (events.length <= READ_ALL_UP_TO && !window.isUnstamped)) return events;
  const recent = new Date(window.now - DATE_LOOK_BACK).toISOString().slice(0, 10);
  return events.filter((event) => {
    const lastSuccess = window.lastSuccess(event);
    const stamp = utcStamp(event.EventLastModifiedUtc);
    const day = localDate(event.EventDate);
    return (
      lastSuccess === null ||
      day === null ||
      day >= recent ||
      (stamp === null ? !window.isUnstamped : Date.parse(stamp) >= lastSuccess - STAMP_LOOK_BACK) ||
      !window.isPublished(event)
    );
  });
}
