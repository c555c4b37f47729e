import type { NormalizedContent, RecordData } from '../records/resources.ts';

/** An agenda item with the records it hangs on, as they are published now. */
export interface ClassificationSubject {
  readonly item: RecordData<'agenda_items'>;
  readonly meeting: RecordData<'meetings'>;
  readonly body: RecordData<'public_bodies'>;
  readonly jurisdiction: RecordData<'jurisdictions'>;
}

/** A hit under its own id. When it was classified is the caller's to say: a classifier has no clock. */
export interface ClassifiedHit {
  readonly id: string;
  readonly content: Omit<NormalizedContent<'agenda_hits'>, 'classifiedAt'>;
}

/**
 * Decides which topics an agenda item is about. The same subject and topics must give the same hits, ids included, or a second run over
 * unchanged records would publish changes; a topic that is not active for classification gives none.
 */
export interface Classifier {
  /** Written into every hit; a classifier that decides otherwise than before takes another name. */
  readonly name: string;
  classify(subject: ClassificationSubject, topics: readonly RecordData<'topics'>[]): Promise<readonly ClassifiedHit[]>;
}
