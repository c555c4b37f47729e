import { z } from 'zod';

export interface TopicCheckpoint {
  readonly feedId: string;
  readonly position: number;
  /**
   * Pruned position when the topic was created. Up to this position the topic has only the state at that time; after
   * it, every change.
   */
  readonly boundary: number;
  /** Fingerprint of the history up to the position (`nextFingerprint`); null if it is unknown. */
  readonly fingerprint: string | null;
}

export interface FeedMessage {
  /** Messages with the same key stay in order. */
  readonly key: string;
  /** Null if the record with this key is withdrawn. */
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Exclusive right to publish to the topic, until another publisher opens it. */
export interface FeedPublication {
  /** Checkpoint of the topic; null if it has never had a message. */
  readonly place: TopicCheckpoint | null;
  /**
   * Publishes messages and checkpoint atomically. Throws if the outcome is uncertain; the next publication then reads
   * it.
   */
  publish(messages: readonly FeedMessage[], place: TopicCheckpoint): Promise<void>;
  /** Closes the connection. Never throws. */
  end(): Promise<void>;
}

export interface FeedTopic {
  readonly name: string;
  /**
   * Fences the previous publisher. Throws `NotYet` while the brokers are unavailable, another error if an operator must
   * act.
   */
  open(): Promise<FeedPublication>;
}

export interface InletPart {
  readonly topic: string;
  readonly partition: number;
}

/** Changes whose append has started: the command, and the revision of each stream before it. */
interface InletClaim {
  readonly commandId: string;
  /** Offset after its last message. */
  readonly to: bigint;
  readonly revisions: ReadonlyMap<string, number>;
}

export interface TakenPart {
  /** Grows with each takeover. Writes with an older token are rejected. */
  readonly token: number;
  /** Every message before this offset is complete. */
  readonly next: bigint;
  /** Changes that are started and not complete. They might be appended, completely or in part. */
  readonly claim: InletClaim | null;
}

/**
 * Stores the progress of each partition. The brokers' offset is not enough, because it is committed only after the
 * append.
 */
export interface InletStore {
  take(part: InletPart): Promise<TakenPart>;
  /**
   * Claims changes before their append. Merges claims of the same command. Returns false if another owner has the
   * partition.
   */
  claim(part: InletPart, token: number, claim: InletClaim): Promise<boolean>;
  /** Completes every message before this offset, and the claim. Returns false if another owner has the partition. */
  complete(part: InletPart, token: number, next: bigint): Promise<boolean>;
}

export interface InletMessage {
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

export interface RefusedMessage extends InletMessage {
  readonly part: InletPart;
  readonly reason: string;
}

/** Consumes the messages of one partition, each exactly once, and stores its progress. Unusable after it has thrown. */
export interface InletPartTaker {
  /** Returns the offset to read from. Takes over the partition on first use, when `isFresh` is true. */
  from(end: bigint): Promise<{ readonly offset: bigint; readonly isFresh: boolean }>;
  /**
   * Processes messages. `reached` is the offset after the last examined message. Returns the offset up to which every
   * message is processed. Throws if the partition was lost, as does `confirmOwner`.
   */
  take(messages: readonly InletMessage[], reached: bigint, confirmOwner: () => Promise<void>): Promise<bigint>;
}

export interface Inlet {
  /** Consumes messages until the signal aborts. Retries after every failure; never rejects. */
  readonly run: (createPart: (part: InletPart) => InletPartTaker, signal: AbortSignal) => Promise<void>;
  /** Copies rejected messages to their own topic. Resolves once the brokers have stored them. */
  readonly putAside: (refused: readonly RefusedMessage[]) => Promise<void>;
}

/** Access to the brokers. Each part connects on first use. */
export interface KafkaBrokers {
  feedTopic(topic: string, keepMs: number): FeedTopic;
  inlet(topic: string): Inlet;
}

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export interface KafkaAddress {
  readonly brokers: readonly string[];
  readonly tls: boolean;
  readonly sasl?: KafkaSasl | undefined;
}

const BROKER = /^(?:[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]):([1-9]\d{0,4})$/i;
const isBroker = (text: string): boolean => Number(BROKER.exec(text)?.[2] ?? 65_536) <= 65_535;

export const kafkaBrokers = z
  .string()
  .transform((text) => text.split(',').map((broker) => broker.trim()))
  .refine((list) => list.every(isBroker));

/** Kafka allows 249 characters. The limit here is lower, because suffixes are appended. */
export const topicName = z
  .string()
  .regex(/^[a-zA-Z0-9._-]{1,230}$/)
  .refine((name) => name !== '.' && name !== '..');

/** `mechanism:user:password`. The password can contain colons. */
export const kafkaSasl = z
  .string()
  .regex(new RegExp(`^(${SASL_MECHANISMS.join('|')}):[^:]+:.+$`))
  .transform((text) => {
    const [mechanism, username, ...password] = text.split(':');
    return {
      mechanism: mechanism as (typeof SASL_MECHANISMS)[number],
      username: username!,
      password: password.join(':'),
    };
  });
type KafkaSasl = Readonly<z.output<typeof kafkaSasl>>;

export type BrokerRequirement = 'certificate' | 'tls' | 'credential' | 'closed' | 'right';

/** The brokers reject this service. The message names the missing right and its purpose. */
export class KafkaRefused extends Error {
  override readonly name = 'KafkaRefused';
  readonly requirement: BrokerRequirement;
  readonly remedy: string;
  constructor(requirement: BrokerRequirement, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.requirement = requirement;
    this.remedy = remedy;
  }
}
