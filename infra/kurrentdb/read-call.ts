import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { RecordedEvent } from './event-form.ts';
import { isConnectionLoss, isNotLeader, mapError, NotReached } from './wire-errors.ts';
import type { Wire } from './wire.ts';

/** The answer of a reader to each event: continue, or stop. */
export type Take = (recorded: RecordedEvent) => 'more' | 'enough';

const ATTEMPTS = 3;

/**
 * One read; a stream that does not exist has no events. Repeated where the leader moved or the connection was lost. Throws `LogUnavailable`
 * and `DeadlineExceeded`.
 */
export const readCall = async (wire: Wire, deadlineMs: number, request: ReadReq, begin: () => Take): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await once(wire, deadlineMs, request, begin());
      return;
    } catch (error) {
      const again = isNotLeader(error) || (isConnectionLoss(error) && !(error instanceof NotReached));
      if (!again || attempt === ATTEMPTS || wire.closed) throw mapError(error);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
};

const once = async (wire: Wire, deadlineMs: number, request: ReadReq, take: Take): Promise<void> =>
  await wire.call('read', deadlineMs, async (client, metadata, options) => {
    const call = client.read(request, metadata, options);
    const release = wire.track(call);
    try {
      await new Promise<void>((resolve, reject) => {
        let done = false;
        const enough = (): void => {
          done = true;
          resolve();
          call.cancel();
        };
        call.on('data', (answer: ReadResp) => {
          if (done) return;
          try {
            const recorded = answer.getEvent()?.getEvent();
            if (answer.hasStreamNotFound() || (recorded !== undefined && take(recorded) === 'enough')) enough();
          } catch (error) {
            done = true;
            reject(error);
            call.cancel();
          }
        });
        call.on('error', reject);
        call.on('end', resolve);
      });
    } finally {
      release();
    }
  });
