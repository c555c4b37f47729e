import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { mapInTurns } from '../../../domain/text/steps.ts';
import { runConcurrently } from '../concurrently.ts';
import { whyEventIsHidden } from './publication.ts';
import { type EventRow, eventRow, parseRows } from './rows.ts';
import { goneReason, type RunContext } from './run-context.ts';
import { FIRST_PLAUSIBLE_DAY, lastPlausibleDay, localDate } from './values.ts';

/**
 * Removes published events that the list lacks once the source confirms that they are gone. Returns the others: they moved, or the list is
 * incomplete. `listedIds` are the ids of all listed events.
 */
export async function removeVanishedEvents(
  run: RunContext,
  listedIds: ReadonlySet<string>,
): Promise<readonly EventRow[]> {
  const returned: EventRow[] = [];
  const { bodies, joined } = run;
  const meetings = [...bodies.meetings].filter(([, meeting]) => isInWindow(run, meeting));
  const missing = [...new Map<string, { readonly sourceId: string | null }>([...meetings, ...joined.published])].filter(
    ([eventId]) => !listedIds.has(eventId),
  );
  await runConcurrently(missing, async ([eventId, { sourceId }]) => {
    let row: unknown;
    try {
      row = await run.reader.event(Number(eventId));
    } catch (error) {
      return run.findings.failEvent(eventId, sourceId, error);
    }
    if (row === null) return run.removals.addEvent(eventId, goneReason(eventId));
    const parsed = parseRows(eventRow, 'EventId', 'event', [row]);
    run.findings.skip(parsed.skipped, sourceId);
    for (const event of parsed.rows) if (String(event.EventId) === eventId) returned.push(event);
  });
  return returned;
}

/** True if the list that was read contains every event of the meeting's day. */
function isInWindow({ reader, since, place }: RunContext, { startsAt }: RecordData<'meetings'>): boolean {
  const day = dateOfDay(localDay(Date.parse(startsAt), place.timezone));
  return [since, reader.listedFrom ?? null].every((from) => from === null || day >= from);
}

/** Removes published records of hidden events and skips implausible ones. Returns the rest. */
export async function keepPublicEvents(run: RunContext, events: readonly EventRow[]): Promise<readonly EventRow[]> {
  return skipImplausibleDays(run, await removeHiddenEvents(run, events));
}

async function removeHiddenEvents(run: RunContext, events: readonly EventRow[]): Promise<readonly EventRow[]> {
  const { bodies, findings, joined, removals } = run;
  const reasons = await mapInTurns(events, (event) => bodies.whyHidden(event.EventBodyId) ?? whyEventIsHidden(event));
  for (const [index, { EventId, EventUnplaced }] of events.entries()) {
    const [id, reason] = [String(EventId), reasons[index] ?? null];
    if (reason === null) continue;
    findings.skip([{ what: 'event', id, reason, ...(EventUnplaced !== true && { isIntended: true }) }], null);
    if (bodies.meetings.has(id) || joined.published.has(id)) await removals.addEvent(id, reason);
  }
  return events.filter((_event, index) => reasons[index] === null);
}

/** Skips events on an implausible day. Their published records stay. */
async function skipImplausibleDays(run: RunContext, events: readonly EventRow[]): Promise<readonly EventRow[]> {
  const last = lastPlausibleDay(run.clock.now());
  const plausible = await mapInTurns(events, (event) => {
    const day = localDate(event.EventDate);
    if (day === null || (day >= FIRST_PLAUSIBLE_DAY && day <= last)) return [event];
    const skipped = { what: 'event', id: String(event.EventId), reason: `has an implausible date (${day})` } as const;
    run.findings.skip([skipped], run.bodies.place(event.EventBodyId)?.sourceId ?? null);
    return [];
  });
  return plausible.flat();
}
