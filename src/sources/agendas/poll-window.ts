import type { EventRow } from './rows.ts';
import { localDate, utcStamp } from './values.ts';
import { DAY_MS } from '../../../domain/durations.ts';
import { mapInSteps, type Steps } from '../../../domain/text/steps.ts';

/**
 * A poll also reads events that were modified this long before the last successful check: the source updates time
 * stamps late, or not at all if only an item changes.
 */
export const STAMP_LOOK_BACK = 7 * DAY_MS;
/** Events dated within this time before today, or later, are read at every poll. */
const DATE_LOOK_BACK = 60 * DAY_MS;
/** Maximum number of events that every poll reads completely, without stamps. */
export const READ_ALL_UP_TO = 500;

interface PollWindow {
  readonly now: number;
  /** True if the operator set the window: then all of it is read. */
  readonly named: boolean;
  /** True if the platform never states when an event was modified. */
  readonly isUnstamped: boolean;
  /** Last successful check of the event's source by the current rules, milliseconds; null when there was none. */
  lastSuccess(event: EventRow): number | null;
  /** True if the meeting is published as the row states it. */
  isPublished(event: EventRow): boolean;
}

/** True if every listed event is read, whatever its row contains. */
export const isEachRead = (
  events: readonly EventRow[],
  { named, isUnstamped }: Pick<PollWindow, 'named' | 'isUnstamped'>,
): boolean => named || (events.length <= READ_ALL_UP_TO && !isUnstamped);

/**
 * Returns the listed events whose items must be read again. The list itself is always read whole, so that vanished
 * events are found.
 */
export function* eventsToReadInSteps(events: readonly EventRow[], window: PollWindow): Steps<readonly EventRow[]> {
  if (isEachRead(events, window)) return events;
  const recent = new Date(window.now - DATE_LOOK_BACK).toISOString().slice(0, 10);
  const isToRead = (event: EventRow): boolean => {
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
  };
  const isRead = yield* mapInSteps(events, isToRead, 1);
  return events.filter((_, index) => isRead[index]);
}
