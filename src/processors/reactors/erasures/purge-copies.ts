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
  /** By which saved answers are dated. */
  readonly chainClock: Pick<Clock, 'now'>;
  readonly readModels: readonly string[];
}

const PATIENCE_MS = 5_000;

export const streamsOf = ({ data }: Pick<StoredEvent, 'data'>): readonly string[] =>
  contentErased.parse(JSON.parse(data)).streams.map(({ stream }) => stream);

/**
 * Purges copies of erased texts outside the read models. It follows the log, so that a crash during an erasure leaves no copy. It waits
 * until every read model has passed the erasure, since until then an answer could still be saved from one, and for paid calls under way.
 */
export const createErasureReactor = ({ copies, progress, clock, chainClock, readModels }: PurgeCopiesParts): Reactor => ({
  name: 'erasure_traces',
  follows: [CONTENT_ERASED],
  begin() {
    /** The time when the read models had passed an erasure: later answers do not contain the erased text. */
    const passedAt = new Map<string, number>();
    return async (batch, running) => {
      for (const stored of batch) {
        const deadline = clock.now() + PATIENCE_MS;
        for (const name of readModels) {
          if (!(await progress.reached(name, stored.position, deadline))) throw new NotYet(`${name} has not passed an erasure yet`);
        }
        await running.confirm();
        const until = passedAt.get(stored.id) ?? chainClock.now();
        passedAt.set(stored.id, until);
        const left = await copies.clear(streamsOf(stored), until);
        if (left > 0) throw new NotYet(`${left} paid calls are under way whose answers may hold an erased text`);
      }
    };
  },
});
