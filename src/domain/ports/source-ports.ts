/** What connectors need from outside: a way to read a Legistar client, over HTTP or from recordings. */
export interface LegistarReader {
  /** Every body of the client, as the source states them. */
  bodies(): Promise<readonly unknown[]>;
  /** Every event dated on or after the local date `YYYY-MM-DD`, or every event there is when null. */
  events(from: string | null): Promise<readonly unknown[]>;
  /** One event, or null when the source says that it has none of that id. */
  event(eventId: number): Promise<unknown>;
  /** Every item of an event, with its attachments. */
  eventItems(eventId: number): Promise<readonly unknown[]>;
}

/** The source could not be read, after every retry; what was read so far must not be taken for the whole. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The source says that it does not know the client. */
export class UnknownSourceClient extends Error {
  override readonly name = 'UnknownSourceClient';
}
