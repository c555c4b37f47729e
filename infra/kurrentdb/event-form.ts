import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { LOG_START, type NewEvent, type Position, type StoredEvent } from '../../domain/ports/event-log.ts';

export type RecordedEvent = ReadResp.ReadEvent.RecordedEvent;

type Fields<Message> = {
  readonly [Name in keyof Message as Name extends `set${infer Field}`
    ? Uncapitalize<Field>
    : never]?: Message[Name] extends (value: infer Value) => unknown ? Value : never;
};

export function filled<Message extends object>(message: Message, fields: Fields<Message>): Message {
  const setters = message as Record<string, (value: unknown) => void>;
  for (const [name, value] of Object.entries(fields)) setters[`set${name[0]!.toUpperCase()}${name.slice(1)}`]!(value);
  return message;
}

export const streamIdentifier = (stream: string) =>
  filled(new shared.StreamIdentifier(), { streamName: Buffer.from(stream) });
const DIGITS = 20;
const POSITION = /^(\d{20})\/(\d{20})$/;
/** Smallest value that means "unknown position": the server sends the largest number of 64 bits. */
const UNKNOWN = 2n ** 63n;

/**
 * Joins commit and prepare position, each padded to twenty digits, so that positions sort like the log. Returns null
 * for an unknown position.
 */
export function toPosition(server: Pick<RecordedEvent, 'getCommitPosition' | 'getPreparePosition'>): Position | null {
  const parts = [server.getCommitPosition(), server.getPreparePosition()];
  return parts.some((part) => BigInt(part) >= UNKNOWN)
    ? null
    : (parts.map((part) => part.padStart(DIGITS, '0')).join('/') as Position);
}

/** Parses a position. Returns null for the start of the log. Throws for a position of another kind of log. */
export function parsePosition(position: Position): { readonly commit: string; readonly prepare: string } | null {
  if (position === LOG_START) return null;
  const [, commit, prepare] = POSITION.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${position} is no position of a log on KurrentDB: the checkpoint belongs to another log`);
  }
  return { commit: String(BigInt(commit)), prepare: String(BigInt(prepare)) };
}

const METADATA = /^\{"schemaVersion":(\d+),"time":(-?\d+),"metadata":(.*)\}$/s;

/** Encodes the schema version, the time of the clock port (not of the store), and the event's metadata. */
export const customMetadata = ({ schemaVersion, time, metadata }: NewEvent): Uint8Array =>
  Buffer.from(`{"schemaVersion":${schemaVersion},"time":${time},"metadata":${JSON.stringify(metadata)}}`);

/**
 * Encodes the data. Throws for text that is not JSON or not well-formed: the server does not check, and readers would
 * fail.
 */
export function dataBytes({ data }: NewEvent): Uint8Array {
  if (!data.isWellFormed()) throw new TypeError('the data of an event contains an unpaired surrogate');
  JSON.parse(data);
  return Buffer.from(data);
}

const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
export const typeOf = (recorded: RecordedEvent): string => recorded.getMetadataMap().get('type') ?? '';

/** Decodes an event without changing a byte of its data. Throws for an event of another program. */
export function toEvent(recorded: RecordedEvent): StoredEvent {
  const stream = text(recorded.getStreamIdentifier()!.getStreamName_asU8());
  const type = typeOf(recorded);
  const [, schemaVersion, time, metadata] = METADATA.exec(text(recorded.getCustomMetadata_asU8())) ?? [];
  if (metadata === undefined) {
    throw new Error(
      `event ${recorded.getStreamRevision()} of ${stream} (${type}) belongs to another program: use a dedicated server`,
    );
  }
  const position = toPosition(recorded);
  if (position === null)
    throw new Error('the server does not return the positions of events in streams: use version 22.10 or newer');
  return {
    position,
    stream,
    revision: Number(recorded.getStreamRevision()),
    id: recorded.getId()!.getString(),
    type,
    schemaVersion: Number(schemaVersion),
    data: text(recorded.getData_asU8()),
    metadata,
    time: Number(time),
  };
}
