export interface TopicCheckpoint {
  readonly feedId: string;
  readonly position: number;
  /** History was pruned up to here at the topic's creation: up to it are the records as of then, later every change. 0: all changes. */
  readonly boundary: number;
  /** Fingerprint of the history up to the position (`feed-fingerprint.ts`); null where it is unknown. */
  readonly fingerprint: string | null;
}

export interface FeedMessage {
  /** Messages with the same key keep their order. */
  readonly key: string;
  /** Null: the record with this key is withdrawn. */
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The right to publish to the topic, until another publisher opens it. */
export interface FeedPublication {
  /** The checkpoint of the topic; null where it never held a message. */
  readonly place: TopicCheckpoint | null;
  /** Makes messages and checkpoint visible together, or neither. Throws on an uncertain outcome, which the next publication reads. */
  publish(messages: readonly FeedMessage[], place: TopicCheckpoint): Promise<void>;
  /** Never throws. */
  end(): Promise<void>;
}

export interface FeedTopic {
  readonly name: string;
  /** Fences the former publisher. Throws `NotYet` while the brokers are unavailable, another error where an operator is needed. */
  open(): Promise<FeedPublication>;
}
