import type { RecordData } from '../records/resources.ts';

/** Access to a client in the form of the Legistar Web API: Legistar itself, over HTTP or from recordings, or a platform in its form. */
export interface LegistarReader {
  readonly platform: {
    readonly sourceType: RecordData<'sources'>['sourceType'];
    readonly label: string;
    /** The list of events does not say when one was modified. */
    readonly isUnstamped?: true;
  };
  bodies(): Promise<readonly unknown[]>;
  /** Every event dated on or after the local date `YYYY-MM-DD`; every event when null. */
  events(from: string | null): Promise<readonly unknown[]>;
  /** One event; null when the source has none with that id. */
  event(eventId: number): Promise<unknown>;
  eventItems(eventId: number): Promise<readonly unknown[]>;
  /** What the list of events does not name. */
  details?(eventId: number): Promise<EventDetails>;
}

export interface EventDetails {
  readonly EventAgendaFile?: string | null;
  readonly EventInSiteURL?: string;
  readonly EventLocation?: string | null;
  readonly EventAgendaStatusName?: string;
}

/** The list service of a CivicWeb portal. Dates are `YYYY-MM-DD`. */
export interface CivicWebClient {
  meetings(from: string, to: string): Promise<readonly unknown[]>;
  documents(meetingId: number): Promise<readonly unknown[]>;
}

/** The public portal of TechShare Agenda Management, for one committee. */
export interface TechShareClient {
  /** Archived, current and upcoming meetings. */
  meetings(): Promise<readonly unknown[]>;
}

/** A calendar of an OpenCities site. */
export interface OpenCitiesClient {
  /** The entries of a year. */
  entries(year: number): Promise<readonly unknown[]>;
  details(entry: OpenCitiesEntry): Promise<unknown>;
}

/** `DateTime` is the local time, day first, in twelve hours. */
export interface OpenCitiesEntry {
  readonly CalendarId: string;
  readonly Id: string;
  readonly MainContentId: string;
  readonly DateTime: string;
}

/** The event service of a CivicClerk client. */
export interface CivicClerkClient {
  events(): Promise<readonly unknown[]>;
}

/** The source could not be read, after every retry. What was read so far is incomplete. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

export class UnknownSourceClient extends Error {
  override readonly name = 'UnknownSourceClient';
}
