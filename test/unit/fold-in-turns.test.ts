import { expect, test } from 'vitest';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { EventLog, Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { GenerationStore } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { type FoldTarget, foldTogether, type ProjectorDependencies } from '../../src/processors/projector/fold-batch.ts';
import { countTurns } from '../support/event-loop-turns.ts';

const positionOf = (place: number): Position => String(place).padStart(6, '0') as Position;
const events = Array.from({ length: 1_100 }, (_, index): StoredEvent => {
  const place = index + 1;
  const fixed = { type: RECORD_PUBLISHED, schemaVersion: 1, metadata: '{}', time: 0, data: '{}' };
  return { ...fixed, position: positionOf(place), stream: `topics-${place}`, revision: 0, id: String(place) };
});

const transactor: Transactor = { transaction: (work) => work({ execute: async () => ({ rows: [], count: 0 }) }) };
const deps = {
  transactor,
  generations: { advance: async () => true } as unknown as GenerationStore,
  log: { distance: () => null } as unknown as EventLog,
  leaseClock: { now: () => 0, sleep: async () => undefined },
  leaseMs: 1_000,
} as unknown as ProjectorDependencies;

/** A generation that keeps the ids of each fold, and the number of the turn of the event loop in which it began. */
function keeping(name: string, turnOf: () => number) {
  const folds: { readonly ids: readonly string[]; readonly turn: number }[] = [];
  const fold: Projection['fold'] = async (batch) => {
    folds.push({ ids: batch.map(({ id }) => id), turn: turnOf() });
    await new Promise(setImmediate);
  };
  const projection = { name, fold } as unknown as Projection;
  return { folds, target: { projection, lease: { generation: 1 }, logId: null, skipped: new Set() } as unknown as FoldTarget };
}

async function foldedBy(names: readonly string[]) {
  const { turn, stop } = countTurns();
  const generations = names.map((name) => keeping(name, turn));
  const batch = { events, scannedTo: positionOf(events.length), scannedId: String(events.length) };
  await foldTogether(
    deps,
    generations.map(({ target }) => ({ target, from: positionOf(0), batch })),
  );
  stop();
  return generations;
}

test('generations that share a batch fold every event once and in order, a few hundred in a turn of the event loop', async () => {
  const generations = await foldedBy(['one', 'other', 'third']);
  for (const { folds } of generations) {
    expect(folds.flatMap(({ ids }) => ids)).toEqual(events.map(({ id }) => id));
    expect(Math.max(...folds.map(({ ids }) => ids.length))).toBe(250);
  }
  // The first fold of each begins in a turn of its own.
  expect(new Set(generations.map(({ folds }) => folds[0]!.turn)).size).toBe(3);
});

test('a generation alone takes larger turns', async () => {
  const [alone] = await foldedBy(['alone']);
  expect(alone!.folds.map(({ ids }) => ids.length)).toEqual([500, 500, 100]);
});
