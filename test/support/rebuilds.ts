import { createHash } from 'node:crypto';
import type { Decision, Generation } from '../../src/domain/ports/generations.ts';
import type { Projection } from '../../src/domain/ports/projection.ts';
import { listProjections, type ProjectionStatus } from '../../queries/list-projections.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { type TestCivic, untilTrue } from './civic.ts';
import { ALL_PROJECTIONS } from './civic-projections.ts';
import { dumpTables } from './projection-spec.ts';

/** What a test of rebuilds asks of a database of read models. */
export const rebuildsOf = (civic: TestCivic) => {
  const row = async (generation: number): Promise<Generation | undefined> =>
    (await civic.generations.list()).find((candidate) => candidate.generation === generation);
  return {
    row,
    rebuild: (projection: Projection, purpose: 'building' | 'held' = 'building') =>
      civic.generations.create(projection, purpose, Date.now()),
    decide: (generation: number, decision: Decision) => civic.generations.decide(generation, decision, Date.now()),
    serves: (generation: number) => untilTrue(`generation ${generation} serves`, async () => (await row(generation))?.state === 'live'),
    refused: (generation: number) =>
      untilTrue(`generation ${generation} is refused`, async () => (await row(generation))?.state === 'refused'),
    ready: (generation: number) =>
      untilTrue(`generation ${generation} is ready`, async () => (await row(generation))?.comparison?.equal === true),
    liveRow: async (name: string): Promise<Generation> =>
      (await civic.generations.list()).find(({ projection, state }) => projection === name && state === 'live')!,
    status: async (generation: number): Promise<ProjectionStatus | undefined> =>
      (
        await listProjections({
          generations: civic.generations,
          log: civic.log,
          clock: civic.clock,
          leaseClock: systemClock,
          handles: new Map(ALL_PROJECTIONS.map(({ name, handles }) => [name, handles])),
        })
      ).find((status) => status.generation === generation),
    hashOf: async (projection: Projection, generation: number): Promise<string> =>
      createHash('sha256')
        .update((await dumpTables(civic.database, projection, generation)).join('\n'))
        .digest('hex'),
  };
};

/** The fold as it is, with something before each batch. */
export const beforeFold = (projection: Projection, hook: (generation: number) => Promise<void> | void): Projection => ({
  ...projection,
  fold: async (batch, context) => {
    await hook(context.generation);
    await projection.fold(batch, context);
  },
});
