import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type AppendReq, type BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import googleEmpty from 'google-protobuf/google/protobuf/empty_pb.js';
import { NO_STREAM, type StreamAppend } from '../../domain/ports/event-log.ts';
import { customMetadata, dataBytes } from './event-form.ts';

/** Largest message; the events of an append take as many messages as needed. */
const MESSAGE_BYTES = 1_000_000;
const JSON_TYPE = 'application/json';

export function streamIdentifier(stream: string) {
  const named = new shared.StreamIdentifier();
  named.setStreamName(Buffer.from(stream));
  return named;
}
function uuid(text: string) {
  const made = new shared.UUID();
  made.setString(text);
  return made;
}

interface EncodedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface EncodedAppend {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EncodedEvent[];
  readonly bytes: number;
}

/** Throws a `SyntaxError` or `TypeError` for data that cannot be stored. */
export function encodeAppend({ stream, expectedRevision, events }: StreamAppend): EncodedAppend {
  const encoded = events.map((event) => ({ id: event.id, type: event.type, data: dataBytes(event), metadata: customMetadata(event) }));
  const bytes = encoded.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  return { stream, expectedRevision, events: encoded, bytes };
}

type Message = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage;
function filled<Proposed extends Message>(message: Proposed, { id, type, data, metadata }: EncodedEvent): Proposed {
  message.setId(uuid(id));
  message.getMetadataMap().set('type', type).set('content-type', JSON_TYPE);
  message.setData(data);
  message.setCustomMetadata(metadata);
  return message;
}

/** An append as messages of a batch call: the events in portions, the last one marked. */
export function batchRequests(correlationId: string, { stream, expectedRevision, events }: EncodedAppend): readonly BatchAppendReq[] {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expectedRevision === NO_STREAM) options.setNoStream(new googleEmpty.Empty());
  else options.setStreamPosition(String(expectedRevision));
  const requests: BatchAppendReq[] = [];
  let bytes = 0;
  const begin = (): BatchAppendReq => {
    const request = new streams.BatchAppendReq();
    request.setCorrelationId(uuid(correlationId));
    if (requests.length === 0) request.setOptions(options);
    requests.push(request);
    bytes = 0;
    return request;
  };
  let request = begin();
  for (const event of events) {
    const { data, metadata } = event;
    if (bytes > 0 && bytes + data.length + metadata.length > MESSAGE_BYTES) request = begin();
    bytes += data.length + metadata.length;
    request.addProposedMessages(filled(new streams.BatchAppendReq.ProposedMessage(), event));
  }
  request.setIsFinal(true);
  return requests;
}

/** An append as messages of a single call. */
export function singleRequests({ stream, expectedRevision, events }: EncodedAppend): readonly AppendReq[] {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expectedRevision === NO_STREAM) options.setNoStream(new shared.Empty());
  else options.setRevision(String(expectedRevision));
  const header = new streams.AppendReq();
  header.setOptions(options);
  const messages = events.map((event) => {
    const request = new streams.AppendReq();
    request.setProposedMessage(filled(new streams.AppendReq.ProposedMessage(), event));
    return request;
  });
  return [header, ...messages];
}
