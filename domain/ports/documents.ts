import type { AgendaDocument } from '../agenda-text/read-agenda.ts';

export interface ReadDocument {
  readonly agenda: AgendaDocument;
  /** The lines of the document; empty if it could not be read. */
  readonly text: string;
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
