import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { AnswerLost, type AppendLane, singleAnswer, sizeRefusal } from './append-outcomes.ts';
import { singleRequests } from './append-requests.ts';
import { mapError, NotReached } from './wire-errors.ts';
import type { Wire } from './wire.ts';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';

/** One call for each append, sequentially, to keep their order; for servers without batch appends. */
export function singleAppends(wire: Wire, deadlineMs: number): AppendLane {
  let before: Promise<unknown> = Promise.resolve();
  return {
    async send(append) {
      const sending = before.then(
        async () =>
          await wire.call('append', deadlineMs, async (client, metadata, options) => {
            const { promise, resolve, reject } = Promise.withResolvers<AppendResp>();
            const call = client.append(metadata, options, (error, answer) => (error === null ? resolve(answer) : reject(error)));
            const release = wire.track(call);
            for (const request of singleRequests(append)) {
              if (!call.write(request)) await Promise.race([promise, new Promise((drained) => call.once('drain', drained))]);
            }
            call.end();
            return singleAnswer(await promise.finally(release));
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
}
