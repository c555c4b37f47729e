/** How far a topic carries a feed. */
export interface FeedPlace {
  readonly feedId: string;
  /** Feed position of the last message. */
  readonly position: number;
  /**
   * Where history had been pruned when the topic was begun: the messages up to this position tell the records as they stood there, the
   * ones after it every change. 0: every change from the first on.
   */
  readonly boundary: number;
  /** Of the history up to the position (`feed-fingerprint.ts`); null where it was not known. */
  readonly fingerprint: string | null;
}

export interface FeedMessage {
  /** Messages of one key keep their order. */
  readonly key: string;
  /** Null tells that what the key names is gone. */
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The right to publish, which the next one to open the topic takes away. */
export interface FeedPublication {
  /** Where the topic stands, all of it: null where it has never held a message. */
  readonly place: FeedPlace | null;
  /** Messages and place become visible together, or never. Throws when that is not certain: then this publication is to be ended, and the next one tells. */
  publish(messages: readonly FeedMessage[], place: FeedPlace): Promise<void>;
  /** Never throws. */
  end(): Promise<void>;
}

/** The topic that the ordered feed is carried out to. */
export interface FeedTopic {
  readonly name: string;
  /** Fences whoever published before, and sees where he came to. Throws `NotYet` while the brokers are away, another error where an operator is needed. */
  open(): Promise<FeedPublication>;
}
