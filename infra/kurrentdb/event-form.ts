import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { LOG_START, type NewEvent, type Position, type StoredEvent } from '../../domain/ports/event-log.ts';

export type RecordedEvent = ReadResp.ReadEvent.RecordedEvent;

type Fields<Message> = {
  readonly [Name in keyof Message as Name extends `set${infer Field}` ? Uncapitalize<Field> : never]?: Message[Name] extends (
    value: infer Value,
  ) => unknown
    ? Value
    : never;
};

export function filled<Message extends object>(message: Message, fields: Fields<Message>): Message {
  const setters = message as Record<string, (value: unknown) => void>;
  for (const [name, value] of Object.entries(fields)) setters[`set${name[0]!.toUpperCase()}${name.slice(1)}`]!(value);
  return message;
}

export const streamIdentifier = (stream: string) => filled(new shared.StreamIdentifier(), { streamName: Buffer.from(stream) });
const DIGITS = 20;
const POSITION = /^(\d{20})\/(\d{20})$/;
/** The server's value for an unknown position: the largest number of 64 bits. */
const UNKNOWN = 2n ** 63n;

/** Commit and prepare position, each in twenty digits, so that the order of texts is the order of the log. Null for an unknown position. */
export function toPosition(server: Pick<RecordedEvent, 'getCommitPosition' | 'getPreparePosition'>): Position | null {
  const both = [server.getCommitPosition(), server.getPreparePosition()];
  return both.some((part) => BigInt(part) >= UNKNOWN) ? null : (both.map((part) => part.padStart(DIGITS, '0')).join('/') as Position);
}

/** Null for the start of the log. Throws for a position of another kind of log. */
export function fromPosition(position: Position): { readonly commit: string; readonly prepare: string } | null {
  if (position === LOG_START) return null;
  const [, commit, prepare] = POSITION.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${position} is no position of a log on KurrentDB: the checkpoint belongs to another log`);
  }
  return { commit: String(BigInt(commit)), prepare: String(BigInt(prepare)) };
}

const METADATA = /^\{"schemaVersion":(\d+),"time":(-?\d+),"metadata":(.*)\}$/s;

/** The schema version, the time of the clock port (not of the store), and the text of the metadata of the event. */
export const customMetadata = ({ schemaVersion, time, metadata }: NewEvent): Uint8Array =>
  Buffer.from(`{"schemaVersion":${schemaVersion},"time":${time},"metadata":${JSON.stringify(metadata)}}`);

/** Throws for a text that is not JSON or not valid UTF-8: the server does not check, and readers would fail. */
export function dataBytes({ data }: NewEvent): Uint8Array {
  if (!data.isWellFormed()) throw new TypeError('the data of an event holds half a character');
  JSON.parse(data);
  return Buffer.from(data);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
export const typeOf = (recorded: RecordedEvent): string => recorded.getMetadataMap().get('type') ?? '';

/** The event, its data byte for byte. Throws for an event that another program wrote. */
export function toEvent(recorded: RecordedEvent): StoredEvent {
  const stream = text(recorded.getStreamIdentifier()!.getStreamName_asU8());
  const type = typeOf(recorded);
  const [, schemaVersion, time, metadata] = METADATA.exec(text(recorded.getCustomMetadata_asU8())) ?? [];
  if (metadata === undefined) {
    throw new Error(
      `event ${recorded.getStreamRevision()} of ${stream} (${type}) is not of this service: give its log a server of its own`,
    );
  }
  const position = toPosition(recorded);
  if (position === null) throw new Error('the server does not return the positions of events in streams: use version 22.10 or newer');
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
