import { type AgendaReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { runInTurns } from '../../../domain/text/steps.ts';
import type { BatchedWriter } from '../batched-writer.ts';
import { runConcurrently } from '../concurrently.ts';
import { SyncRefused, type SyncRequest, type SyncTarget } from '../source.ts';
import { type ClientPlace, placeOfClient } from './bodies.ts';
import { ClientBodies } from './client-bodies.ts';
import type { CheckedSource, UnreadSource } from './client-records.ts';
import { JoinedSources, recordingsSince } from './joined-sources.ts';
import { AgendaFiles } from './files/agenda-files.ts';
import { keepPublicEvents, removeVanishedEvents } from './listed-events.ts';
import { meetingId } from './own-records.ts';
import { publishMeeting } from './publish-meeting.ts';
import { EventsReader } from './read-events.ts';
import { type VotesMemory, VotesReader } from './read-votes.ts';
import { Removals } from './removals.ts';
import { type BodyRow, bodyRow, type EventRow, eventRow, type ParsedRows, parseRowsInSteps } from './rows.ts';
import { type RunContext, today } from './run-context.ts';
import { RunFindings } from './run-findings.ts';
import { selectEvents } from './select-events.ts';
import { localDate, oneLine, publicUrl } from './values.ts';

export interface SyncParts {
  readonly reader: AgendaReader;
  readonly request: SyncRequest;
  readonly target: SyncTarget;
  /** Shared by the runs of a process. */
  readonly votesMemory: VotesMemory;
  /** Reads agendas from files; absent if the platform or the caller has none. */
  readonly web?: WebReader | undefined;
}

/**
 * One sync of a client, in this order: read the bodies and the list of events; publish the bodies; remove events that vanished or are
 * hidden; select the events to read; read and publish them a few at a time; write the removes last.
 */
export class SyncRun {
  readonly read = { bodies: 0, events: 0, items: 0 };
  /** Origin of the first address that an event names; null if none does. */
  siteUrl: string | null = null;
  readonly #run: RunContext;
  readonly #request: SyncRequest;
  readonly #events: EventsReader;
  /** Ids of events that are not read in full; null if all are. */
  #unread: ReadonlySet<number> | null = null;

  /** Throws `SyncRefused` for a request that cannot be carried out. */
  constructor({ reader, request, target, votesMemory, web }: SyncParts) {
    const { client, options } = request;
    const { known, clock, documents } = target;
    const isReadingFiles = reader.platform.readsAgendaFiles === true && web !== undefined && documents !== undefined;
    const place = placeOfClient(client, options['jurisdiction'], request.place);
    const since = requireDate(options['since']);
    this.#request = request;
    const bodies = new ClientBodies({ client, place, target, platform: reader.platform });
    const joined = new JoinedSources({
      client,
      known,
      place,
      bodies,
      label: reader.platform.label,
      isSecondary: reader.platform.isSecondary === true,
      since: since ?? recordingsSince(clock.now(), place.timezone),
    });
    this.#run = {
      client,
      reader,
      known,
      clock,
      place,
      since,
      isReadInFull: ({ EventId }) => this.#unread?.has(EventId) !== true && !joined.hasItems(String(EventId)),
      bodies,
      joined,
      findings: new RunFindings(),
      removals: new Removals(known, client, joined),
      files: isReadingFiles ? new AgendaFiles(web, documents, clock) : null,
    };
    const votes = new VotesReader({ reader, memory: votesMemory, client, isForced: since !== null, clock });
    this.#events = new EventsReader(this.#run, votes);
  }

  get place(): ClientPlace {
    return this.#run.place;
  }

  get findings(): RunFindings {
    return this.#run.findings;
  }

  /** True if the run reads every event of a source that was last read under other rules, and no file waits. */
  get isWhole(): boolean {
    return this.#run.since === null && this.#run.files?.hasWaiting !== true;
  }

  /** The sources that this run checks. */
  get sources(): readonly CheckedSource[] {
    return this.#run.bodies.sources;
  }

  /** The client's other sources. */
  unread(): readonly UnreadSource[] {
    return this.#run.bodies.unread((sourceId) => this.findings.failureOf(sourceId) !== null);
  }

  /** Throws `SourceUnavailable` or `UnknownSourceClient` when the bodies or the list of events cannot be read. */
  async readAndWrite(writer: BatchedWriter): Promise<void> {
    const { bodies, client, removals } = this.#run;
    const listed = await this.#readEventList(writer, await this.#readBodies());
    const listedIds = new Set([...listed.rows.map((row) => row.EventId), ...listed.undecodable].map(String));
    const returned = listed.unidentified ? [] : await removeVanishedEvents(this.#run, listedIds);
    const publicEvents = await keepPublicEvents(this.#run, listed.rows);
    const shownAgain = await keepPublicEvents(this.#run, returned);
    await this.#run.joined.pair([...publicEvents, ...shownAgain]);
    const groups = await selectEvents(this.#run, publicEvents, shownAgain);
    const { limit } = this.#request;
    if (limit !== undefined) this.#unread = eventsBeyond(groups.flat(), limit, this.#run.clock.now());
    await this.#readGroups(groups, writer);
    removals.add(bodies.hiddenRecords(), 'the source does not show the body to the public');
    const isRewritten = (eventId: string) => removals.isHandled(meetingId(client, eventId));
    removals.add(bodies.outdatedRecords(isRewritten), 'another record is that of the same body');
    await removals.addJoinedRecords();
    await writer.add([...removals.changes()]);
  }

  async #readBodies(): Promise<ParsedRows<BodyRow>> {
    const rows = await this.#run.reader.bodies();
    const parsed = await runInTurns(parseRowsInSteps(bodyRow, 'BodyId', 'body', rows));
    this.read.bodies = parsed.rows.length + parsed.skipped.length;
    this.findings.skip(parsed.skipped, null);
    if (!parsed.rows.some(({ BodyName }) => oneLine(BodyName) !== null)) {
      const isOfMeetings = this.#run.reader.platform.listsNoBodies === true;
      throw new SourceUnavailable(
        isOfMeetings ? 'the list of meetings is empty' : 'the list of bodies contains no body',
      );
    }
    return parsed;
  }

  /** Reads the list of events and publishes the bodies, also if the list cannot be read. */
  async #readEventList(writer: BatchedWriter, listedBodies: ParsedRows<BodyRow>): Promise<ParsedRows<EventRow>> {
    const { bodies, joined, reader, since } = this.#run;
    let rows: readonly unknown[];
    try {
      rows = await reader.events(since);
    } catch (error) {
      this.findings.skip(await bodies.write(writer, listedBodies, null), null);
      throw error;
    }
    const listed = await runInTurns(parseRowsInSteps(eventRow, 'EventId', 'event', rows));
    const visible = listed.rows.filter(({ EventHidden }) => EventHidden == null);
    this.findings.skip(await bodies.write(writer, listedBodies, visible.length === 0 ? null : visible), null);
    this.read.events = listed.rows.length + listed.skipped.length;
    this.findings.skip(listed.skipped, null);
    await joined.readPublished(listed.rows, reader.listedFrom ?? null);
    if (this.read.events === 0 && since === null && bodies.meetings.size + joined.published.size > 0) {
      throw new SourceUnavailable(
        'the list of events is empty although some of its events are published; nothing was removed',
      );
    }
    return listed;
  }

  async #readGroups(groups: readonly (readonly EventRow[])[], writer: BatchedWriter): Promise<void> {
    const { progress, signal } = this.#request;
    const total = groups.reduce((sum, { length }) => sum + length, 0);
    let done = 0;
    const ordered = this.#run.files === null ? groups : upcomingFirst(groups, today(this.#run));
    await runConcurrently(ordered, async (events) => {
      signal?.throwIfAborted();
      const { meetings, isPartial } = await this.#events.read(events);
      for (const meeting of meetings) {
        if (await publishMeeting(this.#run, meeting, writer, isPartial)) this.#noteSite(meeting.row);
      }
      this.read.items = this.#events.items;
      done += events.length;
      progress?.(done, total);
    });
  }

  #noteSite(row: EventRow): void {
    const url = publicUrl(row.EventInSiteURL);
    if (url !== null) this.siteUrl ??= `${new URL(url).origin}/`;
  }
}

/** Returns the ids of the events that are further from `now` than the closest ones. */
function eventsBeyond(events: readonly EventRow[], limit: number, now: number): ReadonlySet<number> {
  const distance = ({ EventDate }: EventRow): number =>
    Math.abs(Date.parse(localDate(EventDate) ?? '0001-01-01') - now);
  const closestFirst = events.toSorted((left, right) => distance(left) - distance(right));
  return new Set(closestFirst.slice(limit).map(({ EventId }) => EventId));
}

/** The next meeting first, then the later ones, then the past ones from the newest on. */
function upcomingFirst(groups: readonly (readonly EventRow[])[], day: string): readonly (readonly EventRow[])[] {
  const dayOf = ([event]: readonly EventRow[]): string => localDate(event?.EventDate) ?? '';
  const inOrder = groups.toSorted((left, right) => (dayOf(left) < dayOf(right) ? -1 : 1));
  return [
    ...inOrder.filter((group) => dayOf(group) >= day),
    ...inOrder.filter((group) => dayOf(group) < day).reverse(),
  ];
}

/** Returns the local date `YYYY-MM-DD`; null without one. */
function requireDate(since: string | undefined): string | null {
  const date = localDate(since);
  if (since !== undefined && date === null) throw new SyncRefused(`"${since}" is not a date; use YYYY-MM-DD`);
  return date;
}
