/** The actions of a hostile client on one connection, as data for the driver and the checks. */
export interface Conversation {
  readonly listener: 'public' | 'operators';
  readonly kind: string;
  readonly steps: readonly Step[];
  readonly end: End;
  /** Methods of the requests in their order; null if a mutation leaves them unknown. */
  readonly methods: readonly string[] | null;
  /** True if the tool protocol may answer: its errors are JSON-RPC. */
  readonly tools: boolean;
}

/** Bytes, or a pause in milliseconds before the next bytes. */
export type Step = Buffer | number;

/**
 * The end of a conversation, once its steps are sent: `read` half-closes and reads until the server ends the
 * connection; `answers` stays open until every request has its answer; `reset` sends a TCP reset; `leave` closes
 * without reading; `hold` never reads and stays open until the batch is over.
 */
export type End = 'read' | 'answers' | 'reset' | 'leave' | 'hold';

/** The values of the service under attack that the generator uses. */
export interface FuzzFacts {
  /** A key with all scopes. */
  readonly key: string;
  readonly snapshotId: string;
  readonly subscriptionId: string;
  readonly reportId: string;
}
