import { randomUUID } from 'node:crypto';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type Answer, AnswerLost, type AppendLane, batchAnswer } from './append-outcomes.ts';
import { batchRequests } from './append-requests.ts';
import { NotReached } from './wire-errors.ts';
import type { Wire } from './wire.ts';

type Call = ReturnType<StreamsClient['batchAppend']>;

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  sent: boolean;
}

/** One call that carries the appends of all callers, each with its own answer. */
class BatchCall {
  readonly #call: Call;
  readonly #pending = new Map<string, Pending>();
  #writing: Promise<void> = Promise.resolve();
  /** Answers received on this call. */
  #received = 0;
  /** Why the call has ended. */
  broken: Error | undefined;

  constructor(call: Call, ended: (error: Error) => void) {
    this.#call = call;
    const end = (error: Error): void => {
      if (this.broken !== undefined) return;
      this.broken = error;
      for (const { sent, reject } of this.#pending.values()) {
        reject(
          sent ? new AnswerLost('the connection to the log was lost while an append was under way', { cause: error }) : notSent(error),
        );
      }
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

  append(id: string, requests: readonly BatchAppendReq[], deadlineMs: number): Promise<Answer> {
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
    this.#writing = this.#write(this.#writing, id, pending, requests);
    return promise.finally(() => clearTimeout(timer));
  }

  async #write(before: Promise<void>, id: string, pending: Pending, requests: readonly BatchAppendReq[]): Promise<void> {
    await before;
    for (const request of requests) {
      if (this.broken !== undefined || !this.#pending.has(id)) return;
      pending.sent = true;
      if (!this.#call.write(request)) await this.#drained();
    }
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        for (const event of ['drain', 'error', 'close', 'end']) this.#call.off(event, go);
        resolve();
      };
      for (const event of ['drain', 'error', 'close', 'end']) this.#call.on(event, go);
    });
  }
}

const notSent = (cause: Error): NotReached => new NotReached('the connection to the log was lost before an append was sent', { cause });

/** Sends appends in order, without waiting for answers. */
export function batchedAppends(wire: Wire, deadlineMs: number): AppendLane {
  let opening: Promise<BatchCall> | undefined;
  const open = async (): Promise<BatchCall> =>
    await new Promise((resolve, reject) => {
      // The call lasts as long as the connection; its end makes the client reconnect.
      wire
        .call(
          'batchAppend',
          null,
          async (client, metadata, options) =>
            await new Promise<never>((_, fail) => {
              const call = client.batchAppend(metadata, options);
              const release = wire.track(call);
              const batch = new BatchCall(call, (error) => {
                release();
                opening = undefined;
                fail(error);
              });
              resolve(batch);
            }),
        )
        .catch((error: unknown) => {
          opening = undefined;
          reject(error);
        });
    });
  return {
    async send(append) {
      const id = randomUUID();
      const requests = batchRequests(id, append);
      opening ??= open();
      const batch = await opening;
      if (batch.broken !== undefined) throw notSent(batch.broken);
      return await batch.append(id, requests, deadlineMs);
    },
  };
}
