import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { RecordedEvent } from './event-form.ts';
import { isConnectionLoss, isNotLeader, mapError, NotReached } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** The answer of a reader to each event: continue, or stop. */
export type Take = (recorded: RecordedEvent) => 'more' | 'enough';

const ATTEMPTS = 3;

/**
 * One read; a stream that does not exist has no events. Repeated where the leader moved or the connection was lost. Throws `LogUnavailable`
 * and `DeadlineExceeded`.
 */
export async function readCall(wire: Wire, deadlineMs: number, request: ReadReq, begin: () => Take): Promise<void> {
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
}

const once = (wire: Wire, deadlineMs: number, request: ReadReq, take: Take): Promise<void> =>
  readAnswers(wire, 'read', deadlineMs, request, (answer) => {
    const recorded = answer.getEvent()?.getEvent();
    return answer.hasStreamNotFound() || (recorded !== undefined && take(recorded) === 'enough') ? 'enough' : 'more';
  });

/** One call, until it ends or `take` has enough. Throws the error of the call or of `take`. `began` receives the call before it answers. */
export const readAnswers = async (
  wire: Wire,
  what: 'read' | 'subscribe',
  deadlineMs: number | null,
  request: ReadReq,
  take: (answer: ReadResp) => 'more' | 'enough',
  began: (call: Cancellable) => void = () => undefined,
): Promise<void> =>
  await wire.call(what, deadlineMs, async (client, metadata, options) => {
    const call = client.read(request, metadata, options);
    began(call);
    const release = wire.track(call);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let done = false;
    call.on('data', (answer: ReadResp) => {
      if (done) return;
      try {
        if (take(answer) === 'more') return;
        resolve();
      } catch (error) {
        reject(error);
      }
      done = true;
      call.cancel();
    });
    call.on('error', reject);
    call.on('end', resolve);
    await promise.finally(release);
  });
