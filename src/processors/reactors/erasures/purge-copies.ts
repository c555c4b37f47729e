import { CONTENT_ERASED, contentErased } from '../../../../domain/events/erasure-events.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { ErasedCopies, StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { Progress } from '../../../../domain/ports/projection.ts';
import { NotYet, type Reactor } from '../../../../domain/ports/reactors.ts';

interface PurgeCopiesParts {
  readonly copies: ErasedCopies;
  readonly progress: Progress;
  /** Measures deadlines. */
  readonly clock: Pick<Clock, 'now'>;
  /** Clock for the times of saved answers. */
  readonly chainClock: Pick<Clock, 'now'>;
  readonly readModels: readonly string[];
}

const PATIENCE_MS = 5_000;

const listErasedStreams = ({ data }: Pick<StoredEvent, 'data'>): readonly string[] =>
  contentErased.parse(JSON.parse(data)).streams.map(({ stream }) => stream);

/**
 * Purges copies of erased texts outside the read models. It follows the log, so a crash during an erasure leaves no
 * copy. It waits until every read model has passed the erasure, because until then one could still supply an answer to
 * be saved, and for paid calls under way.
 */
export const createErasureReactor = ({
  copies,
  progress,
  clock,
  chainClock,
  readModels,
}: PurgeCopiesParts): Reactor => ({
  name: 'erasure_traces',
  follows: [CONTENT_ERASED],
  begin() {
    /** The time when all read models had passed an erasure: later answers do not contain the erased text. */
    const passedAt = new Map<string, number>();
    return async (batch, running) => {
      for (const stored of batch) {
        const deadline = clock.now() + PATIENCE_MS;
        for (const name of readModels) {
          if (!(await progress.waitFor(name, stored.position, deadline)))
            throw new NotYet(`${name} has not passed an erasure yet`);
        }
        await running.confirm();
        const until = passedAt.get(stored.id) ?? chainClock.now();
        passedAt.set(stored.id, until);
        const remaining = await copies.clear(listErasedStreams(stored), until);
        if (remaining > 0)
          throw new NotYet(`${remaining} paid calls are under way whose answers might contain an erased text`);
      }
    };
  },
});
