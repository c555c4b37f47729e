/** Access to a client in the form of the Legistar Web API: Legistar itself, over HTTP or from recordings, or a platform in its form. */
export interface LegistarReader {
  readonly platform: { readonly sourceType: 'legistar' | 'other'; readonly label: string };
  bodies(): Promise<readonly unknown[]>;
  /** Every event dated on or after the local date `YYYY-MM-DD`; every event when null. */
  events(from: string | null): Promise<readonly unknown[]>;
  /** One event; null when the source has none with that id. */
  event(eventId: number): Promise<unknown>;
  eventItems(eventId: number): Promise<readonly unknown[]>;
  /** Address of an agenda that the list of events does not name. */
  agendaFile?(eventId: number): Promise<string | null>;
}

/** The list service of a CivicWeb portal. Dates are `YYYY-MM-DD`. */
export interface CivicWebClient {
  meetings(from: string, to: string): Promise<readonly unknown[]>;
  documents(meetingId: number): Promise<readonly unknown[]>;
}

/** The source could not be read, after every retry. What was read so far is incomplete. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

export class UnknownSourceClient extends Error {
  override readonly name = 'UnknownSourceClient';
}
