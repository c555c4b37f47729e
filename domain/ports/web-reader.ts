/** Decides whether a document has changed since it was read. Absent if the server sent no such header. */
export interface Validator {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface WebPage {
  /** Address after redirects. */
  readonly address: string;
  readonly mediaType: string | null;
  readonly text: string;
}

export interface WebFile {
  /** Address after redirects. */
  readonly address: string;
  readonly mediaType: string | null;
  readonly validator: Validator;
  readonly bytes: Uint8Array;
}

/**
 * Reads pages and documents of one source: one request per host at a time, with pauses, and only what its robots.txt
 * permits. All functions throw `SourceUnavailable` with a reason that can be published, such as
 * `refused by robots.txt: /AgendaCenter`, and `RecordGone` for status 404 and 410.
 */
export interface WebReader {
  /** Reads a page. Sends a POST request if `form` is present. */
  page(address: string, form?: Readonly<Record<string, string>>): Promise<WebPage>;
  /** Reads a document; null if it is the same as at the time of `known`. */
  file(address: string, known?: Validator): Promise<WebFile | null>;
}
