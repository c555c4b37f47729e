import type { RecordData } from '../../../domain/records/resources.ts';
import { runInTurns } from '../../../domain/text/steps.ts';
import { contentOf } from './event-content.ts';
import { readEventFile } from './files/event-file.ts';
import type { EventFile } from './files/read-file.ts';
import { itemRowsInSteps } from './item-rows.ts';
import { type EventReading, joinMeetings } from './joined-meetings.ts';
import { agendaItemId, ownRecordsOfEvent } from './own-records.ts';
import type { EventVotes, VotesReader } from './read-votes.ts';
import { type EventItemRow, eventItemRow, type EventRow, parseRowsInSteps } from './rows.ts';
import { goneReason, type RunContext } from './run-context.ts';
import type { OwnRecord } from '../source.ts';
import type { Joined } from './twins.ts';
import { isVotedOn } from './votes.ts';

interface ReadMeetings {
  readonly meetings: readonly Joined<EventReading>[];
  /** True if an event of the group could not be read: it might have records that the others lack. */
  readonly isPartial: boolean;
}

/** Reads agendas and votes of events, and joins events that are the same meeting. */
export class EventsReader {
  readonly #run: RunContext;
  readonly #votes: VotesReader;
  /** Number of agenda rows that were read. */
  items = 0;

  constructor(run: RunContext, votes: VotesReader) {
    this.#run = run;
    this.#votes = votes;
  }

  /** Reads the events of one body that begin at the same time: usually a single one. */
  async read(events: readonly EventRow[]): Promise<ReadMeetings> {
    const { bodies, findings } = this.#run;
    const readings: EventReading[] = [];
    const failed: string[] = [];
    for (const event of events) {
      const eventId = String(event.EventId);
      const reading = await this.#tryRead(event);
      if (reading === 'failed') failed.push(eventId);
      else if (reading !== null) readings.push(reading);
    }
    const { meetings, uncertain } = await joinMeetings(readings, failed, (eventId) => bodies.meetings.has(eventId));
    const reason = `begins at the same time as event ${failed.join(', ')}, which could not be read`;
    for (const { row, body } of uncertain)
      findings.skip([{ what: 'event', id: String(row.EventId), reason }], body.sourceId);
    return { meetings, isPartial: failed.length > 0 };
  }

  /** Returns null for an event without a body, or one that is gone and was removed. */
  async #tryRead(event: EventRow): Promise<EventReading | 'failed' | null> {
    const { bodies, findings, joined, removals } = this.#run;
    const eventId = String(event.EventId);
    const body = bodies.place(event.EventBodyId);
    if (body === undefined) {
      const reason = `its body ${event.EventBodyId} is not in the list of bodies and has no name`;
      findings.skip([{ what: 'event', id: eventId, reason }], null);
      return null;
    }
    try {
      const reading = await this.#readEvent(event, body);
      const isPublished = bodies.meetings.has(eventId) || joined.published.has(eventId);
      if (reading === null && isPublished) await removals.addEvent(eventId, goneReason(eventId));
      return reading;
    } catch (error) {
      findings.failEvent(eventId, body.sourceId, error);
      return 'failed';
    }
  }

  /** Returns null for an event that is gone. */
  async #readEvent(event: EventRow, body: EventReading['body']): Promise<EventReading | null> {
    const { bodies, client, findings, joined, known, reader } = this.#run;
    const eventId = String(event.EventId);
    const isPublished = bodies.meetings.has(eventId);
    const records = isPublished ? await ownRecordsOfEvent(known, client, eventId) : [];
    const own = [...records, ...(await joined.recordsOf(eventId))];
    let content = this.#run.isReadInFull(event) ? await contentOf(reader, event) : { items: [], details: undefined };
    let file = content === null ? null : await this.#readFile({ ...event, ...content.details }, content.items, own);
    // Read an empty agenda twice before its published items are removed.
    if (file === null && content?.items.length === 0 && own.some(({ resource }) => resource === 'agenda_items')) {
      content = await contentOf(reader, event);
      file = content === null ? null : await this.#readFile({ ...event, ...content.details }, content.items, own);
    }
    if (content === null) return null;
    const rows = await runInTurns(parseRowsInSteps(eventItemRow, 'EventItemId', 'item', content.items));
    const parsed = file === null ? rows : { ...rows, rows: file.items };
    const votes = await this.#readVotes(event, parsed.rows);
    this.items += content.items.length + (file?.items.length ?? 0);
    findings.skip([...parsed.skipped, ...votes.skipped], body.sourceId);
    return { row: { ...event, ...content.details, ...file?.row }, isPublished, body, own, parsed, votes, file };
  }

  /** Returns null if the rows of the source are the agenda. */
  async #readFile(event: EventRow, items: readonly unknown[], own: readonly OwnRecord[]): Promise<EventFile | null> {
    const { files } = this.#run;
    if (items.length > 0 || files === null || !this.#run.isReadInFull(event)) return null;
    return readEventFile(this.#run, files, event, own);
  }

  async #readVotes(event: EventRow, rows: readonly EventItemRow[]): Promise<EventVotes> {
    const { bodies, client, known } = this.#run;
    const items = await runInTurns(itemRowsInSteps(rows));
    const ids = items.map(({ head }) => agendaItemId(client, head.EventItemId));
    // Items of a twin are published, although its event is not.
    const current: ReadonlyMap<string, RecordData<'agenda_items'>> = rows.some(isVotedOn)
      ? await known.current('agenda_items', ids)
      : new Map();
    const published = (eventItemId: number) => current.get(agendaItemId(client, eventItemId));
    return this.#votes.readVotes({ items, published, lastSuccess: bodies.lastSuccess(event.EventBodyId) });
  }
}
