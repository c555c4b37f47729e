import { runInTurns } from '../../../domain/text/steps.ts';
import { ListedChanges } from './listed-changes.ts';
import { eventsToReadInSteps, isEachRead } from './poll-window.ts';
import { READING_VERSION } from './reading-version.ts';
import type { EventRow } from './rows.ts';
import { eventPlace, type RunContext } from './run-context.ts';
import { eventsAtOnce } from './twins.ts';

/** Returns the events of a body that begin at the same time as this one, including it. */
type GroupOf = (event: EventRow) => readonly EventRow[];

/** Returns the events to read, in groups of events that might be the same meeting. `returned` are unlisted events that still exist. */
export async function selectEvents(
  run: RunContext,
  listed: readonly EventRow[],
  returned: readonly EventRow[],
): Promise<readonly (readonly EventRow[])[]> {
  const groups = await eventsAtOnce([...listed, ...returned], run.place.timezone);
  const groupOf: GroupOf = (event) => groups.get(event.EventId) ?? [event];
  const selected = [...(await eventsToRead(run, listed, groupOf)), ...returned];
  const byGroup = Map.groupBy(selected, (event) => groupOf(event)[0]!);
  return [...byGroup.values()].map((group) => withTwins(run, group, groupOf));
}

/** Events that begin at the same time are read together unless each is published, which shows that they are different meetings. */
function withTwins({ bodies }: RunContext, group: readonly EventRow[], groupOf: GroupOf): readonly EventRow[] {
  const all = groupOf(group[0]!);
  return all.every(({ EventId }) => bodies.meetings.has(String(EventId))) ? group : all;
}

async function eventsToRead(run: RunContext, listed: readonly EventRow[], groupOf: GroupOf) {
  const window = pollWindow(run);
  const changes = new ListedChanges();
  if (!isEachRead(listed, window)) await changes.load(run.known, run.client, listed);
  const isPublished = (event: EventRow): boolean => {
    const isJoined = run.joined.isPublished(event);
    if (isJoined !== undefined) return isJoined;
    const meeting = run.bodies.meetings.get(String(event.EventId));
    // A twin is published as the other event.
    if (meeting === undefined) return groupOf(event).some(({ EventId }) => run.bodies.meetings.has(String(EventId)));
    const place = eventPlace(run, event);
    return place !== null && !changes.isIn(event, place, meeting);
  };
  return runInTurns(eventsToReadInSteps(listed, { ...window, isPublished }));
}

const pollWindow = ({ clock, since, reader, bodies }: RunContext) => ({
  now: clock.now(),
  named: since !== null,
  isUnstamped: reader.platform.isUnstamped === true,
  lastSuccess: ({ EventBodyId }: EventRow) =>
    bodies.readingVersion(EventBodyId) === READING_VERSION ? bodies.lastSuccess(EventBodyId) : null,
});
