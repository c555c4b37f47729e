import type { AgendaDocument } from '../agenda-text/read-agenda.ts';
import type { Validator } from './web-reader.ts';

export interface ReadDocument {
  readonly agenda: AgendaDocument;
  /** The lines of the document; empty if it could not be read. */
  readonly text: string;
  /** Media type of the content, whatever the server states; null if the format is unknown. */
  readonly mediaType: string | null;
}

export interface DocumentReader {
  /**
   * Reads a PDF, DOCX, HTML or text document as an agenda. Never rejects because of the document: `agenda.reason` says
   * why it has no items. The media type decides only where the content does not.
   */
  read(bytes: Uint8Array, mediaType: string | null): Promise<ReadDocument>;
  /** Rejects waiting documents and ends the worker. */
  close(): Promise<void>;
}

/** A version of a document, without its text. */
export interface DocumentVersion {
  /** SHA-256 of the file, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string | null;
  readonly agenda: AgendaDocument;
  /** Version of the rules that read the agenda. */
  readonly readingVersion: number;
}

/** The newest version of a document that an address has served. */
export interface StoredDocument extends DocumentVersion {
  readonly validator: Validator;
  /** Time at which the address last served this version, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Records that were published from this version. */
  readonly recordIds: readonly string[];
  /** The meetings that show it. */
  readonly meetingIds: readonly string[];
}

/** A version with its text, and one of the addresses that serve it. */
export interface StoredText extends Pick<StoredDocument, 'sha256' | 'agenda' | 'meetingIds'> {
  readonly address: string;
  readonly text: string;
}

export type NewDocument = Omit<StoredDocument, 'recordIds' | 'meetingIds'> & { readonly text: string };

/**
 * Copies of documents as sources served them, with their text. They are not facts of the log: an erasure of a record
 * deletes the copies that the record was published from, and the next check of the source reads the document again.
 */
export interface StoredDocuments {
  /** Returns the newest version of an address; null if none is stored. */
  find(address: string): Promise<StoredDocument | null>;
  /** Stores the version that an address serves now, and deletes the one before unless another address serves it. */
  put(address: string, version: NewDocument): Promise<void>;
  /** Notes that an address still serves its version. */
  confirm(address: string, checked: Pick<StoredDocument, 'validator' | 'checkedAt'>): Promise<void>;
  /** Adds records that were published from a version, and a meeting that shows it. Writes nothing if all are known. */
  link(sha256: string, published: { readonly meetingId: string; readonly recordIds: readonly string[] }): Promise<void>;
  /** Deletes the versions that one of these records was published from. */
  forget(recordIds: readonly string[]): Promise<void>;
  /** Returns the first versions whose hash is greater than `after`, in the order of their hashes. */
  texts(after: string, limit: number): Promise<readonly StoredText[]>;
}
