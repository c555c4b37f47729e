import type { RecordContent } from '../../../../domain/records/resources.ts';
import type { EventItemRow, EventRow } from '../rows.ts';
import type { ReadFile } from './agenda-files.ts';

/** Fields of a document record that are known once its file was read. */
export type FileFacts = Pick<RecordContent<'documents'>, 'mediaType' | 'bytes' | 'sha256' | 'textEvidence'>;

/** The agenda of an event that was read from its file. */
export interface EventFile {
  /** The packet is read only where there is no agenda. */
  readonly kind: 'agenda' | 'packet';
  /** Fields of the event that the paper states and the list lacks. */
  readonly row: Partial<EventRow>;
  readonly items: readonly EventItemRow[];
  /** Null if no file was opened. */
  readonly facts: FileFacts | null;
  /** True if the published agenda and its items stay as they are, because the file cannot be divided now. */
  readonly isKept: boolean;
  /** The version that the facts are from, if it was opened. */
  readonly version: ReadFile['version'];
  /** Reason why the meeting is published incompletely. */
  readonly flaws: readonly string[];
}
