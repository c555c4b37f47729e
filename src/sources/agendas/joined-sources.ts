import { DAY_MS } from '../../../domain/durations.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { mapInTurns } from '../../../domain/text/steps.ts';
import type { OwnRecord } from '../source.ts';
import type { ClientPlace } from './bodies.ts';
import type { ClientBodies } from './client-bodies.ts';
import { eventsJoinedTo, joinedAgendaId, type JoinedEvent, recordingId, recordsOfJoined } from './joined-records.ts';
import { meetingStatus } from './map-event.ts';
import { meetingId } from './own-records.ts';
import { pairMeetings, type Session } from './pair-meetings.ts';
import type { EventRow } from './rows.ts';
import { kindsIn } from './twins.ts';
import { instantOf, localDate, minutesOfDay, publicUrl } from './values.ts';

interface Parts {
  readonly client: string;
  readonly known: PublishedRecords;
  readonly place: ClientPlace;
  readonly bodies: ClientBodies;
  readonly label: string;
  /**
   * True for a source of recordings. Its events join the meetings of every other platform, those of a source of agendas
   * the meetings of older sources.
   */
  readonly isSecondary: boolean;
  /** Local date `YYYY-MM-DD` from which recordings that the source no longer lists are looked for. */
  readonly since: string;
}

/** Statuses of meetings that did not take place on their day. */
const OFF: ReadonlySet<RecordData<'meetings'>['status']> = new Set(['cancelled', 'postponed']);

/** Days before today in which a run looks for recordings that the source no longer lists. */
const LOOK_BACK = 60 * DAY_MS;

/** Returns the local date from which a run looks for recordings that are gone. */
export const recordingsSince = (now: number, timezone: string): string =>
  dateOfDay(localDay(now - LOOK_BACK, timezone));

/**
 * The events of a source that are meetings of another source. `readPublished` loads what is published, `pair` finds the
 * meetings; both before the first event is read.
 */
export class JoinedSources {
  readonly #parts: Parts;
  #others: ReadonlyMap<string, RecordData<'meetings'>> = new Map();
  /** Agendas of the other meetings, by meeting. */
  #agendas: ReadonlyMap<string, readonly RecordData<'agendas'>[]> = new Map();
  readonly #published = new Map<string, JoinedEvent>();
  #pairs: ReadonlyMap<string, string> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Events that are published as joined ones, by id. */
  get published(): ReadonlyMap<string, JoinedEvent> {
    return this.#published;
  }

  /** `listedFrom`: the first local date whose events are all in the list; null if the list has every event. */
  async readPublished(events: readonly EventRow[], listedFrom: string | null): Promise<void> {
    const { known, bodies, isSecondary } = this.#parts;
    if (!isSecondary && bodies.otherAgendas().length === 0) return;
    this.#others = await this.#otherMeetings();
    const agendas = await known.current(
      'agendas',
      await known.referring('agendas', 'meetingId', [...this.#others.keys()]),
    );
    this.#agendas = Map.groupBy(agendas.values(), (agenda) => agenda.meetingId);
    await this.#readRecordings(events);
    const sourceIds = bodies.shared().map(({ sourceId }) => sourceId);
    for (const event of await eventsJoinedTo(known, this.#idsSince(listedFrom ?? ''), sourceIds))
      this.#published.set(event.eventId, event);
  }

  /** Returns the meetings of other sources that events of this one can be. */
  async #otherMeetings(): Promise<ReadonlyMap<string, RecordData<'meetings'>>> {
    const { client, known, bodies, isSecondary, label } = this.#parts;
    if (!isSecondary) {
      const older = bodies.otherAgendas().filter(({ isOlder }) => isOlder);
      const ids = older.map(({ sourceId }) => sourceId);
      return known.current('meetings', await known.referring('meetings', 'sourceId', ids));
    }
    const bodyIds = bodies.shared().map(({ publicBodyId }) => publicBodyId);
    const meetings = await known.current('meetings', await known.referring('meetings', 'publicBodyId', bodyIds));
    const isOther = ({ id, sourceId, sourceRecordId }: RecordData<'meetings'>): boolean =>
      id !== meetingId(client, sourceRecordId ?? '') && bodies.labelOf(sourceId) !== label;
    return new Map([...meetings].filter(([, meeting]) => isOther(meeting)));
  }

  /**
   * Reads the recordings of listed events, also of those whose meeting is gone. An event that is not published might
   * have belonged to another body.
   */
  async #readRecordings(events: readonly EventRow[]): Promise<void> {
    const { bodies } = this.#parts;
    await this.#readRecordingsOf(events, ({ EventBodyId }) => bodies.place(EventBodyId)?.sourceId ?? null);
    for (const sourceId of bodies.sourceIds()) {
      const isNew = ({ EventId }: EventRow) =>
        ![this.#published, bodies.meetings].some((known) => known.has(String(EventId)));
      await this.#readRecordingsOf(events.filter(isNew), () => sourceId);
    }
  }

  async #readRecordingsOf(events: readonly EventRow[], sourceOf: (event: EventRow) => string | null): Promise<void> {
    const entries = await mapInTurns(events, (event) => {
      const [eventId, sourceId] = [String(event.EventId), sourceOf(event)];
      return sourceId === null ? [] : [[recordingId(sourceId, eventId), { eventId, sourceId }] as const];
    });
    const byId = new Map(entries.flat());
    for (const [id, { meetingId: meeting, url }] of await this.#parts.known.current('documents', [...byId.keys()])) {
      const event = byId.get(id)!;
      if (meeting !== null) this.#published.set(event.eventId, { ...event, meetingId: meeting, url });
    }
  }

  #idsSince(listedFrom: string): readonly string[] {
    const isIn = (day: string) => day >= listedFrom && day >= this.#parts.since;
    return [...this.#others].flatMap(([id, meeting]) => (isIn(this.#dayOf(meeting)) ? [id] : []));
  }

  #dayOf({ startsAt }: RecordData<'meetings'>): string {
    return dateOfDay(localDay(Date.parse(startsAt), this.#parts.place.timezone));
  }

  /** Finds the meetings that the events are. */
  async pair(events: readonly EventRow[]): Promise<void> {
    if (this.#others.size === 0) return;
    const meetings = await mapInTurns([...this.#others.values()], (meeting) => this.#sessionOfMeeting(meeting));
    const days = new Set(meetings.map(({ publicBodyId, day }) => `${publicBodyId} ${day}`));
    const sessions = await mapInTurns(events, (event) => this.#sessionOfEvent(event, days));
    this.#pairs = pairMeetings(sessions.flat(), meetings);
  }

  #sessionOfMeeting(meeting: RecordData<'meetings'>): Session {
    const { id, publicBodyId, title, startsAt, startTime, status } = meeting;
    return {
      id,
      publicBodyId,
      day: this.#dayOf(meeting),
      startsAt: startTime?.status === 'not_stated' ? null : Date.parse(startsAt),
      kind: kindsIn(`${title}\n${this.#parts.bodies.nameOf(publicBodyId)}`),
      isOff: OFF.has(status),
    };
  }

  /** Returns nothing for an event without an address, or on a day without another meeting of the body. */
  #sessionOfEvent(event: EventRow, days: ReadonlySet<string>): readonly Session[] {
    const { bodies, place } = this.#parts;
    const publicBodyId = bodies.place(event.EventBodyId)?.publicBodyId;
    const day = localDate(event.EventDate);
    if (publicBodyId === undefined || day === null || !days.has(`${publicBodyId} ${day}`)) return [];
    if (publicUrl(event.EventInSiteURL) === null) return [];
    const minutes = minutesOfDay(event.EventTime, { day, timezone: place.timezone });
    const startsAt = minutes === null ? null : Date.parse(instantOf(day, minutes, place.timezone));
    const kind = kindsIn(`${event.EventTitle ?? ''} ${event.EventName ?? ''}\n${bodies.nameOf(publicBodyId)}`);
    const isOff = OFF.has(meetingStatus(event, [], day));
    return [{ id: String(event.EventId), publicBodyId, day, startsAt, kind, isOff }];
  }

  /** Returns the meeting of the other source that the event is; null if it is a separate meeting. */
  async meetingOf(eventId: string): Promise<{ readonly id: string; readonly hasItems: boolean } | null> {
    const id = this.#pairs.get(eventId);
    // The other source can be removed during the run.
    if (id === undefined || !(await this.#parts.known.current('meetings', [id])).has(id)) return null;
    return { id, hasItems: this.#hasItems(id, this.#published.get(eventId)) };
  }

  /** True if the other source states the items of the event. */
  hasItems(eventId: string): boolean {
    const id = this.#pairs.get(eventId);
    return id !== undefined && this.#hasItems(id, this.#published.get(eventId));
  }

  #hasItems(id: string, event: JoinedEvent | undefined): boolean {
    const own = event === undefined ? null : joinedAgendaId(event.sourceId, event.eventId);
    return this.#agendas.get(id)?.some((agenda) => agenda.id !== own && agenda.itemCount > 0) === true;
  }

  /** True if a joined event is published as it is joined now; undefined for an event that is none. */
  isPublished(event: EventRow): boolean | undefined {
    const eventId = String(event.EventId);
    const [id, published] = [this.#pairs.get(eventId), this.#published.get(eventId)];
    if (id === undefined) return published === undefined ? undefined : false;
    if (published?.meetingId !== id || this.#parts.bodies.meetings.has(eventId)) return false;
    const agenda = joinedAgendaId(published.sourceId, eventId);
    const hasAgenda = this.#agendas.get(id)?.some((each) => each.id === agenda) === true;
    return published.url === publicUrl(event.EventInSiteURL) && !(hasAgenda && this.#hasItems(id, published));
  }

  /** Returns the published records of an event that is joined. */
  async recordsOf(eventId: string): Promise<readonly OwnRecord[]> {
    const event = this.#published.get(eventId);
    return event === undefined ? [] : recordsOfJoined(this.#parts.known, event);
  }
}
