import { z } from 'zod';

export interface TopicCheckpoint {
  readonly feedId: string;
  readonly position: number;
  /** History was pruned up to here at the topic's creation: up to it are the records as of then, later every change. 0: all changes. */
  readonly boundary: number;
  /** Fingerprint of the history up to the position (`nextFingerprint`); null where it is unknown. */
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

export interface InletPart {
  readonly topic: string;
  readonly partition: number;
}

/** Changes whose append has begun: the command, and the revision of each stream before it. */
interface InletClaim {
  readonly commandId: string;
  /** Offset after its last message. */
  readonly to: bigint;
  readonly revisions: ReadonlyMap<string, number>;
}

export interface TakenPart {
  /** Grows with each takeover; writes with an older token are refused. */
  readonly token: number;
  /** Every message before this offset is complete. */
  readonly next: bigint;
  /** Begun and not complete: the changes may be appended, in whole or in part. */
  readonly claim: InletClaim | null;
}

/** Progress of each partition. Stored beside the read models, because the offset at the brokers is committed only after the append. */
export interface InletStore {
  take(part: InletPart): Promise<TakenPart>;
  /** Before the append. Replaces revisions of the same command's claim and keeps its others. False when another owner has the partition. */
  claim(part: InletPart, token: number, claim: InletClaim): Promise<boolean>;
  /** Settles every message before this offset, and the claim. False as above. */
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

/** Takes the messages of one partition, each exactly once, and stores how far it came. Not used again after it has thrown. */
export interface InletPartTaker {
  /** The offset to read from; `end` is where the partition ends. Takes the partition where that has not been done: then `isFresh`. */
  from(end: bigint): Promise<{ readonly offset: bigint; readonly isFresh: boolean }>;
  /**
   * `reached`: the offset after the last examined message. Resolves to the offset up to which every message was processed. Throws when the
   * partition was lost; so does `confirmOwner`.
   */
  take(messages: readonly InletMessage[], reached: bigint, confirmOwner: () => Promise<void>): Promise<bigint>;
}

export interface Inlet {
  /** Takes messages until the signal aborts. Retries after every failure; never rejects. */
  readonly run: (createPart: (part: InletPart) => InletPartTaker, signal: AbortSignal) => Promise<void>;
  /** Copies messages to the topic of refused ones; resolves once the brokers have stored them. */
  readonly putAside: (refused: readonly RefusedMessage[]) => Promise<void>;
}

/** Each connects when it is first used. */
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

/** As Kafka has them: 249 characters, and room is left for what we append. */
export const topicName = z
  .string()
  .regex(/^[a-zA-Z0-9._-]{1,230}$/)
  .refine((name) => name !== '.' && name !== '..');

/** `mechanism:user:password`; the password may hold colons. */
export const kafkaSasl = z
  .string()
  .regex(new RegExp(`^(${SASL_MECHANISMS.join('|')}):[^:]+:.+$`))
  .transform((text) => {
    const [mechanism, username, ...password] = text.split(':');
    return { mechanism: mechanism as (typeof SASL_MECHANISMS)[number], username: username!, password: password.join(':') };
  });
type KafkaSasl = Readonly<z.output<typeof kafkaSasl>>;

export type WantedByBrokers = 'certificate' | 'tls' | 'credential' | 'closed' | 'right';

/** The brokers refuse this service; the message says what is missing, and for what. */
export class KafkaRefused extends Error {
  override readonly name = 'KafkaRefused';
  readonly wanted: WantedByBrokers;
  readonly remedy: string;
  constructor(wanted: WantedByBrokers, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.wanted = wanted;
    this.remedy = remedy;
  }
}
