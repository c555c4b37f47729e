import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, { type BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import googleEmpty from 'google-protobuf/google/protobuf/empty_pb.js';
import {
  LogUnavailable,
  NO_STREAM,
  OutcomeUnknown,
  type Position,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { customMetadata, dataBytes, filled, streamIdentifier, toPosition } from './event-form.ts';
import { AnswerLost, isConnectionLoss, isUnknownCall, mapError, NotReached } from './wire-errors.ts';
import type { Wire } from './wire.ts';

/** Largest message. The events of an append are split into as many messages as necessary. */
const MESSAGE_BYTES = 1_000_000;
const uuid = (text: string) => filled(new shared.UUID(), { string: text });

/** Encodes the events of an append. Throws `SyntaxError` or `TypeError` for data that cannot be stored. */
export function encodeAppend({ stream, expectedRevision, events }: StreamAppend) {
  const encoded = events.map((event) => ({
    id: event.id,
    type: event.type,
    data: dataBytes(event),
    metadata: customMetadata(event),
  }));
  const bytes = encoded.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  return { stream, expectedRevision, events: encoded, bytes };
}
export type EncodedAppend = ReturnType<typeof encodeAppend>;

function batchRequests(
  correlationId: string,
  { stream, expectedRevision, events }: EncodedAppend,
): readonly BatchAppendReq[] {
  const options = filled(new streams.BatchAppendReq.Options(), {
    streamIdentifier: streamIdentifier(stream),
    ...(expectedRevision === NO_STREAM
      ? { noStream: new googleEmpty.Empty() }
      : { streamPosition: String(expectedRevision) }),
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
    const message = filled(new streams.BatchAppendReq.ProposedMessage(), {
      id: uuid(id),
      data,
      customMetadata: metadata,
    });
    message.getMetadataMap().set('type', type).set('content-type', 'application/json');
    requests.at(-1)!.addProposedMessages(message);
  }
  requests.at(-1)!.setIsFinal(true);
  return requests;
}

/** The server's answer to an append. It has no position for a repeated append, so the caller must read it. */
export type Answer =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: Position | null }
  | { readonly kind: 'conflict'; readonly actualRevision: number };

/**
 * Parses the server's answer. Throws `LogUnavailable`, `OutcomeUnknown` if the append might be stored, or another error
 * if a retry would fail too.
 */
function parseAnswer(answer: BatchAppendResp): Answer {
  const error = answer.getError();
  if (error === undefined) {
    const success = answer.getSuccess();
    if (success === undefined) throw new OutcomeUnknown('the log returned an empty answer to an append');
    const position = success.getPosition();
    const revision = Number(success.getCurrentRevision());
    return { kind: 'appended', revision, position: position === undefined ? null : toPosition(position) };
  }
  const details = error.getDetails();
  const name = details?.getTypeName() ?? '';
  switch (name) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = details!.unpack((bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes), name)!;
      return {
        kind: 'conflict',
        actualRevision: wrong.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : NO_STREAM,
      };
    }
    case 'event_store.client.MaximumAppendSizeExceeded': {
      const { maxappendsize } = details!
        .unpack((bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes), name)!
        .toObject();
      throw new Error(
        `an append is larger than the server's limit of ${maxappendsize} bytes: raise its setting MaxAppendSize`,
      );
    }
    case 'event_store.client.AccessDenied':
      throw new Error('the log refuses to append with these credentials: see EVENTSTORE_URL');
    case 'event_store.client.StreamDeleted':
      throw new Error('the stream was deleted in the log by something else');
    case 'google.protobuf.Empty':
      throw new LogUnavailable(`the log accepts no appends now: ${error.getMessage()}`);
    default:
      throw new OutcomeUnknown(`the log did not report if the append is stored: ${name} ${error.getMessage()}`.trim());
  }
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  sent: boolean;
}

/** One call that carries the appends of all callers. Each append receives its own answer. */
class BatchCall {
  readonly #call: ReturnType<StreamsClient['batchAppend']>;
  readonly #pending = new Map<string, Pending>();
  readonly #ended = new AbortController();
  #writing: Promise<void> = Promise.resolve();
  #received = 0;

  constructor(call: ReturnType<StreamsClient['batchAppend']>, ended: (error: Error) => void) {
    this.#call = call;
    const end = (error: Error): void => {
      if (this.#ended.signal.aborted) return;
      this.#ended.abort(error);
      for (const { sent, reject } of this.#pending.values()) reject(sent ? answerLost(error) : notSent(error));
      this.#pending.clear();
      ended(error);
    };
    call.on('data', (answer: BatchAppendResp) => {
      this.#received += 1;
      const id = answer.getCorrelationId()?.getString() ?? '';
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      // There is no pending append if the answer arrived after its deadline.
      if (pending !== undefined) Promise.try(parseAnswer, answer).then(pending.resolve, pending.reject);
    });
    call.on('error', end);
    call.on('end', () => end(new Error('the server ended the call')));
  }

  /**
   * Sends an append. Throws `NotReached` if nothing was sent, `AnswerLost` if the outcome is unknown, or the server's
   * error.
   */
  append(append: EncodedAppend, deadlineMs: number): Promise<Answer> {
    if (this.#ended.signal.aborted) throw notSent(this.#ended.signal.reason);
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const received = this.#received;
    const timer = setTimeout(() => {
      this.#pending.delete(id);
      reject(new AnswerLost('the log did not answer an append by the deadline'));
      // No append was answered since, so the call is dead even if the connection is open. The next append opens another
      // call.
      if (this.#received === received) this.#call.cancel();
    }, deadlineMs);
    const pending: Pending = { resolve, reject, sent: false };
    this.#pending.set(id, pending);
    this.#writing = this.#write(this.#writing, id, pending, batchRequests(id, append));
    return promise.finally(() => clearTimeout(timer));
  }

  async #write(
    before: Promise<void>,
    id: string,
    pending: Pending,
    requests: readonly BatchAppendReq[],
  ): Promise<void> {
    await before;
    const { signal } = this.#ended;
    for (const request of requests) {
      if (signal.aborted || !this.#pending.has(id)) return;
      pending.sent = true;
      if (!this.#call.write(request)) await once(this.#call, 'drain', { signal }).catch(() => undefined);
    }
  }
}

const notSent = (cause: unknown): NotReached =>
  new NotReached('the connection to the log was lost before an append was sent', { cause });

/** Returns the error of a sent append. A server that does not support the call has stored nothing. */
const answerLost = (cause: Error): unknown =>
  isUnknownCall(cause)
    ? mapError(cause)
    : new AnswerLost('the connection to the log was lost while an append was under way', { cause });

/** Sends appends in order over one call without waiting for answers. The call lasts as long as the connection. */
export function appendCalls(wire: Wire, deadlineMs: number) {
  let current: Promise<BatchCall> | undefined;
  const open = (): Promise<BatchCall> => {
    const { promise, resolve, reject } = Promise.withResolvers<BatchCall>();
    const forget = (): void => {
      if (current === promise) current = undefined;
    };
    wire
      .call(
        null,
        (client, metadata, options) => client.batchAppend(metadata, options),
        async (call) =>
          // Runs until the call ends, whose error makes the client reconnect.
          await new Promise<never>((_, fail) => {
            resolve(
              new BatchCall(call, (error) => {
                forget();
                fail(error);
              }),
            );
          }),
      )
      .catch((error: unknown) => {
        forget();
        reject(isConnectionLoss(error) ? notSent(error) : error);
      });
    return promise;
  };
  return async (append: EncodedAppend): Promise<Answer> =>
    await (await (current ??= open())).append(append, deadlineMs);
}
