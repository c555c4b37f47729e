import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import googleEmpty from 'google-protobuf/google/protobuf/empty_pb.js';
import { LogUnavailable, NO_STREAM, OutcomeUnknown, type Position, type StreamAppend } from '../../domain/ports/event-log.ts';
import { customMetadata, dataBytes, filled, toPosition } from './event-form.ts';

/** Largest message; the events of an append take as many messages as needed. */
const MESSAGE_BYTES = 1_000_000;

export const streamIdentifier = (stream: string) => filled(new shared.StreamIdentifier(), { streamName: Buffer.from(stream) });
const uuid = (text: string) => filled(new shared.UUID(), { string: text });

/** Throws a `SyntaxError` or `TypeError` for data that cannot be stored. */
export function encodeAppend({ stream, expectedRevision, events }: StreamAppend) {
  const encoded = events.map((event) => ({ id: event.id, type: event.type, data: dataBytes(event), metadata: customMetadata(event) }));
  const bytes = encoded.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  return { stream, expectedRevision, events: encoded, bytes };
}
export type EncodedAppend = ReturnType<typeof encodeAppend>;

/** An append as messages of a batch call: the events in portions, the last one marked. */
export function batchRequests(correlationId: string, { stream, expectedRevision, events }: EncodedAppend): readonly BatchAppendReq[] {
  const options = filled(new streams.BatchAppendReq.Options(), {
    streamIdentifier: streamIdentifier(stream),
    ...(expectedRevision === NO_STREAM ? { noStream: new googleEmpty.Empty() } : { streamPosition: String(expectedRevision) }),
  });
  const begin = (): BatchAppendReq => filled(new streams.BatchAppendReq(), { correlationId: uuid(correlationId) });
  const requests = [begin().setOptions(options)];
  let bytes = 0;
  for (const { id, type, data, metadata } of events) {
    const size = data.length + metadata.length;
    if (bytes > 0 && bytes + size > MESSAGE_BYTES) {
      requests.push(begin());
      bytes = 0;
    }
    bytes += size;
    const message = filled(new streams.BatchAppendReq.ProposedMessage(), { id: uuid(id), data, customMetadata: metadata });
    message.getMetadataMap().set('type', type).set('content-type', 'application/json');
    requests.at(-1)!.addProposedMessages(message);
  }
  requests.at(-1)!.setIsFinal(true);
  return requests;
}

/** The server's answer to an append. It gives no position for a repeated append: that must be read. */
export type Answer =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: Position | null }
  | { readonly kind: 'conflict'; readonly actualRevision: number };

/**
 * The answer to one append of a batch call. Throws `LogUnavailable`, `OutcomeUnknown` where the append may have been stored, or an error that
 * a repetition does not change.
 */
export function batchAnswer(answer: BatchAppendResp): Answer {
  const error = answer.getError();
  if (error === undefined) {
    const success = answer.getSuccess();
    if (success === undefined) throw new OutcomeUnknown('the log answered an append with nothing');
    const position = success.getPosition();
    const revision = Number(success.getCurrentRevision());
    return { kind: 'appended', revision, position: position === undefined ? null : toPosition(position) };
  }
  const details = error.getDetails();
  const name = details?.getTypeName() ?? '';
  switch (name) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = details!.unpack((bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes), name)!;
      return { kind: 'conflict', actualRevision: wrong.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : NO_STREAM };
    }
    case 'event_store.client.MaximumAppendSizeExceeded': {
      const { maxappendsize } = details!.unpack((bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes), name)!.toObject();
      throw new Error(`an append is larger than the ${maxappendsize} bytes that the server takes: raise its setting MaxAppendSize`);
    }
    case 'event_store.client.AccessDenied':
      throw new Error('the log refuses to append with these credentials: see EVENTSTORE_URL');
    case 'event_store.client.StreamDeleted':
      throw new Error('the stream was deleted in the log by something else');
    case 'google.protobuf.Empty':
      throw new LogUnavailable(`the log takes no appends now: ${error.getMessage()}`);
    default:
      throw new OutcomeUnknown(`the log did not say whether the append is stored: ${name} ${error.getMessage()}`.trim());
  }
}
