import type { RecordData } from '../records/resources.ts';

/** Largest number of items per event. An event with more cannot be read. */
export const MAX_EVENT_ITEMS = 5_000;

/** Reads one client of a platform. All platforms are converted to rows of the Legistar Web API. */
export interface AgendaReader {
  readonly platform: {
    readonly sourceType: RecordData<'sources'>['sourceType'];
    readonly label: string;
    /** True if the list of events does not state when an event was modified. */
    readonly isUnstamped?: true;
    /** True if bodies are derived from the events: a body without events might still exist at the source. */
    readonly listsNoBodies?: true;
    /** True if the platform publishes recordings of meetings that another source of the same body announces. */
    readonly isSecondary?: true;
    /**
     * True if agendas are read from their files: an event without items has those of the document at `EventAgendaFile`,
     * or at `EventAgendaDownload` if the public address is a page.
     */
    readonly readsAgendaFiles?: true;
    /** Page that lists the client's meetings, for events without an address of their own. */
    readonly calendarUrl?: string;
  };
  /** Local date `YYYY-MM-DD` before which the list of events is incomplete: an older event that it lacks might still exist. */
  readonly listedFrom?: string | null;
  bodies(): Promise<readonly unknown[]>;
  /** Returns every event dated on or after the local date `YYYY-MM-DD`; every event if null. */
  events(from: string | null): Promise<readonly unknown[]>;
  /** Returns one event; null if the source has none with that id. */
  event(eventId: number): Promise<unknown>;
  /** Returns the items of an event. Throws `RecordGone`. */
  eventItems(eventId: number): Promise<readonly unknown[]>;
  /** Returns the votes by member on one row of an agenda. Absent on platforms without votes. */
  votes?(eventItemId: number): Promise<readonly unknown[]>;
  /** Returns details that the list of events lacks. Throws `RecordGone`. */
  details?(eventId: number): Promise<EventDetails>;
}

export interface EventDetails {
  readonly EventAgendaFile?: string | null;
  readonly EventAgendaDownload?: string | null;
  /** True if the reader read the agenda and found text. */
  readonly EventAgendaHasText?: boolean;
  readonly EventInSiteURL?: string;
  readonly EventLocation?: string | null;
  readonly EventAgendaStatusName?: string;
}

/** List service of a CivicWeb portal. Dates are `YYYY-MM-DD`. */
export interface CivicWebClient {
  meetings(from: string, to: string): Promise<readonly unknown[]>;
  /** Throws `RecordGone`. */
  documents(meetingId: number): Promise<readonly unknown[]>;
}

/** Public portal of TechShare Agenda Management, for one committee. */
export interface TechShareClient {
  /** Archived, current and upcoming meetings. */
  meetings(): Promise<readonly unknown[]>;
}

/** Calendar of an OpenCities site. */
export interface OpenCitiesClient {
  /** The entries of a year. */
  entries(year: number): Promise<readonly unknown[]>;
  /** Throws `RecordGone`. */
  details(entry: OpenCitiesEntry): Promise<unknown>;
}

/** Entry of a calendar. `DateTime` is the local time, day first, with a 12-hour clock. */
export interface OpenCitiesEntry {
  readonly CalendarId: string;
  readonly Id: string;
  readonly MainContentId: string;
  readonly DateTime: string;
}

/** Event service of a CivicClerk customer. */
export interface CivicClerkClient {
  events(): Promise<readonly unknown[]>;
  /** The items of an agenda as a tree; null if the customer has not published them. */
  agenda(agendaId: number): Promise<unknown>;
}

/** The source could not be read despite retries. The rows read so far are incomplete. */
export class SourceUnavailable extends Error {
  override readonly name: string = 'SourceUnavailable';
}

/** The source no longer has a part of an event (status 410). The event itself might still exist. */
export class RecordGone extends SourceUnavailable {
  override readonly name = 'RecordGone';
}

export class UnknownSourceClient extends Error {
  override readonly name = 'UnknownSourceClient';
}
