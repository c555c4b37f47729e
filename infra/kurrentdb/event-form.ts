import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { NewEvent, StoredEvent } from '../../domain/ports/event-log.ts';
import { isKnown, toPosition } from './log-position.ts';

export type RecordedEvent = ReadResp.ReadEvent.RecordedEvent;

const FORM = /^\{"schemaVersion":(\d+),"time":(-?\d+),"metadata":(.*)\}$/s;

/**
 * The metadata in the store: the schema version, the time of the clock port (not of the store), and the text of the event's own metadata.
 */
export const customMetadata = ({ schemaVersion, time, metadata }: NewEvent): Uint8Array =>
  Buffer.from(`{"schemaVersion":${schemaVersion},"time":${time},"metadata":${JSON.stringify(metadata)}}`);

/** Throws for a text that is not JSON or not valid UTF-8: the server does not check, and readers would fail. */
export function dataBytes({ data }: NewEvent): Uint8Array {
  if (!data.isWellFormed()) throw new TypeError('the data of an event holds half a character');
  JSON.parse(data);
  return Buffer.from(data);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** Prefix of the types of the server's own events. */
export const isSystemType = (type: string): boolean => type.startsWith('$');

export const typeOf = (recorded: RecordedEvent): string => recorded.getMetadataMap().get('type') ?? '';

/** The event, its data byte for byte. Throws for an event that another program wrote. */
export function toEvent(recorded: RecordedEvent): StoredEvent {
  const stream = text(recorded.getStreamIdentifier()!.getStreamName_asU8());
  const type = typeOf(recorded);
  const [, schemaVersion, time, metadata] = FORM.exec(text(recorded.getCustomMetadata_asU8())) ?? [];
  if (metadata === undefined) {
    throw new Error(
      `event ${recorded.getStreamRevision()} of ${stream} (${type}) is not of this service: give its log a server of its own`,
    );
  }
  const place = { commit: recorded.getCommitPosition(), prepare: recorded.getPreparePosition() };
  if (!isKnown(place)) throw new Error('the server does not return the positions of events in streams: use version 22.10 or newer');
  return {
    position: toPosition(place),
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
