import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams, { type BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import googleEmpty from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Proposed, sizeOf, type Stored } from './kurrent-peer-store.ts';

export const proposed = (message: BatchAppendReq.ProposedMessage): Proposed => ({
  id: message.getId()!.getString(),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

export const streamName = (identifier: InstanceType<typeof shared.StreamIdentifier> | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export const total = (events: readonly Proposed[]): number => events.reduce((sum, event) => sum + sizeOf(event), 0);

/** An append of a batch call while its messages arrive. */
export interface Gathered {
  readonly stream: string;
  readonly expected: number;
  readonly events: Proposed[];
}

export const expectedOf = (options: BatchAppendReq.Options): number =>
  options.hasNoStream() ? -1 : Number(options.getStreamPosition());

function answerTo(correlation: string, stream: string): BatchAppendResp {
  const answer = new streams.BatchAppendResp();
  const id = new shared.UUID();
  id.setString(correlation);
  answer.setCorrelationId(id);
  const named = new shared.StreamIdentifier();
  named.setStreamName(Buffer.from(stream));
  answer.setStreamIdentifier(named);
  return answer;
}

function failed(
  answer: BatchAppendResp,
  name: string,
  details: { serializeBinary(): Uint8Array },
  message = '',
): BatchAppendResp {
  const packed = new anyPb.Any();
  packed.pack(details.serializeBinary(), name);
  const error = new status.Status();
  error.setDetails(packed);
  error.setMessage(message);
  answer.setError(error);
  return answer;
}

export function batchStored(correlation: string, { stream, expected }: Gathered, stored: Stored): BatchAppendResp {
  const answer = answerTo(correlation, stream);
  if (stored.kind === 'wrong version') {
    const wrong = new shared.WrongExpectedVersion();
    if (stored.actual < 0) wrong.setCurrentNoStream(new googleEmpty.Empty());
    else wrong.setCurrentStreamRevision(String(stored.actual));
    if (expected < 0) wrong.setExpectedNoStream(new googleEmpty.Empty());
    else wrong.setExpectedStreamPosition(String(expected));
    return failed(answer, 'event_store.client.WrongExpectedVersion', wrong);
  }
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(stored.revision));
  if (stored.kind === 'stored') {
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(String(stored.place));
    position.setPreparePosition(String(stored.place));
    success.setPosition(position);
  } else success.setNoPosition(new googleEmpty.Empty());
  answer.setSuccess(success);
  return answer;
}

export function batchTooLarge(correlation: string, { stream }: Gathered, limit: number): BatchAppendResp {
  const details = new shared.MaximumAppendSizeExceeded();
  details.setMaxappendsize(limit);
  return failed(answerTo(correlation, stream), 'event_store.client.MaximumAppendSizeExceeded', details);
}

export const batchBusy = (correlation: string, { stream }: Gathered): BatchAppendResp =>
  failed(answerTo(correlation, stream), 'google.protobuf.Empty', new googleEmpty.Empty(), 'Server Is Busy');
