import type { OwnRecord } from '../source.ts';
import type { BodyPlace } from './bodies.ts';
import type { EventFile } from './files/read-file.ts';
import type { EventVotes } from './read-votes.ts';
import type { EventItemRow, EventRow, ParsedRows } from './rows.ts';
import { type Joined, joinTwins, readForTwins } from './twins.ts';

/** An event as it was read, with its published records. */
export interface EventReading {
  readonly row: EventRow;
  readonly isPublished: boolean;
  readonly body: BodyPlace;
  readonly own: readonly OwnRecord[];
  readonly parsed: ParsedRows<EventItemRow>;
  readonly votes: EventVotes;
  /** The agenda that was read from a file; null if none was. */
  readonly file: EventFile | null;
}

/**
 * Joins events of one body that begin at the same time into meetings. `failed`: ids of events that could not be read. `uncertain` events are not
 * published: they might be twins of a failed one, or show its items.
 */
export async function joinMeetings(
  readings: readonly EventReading[],
  failed: readonly string[],
  isPublished: (eventId: string) => boolean,
): Promise<{ readonly meetings: readonly Joined<EventReading>[]; readonly uncertain: readonly EventReading[] }> {
  if (readings.length + failed.length <= 1) {
    return { meetings: readings.map((main) => ({ main, twins: [], agenda: main, row: main.row })), uncertain: [] };
  }
  const all = await Promise.all(
    readings.map(async (each) => ({ ...each, ...(await readForTwins(each.row, each.parsed.rows)) })),
  );
  const isMainFailed = failed.some(isPublished);
  const showsItemsOfTwin = ({ lines, own }: (typeof all)[number]): boolean =>
    failed.length > 0 && lines.length === 0 && own.some(({ resource }) => resource === 'agenda_items');
  const isUncertain = (each: (typeof all)[number]): boolean =>
    each.isPublished ? showsItemsOfTwin(each) : isMainFailed;
  return { meetings: joinTwins(all.filter((each) => !isUncertain(each))), uncertain: all.filter(isUncertain) };
}
