import type { NormalizedContent, RecordData } from '../records/resources.ts';

export interface ClassificationSubject {
  readonly item: RecordData<'agenda_items'>;
  readonly meeting: RecordData<'meetings'>;
  readonly body: RecordData<'public_bodies'>;
  readonly jurisdiction: RecordData<'jurisdictions'>;
  /**
   * Local day (`YYYY-MM-DD`) of the event that causes the classification. Earlier days are over, whatever their status.
   */
  readonly today?: string;
}

/** A hit with its id. The caller adds `classifiedAt`, because a classifier has no clock. */
export interface ClassifiedHit {
  readonly id: string;
  readonly content: Omit<NormalizedContent<'agenda_hits'>, 'classifiedAt'>;
}

/** The classifier failed on an item and would fail again. The message is for operators. */
export class NotClassified extends Error {
  override readonly name = 'NotClassified';
}

/** Returns the same hits with the same ids for the same subject and topics. An inactive topic has no hits. */
export interface Classifier {
  /** Stored in every hit. Must change whenever the classifier's decisions change. */
  readonly name: string;
  /** Earlier names. Hits with one of these names are outdated results of this classifier. */
  readonly formerNames: readonly string[];
  /** Rejects with `NotClassified` if the item is the cause. Pass the same array of topics while they are unchanged. */
  classify(subject: ClassificationSubject, topics: readonly RecordData<'topics'>[]): Promise<readonly ClassifiedHit[]>;
}

/** An item without hits because the classifier failed on it. */
export interface UnclassifiedItem {
  readonly itemId: string;
  readonly classifier: string;
  /** Digest of the item and the topics. The item is not retried while it is unchanged. */
  readonly digest: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly failedAt: number;
}

export interface UnclassifiedItems {
  count(): Promise<number>;
  /** Returns all items, ordered by id. */
  list(): Promise<readonly UnclassifiedItem[]>;
  /** Replaces earlier entries of the same items. */
  put(items: readonly UnclassifiedItem[]): Promise<void>;
  remove(itemIds: readonly string[]): Promise<void>;
}
