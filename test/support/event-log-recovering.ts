import { type AppendOutcome, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';
import type { OpenLog } from './event-log-builders.ts';
import { type Fault, withFaults } from './event-log-faults.ts';

const ATTEMPTS = 50;

/**
 * A log whose appends go wrong, with what commands do about it on top: after an unknown outcome they look for their own
 * event ids, and after a conflict that the revision does not explain they append again. Its callers must see no
 * difference to the log.
 */
export function recovering(log: OpenLog, random: () => number): OpenLog {
  const pick = (faults: readonly Fault[]) => (): Fault => faults[Math.floor(random() * faults.length)]!;
  const single = withFaults(log, pick(['none', 'none', 'conflict', 'unknown, not stored', 'unknown, stored']));
  // A conflict in a batch would be retried after the other appends, and the log would not have the order of the batch.
  const batch = withFaults(log, pick(['none', 'unknown, not stored', 'unknown, stored']));
  const turns = new Map<string, Promise<unknown>>();

  const own = async ({ stream, expectedRevision, events }: StreamAppend): Promise<AppendOutcome | null> => {
    const since = await log.readStream(stream, expectedRevision, events.length);
    if (since[0]?.id !== events[0]!.id) return null;
    return { kind: 'appended', position: since.at(-1)!.position, revision: since.at(-1)!.revision };
  };

  const append = async (one: StreamAppend): Promise<AppendOutcome> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      try {
        const outcome = await single.append(one);
        if (outcome.kind === 'appended' || outcome.actualRevision !== one.expectedRevision) return outcome;
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) throw error;
        const stored = await own(one);
        if (stored !== null) return stored;
      }
    }
    throw new Error('no attempt came through');
  };

  return {
    ...log,
    async append(one) {
      const before = turns.get(one.stream);
      const mine = (before ?? Promise.resolve()).then(async () => await append(one));
      turns.set(
        one.stream,
        mine.catch(() => undefined),
      );
      return await mine;
    },
    async appendEach(appends) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        try {
          return await batch.appendEach(appends);
        } catch (error) {
          if (!(error instanceof OutcomeUnknown)) throw error;
          const stored = await Promise.all(appends.map(own));
          if (stored.some((each) => each !== null))
            return await Promise.all(appends.map(async (one, n) => stored[n] ?? (await log.append(one))));
        }
      }
      throw new Error('no attempt came through');
    },
  };
}
