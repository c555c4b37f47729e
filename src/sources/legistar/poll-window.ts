import { localDate, utcStamp } from './local-time.ts';
import type { EventRow } from './rows.ts';

const DAY = 86_400_000;

/** The source sets its stamps late or not at all when only an item changes, so a poll goes back this far behind the last good check. */
export const STAMP_LOOK_BACK = 7 * DAY;
/** Events dated within this many days before today, or later, are read at every poll whatever their stamps say. */
export const DATE_LOOK_BACK = 60 * DAY;
/** Up to this many events every poll reads them all: that costs little, and no stamp has to be believed. */
export const READ_ALL_UP_TO = 500;

export interface PollWindow {
  readonly now: number;
  /** Whether the operator named the window: then everything in it is read. */
  readonly named: boolean;
  /** Last successful check of the event's source, milliseconds; null when there was none. */
  lastSuccess(event: EventRow): number | null;
  isPublished(event: EventRow): boolean;
}

/** The listed events whose items must be read again. The list itself is always read whole, so that what vanished is seen. */
export const eventsToRead = (events: readonly EventRow[], window: PollWindow): readonly EventRow[] => {
  if (window.named || events.length <= READ_ALL_UP_TO) return events;
  const recent = new Date(window.now - DATE_LOOK_BACK).toISOString().slice(0, 10);
  return events.filter((event) => {
    const lastSuccess = window.lastSuccess(event);
    const stamp = utcStamp(event.EventLastModifiedUtc);
    const day = localDate(event.EventDate);
    return (
      lastSuccess === null ||
      stamp === null ||
      day === null ||
      day >= recent ||
      Date.parse(stamp) >= lastSuccess - STAMP_LOOK_BACK ||
      !window.isPublished(event)
    );
  });
};
