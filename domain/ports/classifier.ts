import type { NormalizedContent, RecordData } from '../records/resources.ts';

export interface ClassificationSubject {
  readonly item: RecordData<'agenda_items'>;
  readonly meeting: RecordData<'meetings'>;
  readonly body: RecordData<'public_bodies'>;
  readonly jurisdiction: RecordData<'jurisdictions'>;
  /** The day `YYYY-MM-DD` at the meeting's place when the event came that causes the classification. Days before it are over, whatever a status says. */
  readonly today?: string;
}

/** A hit with its id. The caller adds `classifiedAt`: a classifier has no clock. */
export interface ClassifiedHit {
  readonly id: string;
  readonly content: Omit<NormalizedContent<'agenda_hits'>, 'classifiedAt'>;
}

/** The same subject and topics give the same hits, ids included: a second run publishes nothing. An inactive topic gives no hit. */
export interface Classifier {
  /** Written into every hit. A classifier with changed decisions has a new name. */
  readonly name: string;
  /** Former names: hits under them are results of this classifier that are out of date. */
  readonly formerNames: readonly string[];
  classify(subject: ClassificationSubject, topics: readonly RecordData<'topics'>[]): Promise<readonly ClassifiedHit[]>;
}
