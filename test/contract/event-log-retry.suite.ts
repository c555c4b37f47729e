import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventId } from '../../domain/identifiers.ts';
import { type EventLog, NO_STREAM, OutcomeUnknown, type StoredEvent } from '../../domain/ports/event-log.ts';
import { freshStream, newEvent, type OpenStore, useStore } from '../support/event-log-builders.ts';
import { type Fault, withFaults } from '../support/event-log-faults.ts';

const commandOf = (event: StoredEvent): string => (JSON.parse(event.metadata) as { commandId: string }).commandId;

const load = async (log: EventLog, stream: string): Promise<readonly StoredEvent[]> =>
  await log.readStream(stream, NO_STREAM, 1_000);

/** Loads, decides and appends, and again after a conflict or an unknown outcome; a command already in the stream is done. */
async function handle(log: EventLog, stream: string, commandId: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const history = await load(log, stream);
    if (history.some((event) => commandOf(event) === commandId)) return;
    const events = [0, 1].map((index) =>
      newEvent({ id: eventId(commandId, index), metadata: { commandId }, data: `{"after":${history.length}}` }),
    );
    try {
      const outcome = await log.append({ stream, expectedRevision: history.length - 1, events });
      if (outcome.kind === 'appended') return;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
  }
  throw new Error('no attempt came through');
}

const FAULTS: readonly Fault[] = ['none', 'none', 'conflict', 'unknown, not stored', 'unknown, stored'];

export function retryContract(openStore: OpenStore): void {
  describe('a command that is retried after faults', () => {
    const store = useStore(openStore);

    test('stores its events exactly once and contiguously, beside others on the same stream', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.infiniteStream(fc.constantFrom(...FAULTS)),
          fc.integer({ min: 1, max: 8 }),
          async (faults, commands) => {
            const log = withFaults(store.log, () => faults.next().value!);
            const stream = freshStream();
            const ids = Array.from({ length: commands }, () => randomUUID());
            await Promise.all(ids.map(async (id) => await handle(log, stream, id)));
            const history = await load(store.log, stream);
            expect(history.map(({ revision }) => revision)).toEqual(history.map((_, n) => n));
            expect(history.map(({ id }) => id).toSorted()).toEqual(
              ids.flatMap((id) => [eventId(id, 0), eventId(id, 1)]).toSorted(),
            );
            for (let n = 0; n < history.length; n += 2) expect(commandOf(history[n]!)).toBe(commandOf(history[n + 1]!));
          },
        ),
        { numRuns: 25 },
      );
    });

    test('stores an event for each stream of a batch exactly once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.constantFrom(...FAULTS)), async (faults) => {
          const log = withFaults(store.log, () => faults.next().value!);
          const streams = Array.from({ length: 12 }, () => freshStream());
          const commandId = randomUUID();
          for (let open = streams; open.length > 0; ) {
            const appends = open.map((stream) => ({
              stream,
              expectedRevision: NO_STREAM,
              events: [newEvent({ metadata: { commandId } })],
            }));
            await log.appendEach(appends).catch((error: unknown) => {
              if (!(error instanceof OutcomeUnknown)) throw error;
            });
            const last = await store.log.readLast(open);
            open = open.filter((stream) => !last.has(stream));
          }
          for (const stream of streams) expect(await load(store.log, stream)).toHaveLength(1);
        }),
        { numRuns: 15 },
      );
    });
  });
}
