import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import type { ClientPlace } from './bodies.ts';
import type { ClientBodies } from './client-bodies.ts';
import type { JoinedSources } from './joined-sources.ts';
import type { AgendaFiles } from './files/agenda-files.ts';
import type { EventPlace } from './map-event.ts';
import type { Removals } from './removals.ts';
import type { EventRow } from './rows.ts';
import type { RunFindings } from './run-findings.ts';

/** State that the steps of one sync share. */
export interface RunContext {
  readonly client: string;
  readonly reader: AgendaReader;
  readonly known: PublishedRecords;
  readonly clock: Clock;
  readonly place: ClientPlace;
  /** Local date `YYYY-MM-DD` from which every event is read; null to read recently modified ones. */
  readonly since: string | null;
  /** True if items and details of an event are read, not only its row in the list. */
  readonly isReadInFull: (event: EventRow) => boolean;
  readonly bodies: ClientBodies;
  readonly joined: JoinedSources;
  readonly findings: RunFindings;
  readonly removals: Removals;
  /** Null on platforms whose agendas are not read from files. */
  readonly files: AgendaFiles | null;
}

/** Returns the place of an event; null if the list of bodies lacks its body. */
export function eventPlace({ client, reader, place, bodies }: RunContext, event: EventRow): EventPlace | null {
  const body = bodies.place(event.EventBodyId);
  if (body === undefined) return null;
  return {
    client,
    timezone: place.timezone,
    body,
    known: bodies.meetings.get(String(event.EventId)) ?? null,
    calendarUrl: reader.platform.calendarUrl ?? null,
  };
}

/** The local day of the place, `YYYY-MM-DD`. */
export const today = ({ clock, place }: RunContext): string => dateOfDay(localDay(clock.now(), place.timezone));

export const goneReason = (eventId: string): string => `the source no longer has event ${eventId}`;
