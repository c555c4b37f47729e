import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { nightlyDescribe } from '../support/nightly-test.ts';
import type { ProjectionStatus } from '../../queries/operators/processors.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { onServer } from '../support/on-server.ts';
import type { Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

/** A service that folds, and commands with and without that service. */
let installation: Installation;
let service: Service;

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-rebuild-');
  service = await installation.start({ sample: 'on' });
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
});

const answer = (...args: readonly string[]) => installation.civicHere(['projections', ...args, '--json']);
async function value<Value>(...args: readonly string[]): Promise<Value> {
  const { exitCode, stdout, stderr } = await answer(...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Value;
}
async function refusal(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await answer(...args);
  expect([exitCode, stdout]).toEqual([1, '']);
  return stderr;
}
const listed = () => value<readonly ProjectionStatus[]>('list', 'record_history');
const states = async () => (await listed()).map(({ generation, state }) => [generation, state]);

interface Built {
  readonly generation: number;
  readonly state: string;
}

test('an operator holds, compares, switches and switches back, with a running and a killed service', async () => {
  const [live] = await listed();
  expect(live).toMatchObject({ state: 'live', serves: true, rebuild: false });
  const [processor] = await value<readonly Built[]>('rebuild', 'record_history', '--hold');
  expect(processor!.state).toBe('ready');
  expect(await states()).toEqual([
    [live!.generation, 'live'],
    [processor!.generation, 'ready'],
  ]);
  // The owner is the service, not the command.
  const owners = (await listed()).map(({ owner }) => owner);
  expect(owners[1]).toBe(owners[0]);
  expect(await refusal('rebuild', 'record_history')).toContain('civic projections switch record_history');
  expect(await refusal('switch', 'record_history', '--accept-differences')).toContain('published history');
  expect(await refusal('switch-back', 'record_history')).toContain('CIVIC_REBUILD_KEPT');

  interface Compared {
    readonly equal: boolean;
    readonly tables: readonly { readonly table: string; readonly digestLive: string; readonly digestRebuilt: string }[];
  }
  const compared = await value<Compared>('compare', 'record_history');
  expect(compared.equal).toBe(true);
  expect(compared.tables.map(({ digestLive }) => digestLive)).toEqual(
    compared.tables.map(({ digestRebuilt }) => digestRebuilt),
  );
  expect(compared.tables[0]!.digestLive).toMatch(/^[0-9a-f]{64}$/);

  expect(await value<Built>('pause', 'record_history')).toMatchObject({ state: 'operator_paused' });
  expect(await refusal('rebuild', 'record_history', '--hold')).toContain('civic projections resume record_history');
  expect(await refusal('switch', 'record_history')).toContain('its rebuild is paused');
  await value('resume', 'record_history');
  expect(await value<Built>('switch', 'record_history')).toMatchObject({
    generation: processor!.generation,
    state: 'live',
  });
  expect(await states()).toEqual([
    [live!.generation, 'kept'],
    [processor!.generation, 'live'],
  ]);
  expect((await service.fetch('/api/v1/data/changes?limit=5', { key: service.key! })).status).toBe(200);

  await service.kill9();
  expect(await value<Built>('switch-back', 'record_history')).toMatchObject({
    generation: live!.generation,
    state: 'live',
  });
  const [again] = await value<readonly Built[]>('rebuild', 'record_history');
  expect(again!.state).toBe('live');
  expect(await value<{ dropped: readonly number[] }>('drop', 'record_history', '--yes')).toMatchObject({ waiting: [] });
  expect(await states()).toEqual([[again!.generation, 'live']]);
  expect(await refusal('cancel', 'record_history')).toContain('no rebuild is running');
  service = await installation.start();
  expect((await service.fetch('/api/v1/data/health', { key: await installation.openAccount() })).status).toBe(200);
});

nightlyDescribe('while the live generation is of another version', () => {
  let database: TestDatabase;
  const command = (...args: readonly string[]) =>
    installation.civicHere(['projections', ...args, '--json'], {
      env: { DATABASE_URL: database.url, CIVIC_LOG_LEVEL: 'fatal' },
    });

  beforeEach(async () => {
    database = await startTestDatabase();
    await installation.civicHere(['accounts', 'open', '--name', 'Acme'], { env: { DATABASE_URL: database.url } });
    await command('rebuild', 'agenda', '--hold');
    const [live] = JSON.parse((await command('list', 'agenda')).stdout) as readonly ProjectionStatus[];
    await onServer(
      database.url,
      `update civic.generations set version = version - 1 where generation = ${live!.generation}`,
    );
    await onServer(database.url, `drop table civic.agenda_added_sources_g${live!.generation}`);
  });
  afterEach(() => database.close());

  test('a verification does not compare it, says so, and verifies the other read models', async () => {
    const { exitCode, stdout, stderr } = await command('verify', '--all');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^warning: agenda is not compared: the live one is version \d+ and the rebuilt one \d+; .*\ncivic: not compared: agenda; .*\n$/,
    );
    const results = JSON.parse(stdout) as { name: string; equal: boolean | null; differences: string[] }[];
    expect(results.length).toBeGreaterThan(1);
    for (const { name, equal, differences } of results) {
      expect([name, equal, differences]).toEqual([name, name === 'agenda' ? null : true, []]);
    }
  });

  test('a rebuild to hold is refused before anything is built', async () => {
    expect(await command('cancel', 'agenda')).toMatchObject({ exitCode: 0 });
    const before = JSON.parse((await command('list', 'agenda')).stdout) as readonly ProjectionStatus[];
    expect(before.filter(({ state }) => state === 'ready')).toEqual([]);
    const { exitCode, stdout, stderr } = await command('rebuild', 'agenda', '--hold');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^civic: agenda: the live one is version \d+ and the rebuilt one \d+; their tables differ\n$/,
    );
    const after = JSON.parse((await command('list', 'agenda')).stdout) as readonly ProjectionStatus[];
    expect(after.map(({ generation }) => generation)).toEqual(before.map(({ generation }) => generation));
    expect(await command('rebuild', 'agenda')).toMatchObject({ exitCode: 0 });
  });
});
