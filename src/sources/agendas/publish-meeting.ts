import { runInTurns } from '../../../domain/text/steps.ts';
import type { BatchedWriter } from '../batched-writer.ts';
import type { OwnRecord } from '../source.ts';
import type { EventReading } from './joined-meetings.ts';
import { changesOfJoined } from './joined-records.ts';
import { mapEventInSteps } from './map-event.ts';
import type { AgendaFiles } from './files/agenda-files.ts';
import { agendaItemId, meetingId } from './own-records.ts';
import { isAgendaPublished } from './publication.ts';
import type { EventRow, Skipped } from './rows.ts';
import { eventPlace, type RunContext } from './run-context.ts';
import type { Joined } from './twins.ts';
import { localDate, meetingTitle, publicUrl } from './values.ts';

/**
 * Writes a meeting and marks its former records for removal. If `isPartial`, another event might have the missing
 * records. Returns false for a skipped one.
 */
export async function publishMeeting(
  run: RunContext,
  joined: Joined<EventReading>,
  writer: BatchedWriter,
  isPartial: boolean,
): Promise<boolean> {
  const { main, twins, agenda, row, added } = joined;
  const { findings, removals } = run;
  const { parsed, votes } = agenda;
  const eventId = String(main.row.EventId);
  const file = keptFile([main, ...twins]) ?? agenda.file;
  const place = {
    ...eventPlace(run, main.row)!,
    votes: votes.votes,
    ...(added && { twins: added }),
    ...(file && { file }),
  };
  const mapped = await runInTurns(mapEventInSteps(row, parsed.rows, place));
  if (mapped.kind === 'skipped') {
    findings.skip([mapped.skipped], main.body.sourceId);
    return false;
  }
  findings.skip(mapped.skipped, main.body.sourceId);
  const unlinked =
    publicUrl(row.EventInSiteURL) === null ? 'has no usable public address; the meeting keeps another link' : null;
  // The items of a meeting whose file cannot be divided now would be lost.
  const other = main.isPublished && file?.isKept === true ? null : await run.joined.meetingOf(eventId);
  const address = publicUrl(row.EventAgendaFile) ?? publicUrl(row.EventPacketFile) ?? publicUrl(row.EventInSiteURL);
  if (other === null)
    findings.degrade({ id: eventId, address }, main.body.sourceId, [...mapped.degraded, unlinked, votes.failure]);
  const changes = other === null ? mapped.changes : changesOfJoined(mapped.changes, joinedTo(run, joined, other));
  await linkFile(run, file, {
    meetingId: other?.id ?? meetingId(run.client, eventId),
    recordIds: [...changes, ...(file?.isKept === true ? main.own : [])].map(({ id }) => id),
  });
  for (const change of changes) {
    removals.markPublished(change.id);
    await writer.add([change]);
  }
  rememberVotes(run, votes);
  const evidence = file?.facts?.textEvidence ?? null;
  if (evidence !== null) findings.noteText(main.body.sourceId, row.EventDate, evidence);
  const isReplaced = file?.isKept !== true && (other === null || !main.isPublished);
  if (isReplaced) removeFormerRecords(run, joined, mapped, isPartial);
  if (other !== null) withdrawJoined(run, main);
  for (const twin of twins) withdrawTwin(run, twin, eventId);
  return true;
}

/** Notes the records before they are written: an erasure that follows finds the copies that they are from. */
async function linkFile(
  { files }: RunContext,
  file: EventReading['file'],
  published: Parameters<AgendaFiles['link']>[1],
): Promise<void> {
  if (file?.version != null) await files?.link(file.version, published);
}

/** A file of one of the events that cannot be divided now, while its items are published. */
const keptFile = (readings: readonly EventReading[]): EventReading['file'] =>
  readings.every(({ parsed }) => parsed.rows.length === 0)
    ? (readings.find(({ file }) => file?.isKept === true)?.file ?? null)
    : null;

const rememberVotes = ({ client, removals }: RunContext, votes: EventReading['votes']): void =>
  votes.remember((eventItemId) => removals.isPublished(agendaItemId(client, eventItemId)));

interface Mapped {
  readonly skipped: readonly Skipped[];
  /** True if a document that is missing now might belong to an unreadable row. */
  readonly documentsUncertain: boolean;
}

/** A failed or partial read removes nothing that the unread part might contain. */
function removeFormerRecords(
  { client, removals }: RunContext,
  { main, agenda: { parsed }, row }: Joined<EventReading>,
  { skipped, documentsUncertain }: Mapped,
  isPartial: boolean,
): void {
  const unreadable = new Set([...parsed.undecodable].map((id) => agendaItemId(client, id)));
  const isUncertain = isPartial || parsed.unidentified || parsed.undecodable.size > 0;
  const isGone = ({ resource, id }: OwnRecord): boolean => {
    if (resource === 'agenda_items') return !parsed.unidentified && !unreadable.has(id);
    return !isUncertain && !(resource === 'documents' && documentsUncertain);
  };
  const reason = reasonOfRemoval(row, String(main.row.EventId));
  const skippedItems = skipped.filter(({ what, id }) => what === 'item' && id !== null);
  const reasons = new Map(skippedItems.map((item) => [agendaItemId(client, item.id!), `left out: ${item.reason}`]));
  for (const record of main.own.filter(isGone)) removals.add([record], reasons.get(record.id) ?? reason);
}

const reasonOfRemoval = (row: EventRow, eventId: string): string =>
  isAgendaPublished(row)
    ? `event ${eventId} of the source no longer has it`
    : `the source has not published the agenda of event ${eventId}`;

function joinedTo(
  { reader: { platform } }: RunContext,
  { main: { row, body } }: Joined<EventReading>,
  other: { readonly id: string; readonly hasItems: boolean },
) {
  return {
    eventId: String(row.EventId),
    sourceId: body.sourceId,
    meetingId: other.id,
    hasItems: other.hasItems,
    title: meetingTitle(row.EventTitle, body.name),
    label: platform.isSecondary === true ? null : platform.label,
    url: publicUrl(row.EventInSiteURL)!,
    day: localDate(row.EventDate)!,
  };
}

/** Reports an event that another source publishes as a meeting, and removes its own meeting. */
function withdrawJoined(run: RunContext, { row, body, own, isPublished }: EventReading): void {
  const id = String(row.EventId);
  const reason = 'is a meeting of another source of the body';
  run.findings.skip([{ what: 'event', id, reason, isIntended: true }], body.sourceId);
  if (isPublished) run.removals.addMeeting(id, own, `event ${id} ${reason}`);
}

/** Reports an event that is published as another one, and removes its own records. */
function withdrawTwin(run: RunContext, { row, body, own, isPublished, votes }: EventReading, eventId: string): void {
  const id = String(row.EventId);
  const reason = `is the same meeting as event ${eventId}`;
  run.findings.skip([{ what: 'event', id, reason, isIntended: true }], body.sourceId);
  rememberVotes(run, votes);
  if (isPublished) run.removals.addMeeting(id, own, `event ${id} ${reason}`);
}
