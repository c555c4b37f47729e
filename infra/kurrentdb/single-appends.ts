import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type AppendLane, AnswerLost } from './append-lane.ts';
import { type Answer, singleAnswer, sizeRefusal } from './append-outcomes.ts';
import { singleRequests } from './append-requests.ts';
import { mapError, NotReached } from './wire-errors.ts';
import type { Wire } from './wire.ts';
import { LogUnavailable } from '../../src/domain/ports/event-log.ts';
import { DeadlineExceeded } from '../../src/domain/ports/database.ts';

/** A call for each append, one after another, so that the log keeps their order: for servers without batches. */
export const singleAppends = (wire: Wire, deadlineMs: number): AppendLane => {
  let before: Promise<unknown> = Promise.resolve();
  return {
    async send(append) {
      const sending = before.then(
        async () =>
          await wire.call('append', deadlineMs, async (client, metadata, options) => {
            const { promise, resolve, reject } = Promise.withResolvers<Answer>();
            const answered = (error: Error | null, answer: AppendResp): void => {
              if (error !== null) reject(error);
              else resolve(Promise.try(singleAnswer, answer));
            };
            const call = client.append(metadata, options, answered);
            const release = wire.track(call);
            for (const request of singleRequests(append)) {
              if (!call.write(request)) await Promise.race([promise, new Promise((drained) => call.once('drain', drained))]);
            }
            call.end();
            return await promise.finally(release);
          }),
      );
      before = sending.catch(() => undefined);
      try {
        return await sending;
      } catch (error) {
        const mapped = sizeRefusal(error) ?? mapError(error);
        if (error instanceof NotReached || mapped === error || !(mapped instanceof LogUnavailable || mapped instanceof DeadlineExceeded))
          throw mapped;
        throw new AnswerLost(mapped.message, { cause: error });
      }
    },
  };
};
