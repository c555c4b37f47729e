import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type Answer, batchAnswer, batchRequests, type EncodedAppend } from './append-form.ts';
import { AnswerLost, isConnectionLoss, isUnknownCall, mapError, NotReached } from './wire-errors.ts';
import type { Wire } from './wire.ts';

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  sent: boolean;
}

/** One call that carries the appends of all callers, each with its own answer. */
class BatchCall {
  readonly #call: ReturnType<StreamsClient['batchAppend']>;
  readonly #pending = new Map<string, Pending>();
  readonly #ended = new AbortController();
  #writing: Promise<void> = Promise.resolve();
  /** Answers received on this call. */
  #received = 0;

  constructor(call: ReturnType<StreamsClient['batchAppend']>, ended: (error: Error) => void) {
    this.#call = call;
    const end = (error: Error): void => {
      if (this.#ended.signal.aborted) return;
      this.#ended.abort(error);
      for (const { sent, reject } of this.#pending.values()) reject(sent ? lost(error) : notSent(error));
      this.#pending.clear();
      ended(error);
    };
    call.on('data', (answer: BatchAppendResp) => {
      this.#received += 1;
      const id = answer.getCorrelationId()?.getString() ?? '';
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      // The answer came after its deadline.
      if (pending !== undefined) Promise.try(batchAnswer, answer).then(pending.resolve, pending.reject);
    });
    call.on('error', end);
    call.on('end', () => end(new Error('the server ended the call')));
  }

  /** Throws `NotReached` when nothing was sent, `AnswerLost` when the outcome is unknown, or the refusal of the server. */
  append(append: EncodedAppend, deadlineMs: number): Promise<Answer> {
    if (this.#ended.signal.aborted) throw notSent(this.#ended.signal.reason);
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const received = this.#received;
    const timer = setTimeout(() => {
      this.#pending.delete(id);
      reject(new AnswerLost('the log did not answer an append by the deadline'));
      // No answer since: the call is dead, although the connection may be open. The next append opens another call.
      if (this.#received === received) this.#call.cancel();
    }, deadlineMs);
    const pending: Pending = { resolve, reject, sent: false };
    this.#pending.set(id, pending);
    this.#writing = this.#write(this.#writing, id, pending, batchRequests(id, append));
    return promise.finally(() => clearTimeout(timer));
  }

  async #write(before: Promise<void>, id: string, pending: Pending, requests: readonly BatchAppendReq[]): Promise<void> {
    await before;
    const { signal } = this.#ended;
    for (const request of requests) {
      if (signal.aborted || !this.#pending.has(id)) return;
      pending.sent = true;
      if (!this.#call.write(request)) await once(this.#call, 'drain', { signal }).catch(() => undefined);
    }
  }
}

const notSent = (cause: unknown): NotReached => new NotReached('the connection to the log was lost before an append was sent', { cause });

/** A server that does not know the call has stored nothing. */
const lost = (cause: Error): unknown =>
  isUnknownCall(cause) ? mapError(cause) : new AnswerLost('the connection to the log was lost while an append was under way', { cause });

/** Sends appends in order over one call, without waiting for answers. The call lasts as long as the connection. */
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
          // The end of the call makes the client reconnect.
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
  return async (append: EncodedAppend): Promise<Answer> => await (await (current ??= open())).append(append, deadlineMs);
}
