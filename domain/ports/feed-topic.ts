/** How far a topic contains a feed. */
export interface TopicCheckpoint {
  readonly feedId: string;
  /** Feed position of the last message. */
  readonly position: number;
  /**
   * Position up to which history was pruned when the topic was created. Messages up to it are the records as of this position, later ones
   * are every change. 0: every change from the first.
   */
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
  /**
   * Makes messages and checkpoint visible together, or neither. Throws when the outcome is uncertain: end this publication then; the next
   * one reads the outcome.
   */
  publish(messages: readonly FeedMessage[], place: TopicCheckpoint): Promise<void>;
  /** Never throws. */
  end(): Promise<void>;
}

/** The topic that the ordered feed is published to. */
export interface FeedTopic {
  readonly name: string;
  /**
   * Fences the former publisher and reads the checkpoint. Throws `NotYet` while the brokers are unavailable, another error where an
   * operator is needed.
   */
  open(): Promise<FeedPublication>;
}
