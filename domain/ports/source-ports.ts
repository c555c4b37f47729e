/** Access of connectors to a Legistar client, over HTTP or from recordings. */
export interface LegistarReader {
  bodies(): Promise<readonly unknown[]>;
  /** Every event dated on or after the local date `YYYY-MM-DD`; every event when null. */
  events(from: string | null): Promise<readonly unknown[]>;
  /** One event; null when the source has none with that id. */
  event(eventId: number): Promise<unknown>;
  eventItems(eventId: number): Promise<readonly unknown[]>;
}

/** The source could not be read, after every retry. What was read so far is incomplete. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

export class UnknownSourceClient extends Error {
  override readonly name = 'UnknownSourceClient';
}
