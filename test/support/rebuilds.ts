import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Projector } from '../../src/processors/projector/projector.ts';
import type { Decision, Generation, GenerationStore } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { listProjections, type ProjectionStatus } from '../../queries/operators/processors.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { openTestCivic, type TestCivic, untilTrue } from './civic.ts';
import { ALL_PROJECTIONS } from './civic-projections.ts';
import { randomChanges, randomFrom } from './civic-records.ts';
import { testSeed } from './test-seed.ts';
import { startTestDatabase, type TestDatabase } from './embedded-database.ts';
import { dumpTables } from './projection-spec.ts';

/** The operations of the tests of rebuilds. */
export function rebuildsOf(civic: TestCivic) {
  const row = async (generation: number): Promise<Generation | undefined> =>
    (await civic.generations.list()).find((candidate) => candidate.generation === generation);
  return {
    row,
    rebuild: (projection: Projection, purpose: 'building' | 'held' = 'building') =>
      civic.generations.create(projection, purpose, Date.now()),
    decide: (generation: number, decision: Decision) => civic.generations.decide(generation, decision, Date.now()),
    serves: (generation: number) =>
      untilTrue(`generation ${generation} serves`, async () => (await row(generation))?.state === 'live'),
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
}

/** The fold with a callback before each batch. */
export const beforeFold = (projection: Projection, hook: (generation: number) => Promise<void> | void): Projection => ({
  ...projection,
  fold: async (batch, context) => {
    await hook(context.generation);
    await projection.fold(batch, context);
  },
});

export interface RebuildTrial {
  readonly server: TestDatabase;
  readonly civic: TestCivic;
  readonly rebuilds: ReturnType<typeof rebuildsOf>;
  /** Stopped after the test. */
  projector: Projector | undefined;
  /** The projector of these, after all events are folded. */
  readonly start: (projections: readonly Projection[], generations?: GenerationStore) => Promise<Projector>;
}

/** A database with some hundred changes for the tests of one file; each test begins with live generations only. */
export function rebuildTrial(): RebuildTrial {
  let server: TestDatabase;
  let civic: TestCivic;
  let rebuilds: ReturnType<typeof rebuildsOf>;
  const trial: RebuildTrial = {
    projector: undefined,
    get server() {
      return server;
    },
    get civic() {
      return civic;
    },
    get rebuilds() {
      return rebuilds;
    },
    async start(projections, generations = civic.generations) {
      const started = (trial.projector = civic.startProjector(projections, { generations }));
      await civic.caughtUp(
        undefined,
        projections.map(({ name }) => name),
      );
      return started;
    },
  };

  beforeAll(async () => {
    server = await startTestDatabase();
    civic = await openTestCivic(server.url, { leaseMs: 1000, batchSize: 50 });
    rebuilds = rebuildsOf(civic);
    const random = randomFrom(testSeed());
    for (let round = 0; round < 20; round++) await civic.writer.write(randomChanges(random, 40, 40), {});
  });
  beforeEach(async () => {
    for (const { generation, state } of await civic.generations.list()) {
      if (state === 'building') await rebuilds.decide(generation, 'cancel');
      if (state !== 'live') await rebuilds.decide(generation, 'drop');
    }
  });
  afterEach(async () => {
    await trial.projector?.stop();
    trial.projector = undefined;
  });
  afterAll(async () => {
    await civic?.close();
    await server?.close();
  });
  return trial;
}
