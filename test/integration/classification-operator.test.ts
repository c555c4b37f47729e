import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../infra/system/clock.ts';
import { createReadCivicHealth } from '../../queries/feed/read-civic-health.ts';
import { listReactors } from '../../queries/operators/processors.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import {
  CLASSIFICATION,
  createClassificationReactor,
} from '../../src/processors/reactors/classification/classification-reactor.ts';
import { createWorkingRows } from '../../infra/postgresql/installation/working-rows.ts';
import { agendaId } from '../support/agenda-events.ts';
import { ALL_PROJECTIONS } from '../support/civic-projections.ts';
import { untilTrue } from '../support/civic.ts';
import { openClassification, type TestClassification } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type Installation, makeInstallation } from '../support/service.ts';

let database: TestDatabase;
let classification: TestClassification;
let installation: Installation;
/** Commands on the test's database. */
const civic = (...args: readonly string[]) => installation.civicHere(args, { env: { DATABASE_URL: database.url } });
async function list() {
  const all = JSON.parse((await civic('reactors', 'list', '--json')).stdout) as Record<string, unknown>[];
  return all.filter(({ name }) => name === CLASSIFICATION);
}

beforeAll(async () => {
  database = await startTestDatabase();
  classification = await openClassification(database.url);
  installation = makeInstallation('civic-reactors-');
});
afterAll(async () => {
  await classification?.close();
  await installation?.close();
  await database?.close();
});

function parts() {
  const { civic: opened, store } = classification;
  const follows = new Map([[CLASSIFICATION, createClassificationReactor(classification.parts()).follows]]);
  return {
    ...opened,
    leaseClock: systemClock,
    processorStore: store,
    follows,
    history: { doubt: () => null },
    deadlineMs: 20_000,
    unclassified: classification.unclassified,
  };
}
const health = () =>
  createReadCivicHealth({
    ...parts(),
    handles: new Map(ALL_PROJECTIONS.map(({ name, handles }) => [name, handles])),
  })();

test('a reactor that never ran is stopped while it has work, and pending in health', async () => {
  const event = classification.events.topic('zoning', { keywords: ['rezoning'] });
  expect(await list()).toMatchObject([
    { name: CLASSIFICATION, state: 'live', lagEvents: 0, handled: 0, owner: null, reason: null },
  ]);
  await classification.write(event);
  await classification.civic.caughtUp(
    undefined,
    ALL_PROJECTIONS.map(({ name }) => name),
  );
  classification.civic.clock.advance(5_000);
  const [status] = await listReactors(parts());
  expect(status).toMatchObject({ state: 'stopped', lagSeconds: 5, handled: 0 });
  expect(status!.lagEvents).toBeGreaterThan(0);
  const { pipeline, status: state } = await health();
  expect({ state, ...pipeline }).toMatchObject({
    state: 'healthy',
    pendingWork: 1,
    failedWork: 0,
    oldestPendingAt: new Date(status!.oldestPendingAt!).toISOString(),
  });
  expect((await civic('reactors', 'list')).stdout).toContain(new Date(status!.oldestPendingAt!).toISOString());
});

test('a paused reactor is failed work that degrades health, without its reason, until a retry', async () => {
  let broken = true;
  const reactor = createClassificationReactor(classification.parts());
  const failing: Reactor = {
    ...reactor,
    begin: () => {
      const handle = reactor.begin();
      return async (batch, running) => {
        if (broken && batch.length > 0) throw new Error('the topic cannot be compiled');
        await handle(batch, running);
      };
    },
  };
  expect(await civic('reactors', 'retry', CLASSIFICATION)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is not paused') as string,
  });
  expect(await civic('reactors', 'retry', 'unknown')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(CLASSIFICATION) as string,
  });
  classification.start({}, { reactor: failing });
  await untilTrue('it is paused', async () => (await listReactors(parts()))[0]!.state === 'paused');
  const [event] = await classification.civic.log.readStream(classification.events.topic('zoning').stream, -1, 1);
  expect(await list()).toMatchObject([
    { state: 'paused', reason: 'the topic cannot be compiled', poisonEvent: event!.id, owner: null },
  ]);
  const failed = await health();
  expect({ status: failed.status, ...failed.pipeline }).toMatchObject({
    status: 'degraded',
    pendingWork: 1,
    failedWork: 1,
  });
  expect(JSON.stringify(failed)).not.toContain('compiled');

  broken = false;
  const retried = await civic('reactors', 'retry', CLASSIFICATION, '--json');
  expect(JSON.parse(retried.stdout)).toEqual({ name: CLASSIFICATION, resumed: true, poisonEvent: event!.id });
  await classification.atRest();
  expect(await list()).toMatchObject([{ state: 'live', lagEvents: 0, reason: null, poisonEvent: null }]);
  const mended = await health();
  expect({ status: mended.status, ...mended.pipeline }).toMatchObject({
    status: 'healthy',
    pendingWork: 0,
    failedWork: 0,
  });
});

test('an item that the classifier gave up is failed work, and is listed, also after a restore of its row', async () => {
  const before = (await health()).pipeline.failedWork!;
  const item = {
    itemId: agendaId('agenda_items', 'given up'),
    classifier: 'phrases',
    digest: 'abc',
    reason: 'too slow',
    failedAt: 0,
  };
  await classification.unclassified.put([item]);
  expect((await health()).pipeline.failedWork).toBe(before + 1);
  const listed = async () => JSON.parse((await civic('reactors', 'unclassified', '--json')).stdout) as unknown;
  const row = { itemId: item.itemId, classifier: 'phrases', reason: 'too slow', failedAt: '1970-01-01T00:00:00.000Z' };
  expect(await listed()).toEqual([row]);

  const rows = createWorkingRows(classification.civic.database.transactor);
  const saved = await rows.page('unclassified', null, 10);
  await classification.unclassified.remove([item.itemId]);
  expect(await listed()).toEqual([]);
  await rows.put(
    'unclassified',
    saved.map(({ text }) => text),
  );
  expect(await classification.unclassified.list()).toEqual([item]);
});
