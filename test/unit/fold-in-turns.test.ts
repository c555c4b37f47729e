import { expect, test } from 'vitest';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { EventLog, Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { GenerationStore } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { foldBatch, type FoldTarget, type ProjectorDependencies } from '../../src/processors/projector/fold-batch.ts';

const positionOf = (place: number): Position => String(place).padStart(6, '0') as Position;
const events = Array.from({ length: 1_100 }, (_, index): StoredEvent => {
  const place = index + 1;
  const fixed = { type: RECORD_PUBLISHED, schemaVersion: 1, metadata: '{}', time: 0, data: '{}' };
  return { ...fixed, position: positionOf(place), stream: `topics-${place}`, revision: 0, id: String(place) };
});

const nothing = async () => ({ rows: [], count: 0 });
const transactor: Transactor = { transaction: (work) => work({ query: nothing }) };
const deps = {
  transactor,
  generations: { advance: async () => true } as unknown as GenerationStore,
  log: { distance: () => null } as unknown as EventLog,
  leaseClock: { now: () => 0, sleep: async () => undefined },
  leaseMs: 1_000,
} as unknown as ProjectorDependencies;

/** Returns the ids of each turn. */
async function foldTurns(folded: readonly StoredEvent[]): Promise<readonly (readonly string[])[]> {
  const turns: (readonly string[])[] = [];
  const fold: Projection['fold'] = async (batch) => void turns.push(batch.map(({ id }) => id));
  const projection = { name: 'one', fold } as unknown as Projection;
  const target = { projection, lease: { generation: 1 }, logId: null, skipped: new Set() } as unknown as FoldTarget;
  const batch = { events: folded, scannedTo: positionOf(folded.length), scannedId: String(folded.length) };
  await foldBatch(deps, target, positionOf(0), batch);
  return turns;
}

test('a batch is folded once and in order, a few hundred events per turn', async () => {
  const turns = await foldTurns(events);
  expect(turns.flat()).toEqual(events.map(({ id }) => id));
  expect(turns.map((ids) => ids.length)).toEqual([250, 250, 250, 250, 100]);
});

test('a turn of large records has few of them', async () => {
  const large = events.slice(0, 5).map((event) => ({ ...event, data: JSON.stringify('x'.repeat(600_000)) }));
  expect((await foldTurns(large)).map((ids) => ids.length)).toEqual([2, 2, 1]);
});
