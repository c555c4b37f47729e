import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { register } from '../../src/edge/metrics/metric.ts';
import { KAFKA_METRICS } from '../../src/edge/metrics/process-metrics.ts';
import type { OpsState } from '../../src/edge/ops/read-state.ts';
import { upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type MetricFamily, parseExposition } from '../support/exposition.ts';
import { type IssuedKey, type ServedCivic, serveCivic } from '../support/served-civic.ts';

const DOCUMENT = readFileSync(new URL('../../docs/operators/metrics.md', import.meta.url), 'utf8');
/** Gauges and histograms name their unit; counters have none. */
const UNITS =
  /_(seconds|bytes|total|events|rows|connections|info|open|live|active|paused|position|busy|waiting|rate|known)$/;
const COUNTED = ['civic_sources', 'civic_payments', 'civic_unclassified_items'];

let database: TestDatabase;
let served: ServedCivic;
let accountId: string;
let key: IssuedKey;
let families: readonly MetricFamily[];
let text: string;

const ours = () => families.filter(({ name }) => name.startsWith('civic_'));
const value = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
  families
    .flatMap(({ samples }) => samples)
    .find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url, { CIVIC_OPS_PORT: '0' });
  accountId = await served.openAccount();
  key = await served.issueKey(accountId);
  await served.civic.writer.write([upsert('documents', 1, 1), upsert('documents', 2, 1)], {});
  await served.civic.caughtUp(await served.civic.log.head());
  for (const path of ['/changes', '/health', '/records?ids=no', '/nothing'])
    await (await served.ask('GET', path, key.secret)).text();
  await (await served.ask('POST', '/snapshots', key.secret)).text();
  await (await served.ask('GET', '/changes', 'no-key')).text();
  text = await (await fetch(`${served.opsUrl}/metrics`)).text();
  families = parseExposition(text);
});
afterAll(async () => {
  await served?.close();
  await database?.close();
});

test('a strict parser accepts the exposition, and every name has a unit', () => {
  expect(ours().length).toBeGreaterThan(30);
  expect(
    families.filter(({ type, name }) => type === 'counter' && !name.endsWith('_total')).map(({ name }) => name),
  ).toEqual([]);
  expect(ours().filter(({ type, name }) => type !== 'counter' && name.endsWith('_total'))).toEqual([]);
  expect(ours().filter(({ type, name }) => type === 'histogram' && !name.endsWith('_seconds'))).toEqual([]);
  expect(ours().flatMap(({ name }) => (UNITS.test(name) || COUNTED.includes(name) ? [] : [name]))).toEqual([]);
  expect(families.filter(({ help }) => help.length < 5).map(({ name }) => name)).toEqual([]);
});

test('the operators see, at each process, which keys read the feed from a cursor at any of them, and how long the cursors last', async () => {
  const readersAt = async ({ opsUrl }: ServedCivic) =>
    ((await (await fetch(`${opsUrl}/ops/state`)).json()) as OpsState).readers;
  expect(await readersAt(served)).toEqual([]);
  const other = await serveCivic(database.url, { CIVIC_OPS_PORT: '0' });
  other.clock.advance(3_600_000);
  async function read(process: ServedCivic, { secret }: IssuedKey, query: string): Promise<string> {
    const page = (await (await process.ask('GET', `/changes?${query}`, secret)).json()) as {
      meta: { nextCursor: string };
    };
    return `cursor=${page.meta.nextCursor}`;
  }
  const behind = await read(served, key, 'limit=1');
  const head = await read(served, key, behind);
  const laterKey = await served.issueKey(accountId);
  await read(other, laterKey, head);
  const expected = [
    { accountId, keyId: key.keyId, lastReadAt: new Date(served.clock.now()).toISOString() },
    { accountId, keyId: laterKey.keyId, lastReadAt: new Date(other.clock.now()).toISOString() },
  ];
  for (const process of [served, other])
    await expect.poll(() => readersAt(process), { timeout: 10_000 }).toMatchObject(expected);
  expect((await readersAt(served))[0]!.secondsLeft).toBeGreaterThan(29 * 86_400);

  // If a key reads at two processes, the later read counts, in whatever order they are stored.
  other.clock.advance(3_600_000);
  await read(other, key, behind);
  await read(served, laterKey, head);
  const lastReadAt = new Date(other.clock.now()).toISOString();
  await other.close();
  await expect
    .poll(() => readersAt(served), { timeout: 10_000 })
    .toMatchObject([{ ...expected[0], lastReadAt }, expected[1]]);
});

test('a label has few values, and none of them names a customer, a record or a secret', () => {
  const labels = ours().flatMap(({ name, samples }) =>
    samples.flatMap((sample) => Object.entries(sample.labels).map((each) => [name, ...each] as const)),
  );
  expect(labels.filter(([, label, word]) => label !== 'le' && !/^[\w.:-]{1,40}$/.test(word))).toEqual([]);
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  for (const hidden of [key.secret, key.keyId, accountId, database.url]) expect(text).not.toContain(hidden);
  for (const { name, samples } of ours()) {
    const series = new Set(samples.map((sample) => JSON.stringify({ ...sample.labels, le: '' })));
    expect([name, series.size < 60]).toEqual([name, true]);
  }
});

test('appends, folds, refusals, slots, snapshots and connections are counted', () => {
  expect(value('civic_log_append_duration_seconds_count', { outcome: 'appended' })).toBeGreaterThan(3);
  expect(value('civic_projection_fold_duration_seconds_count', { projection: 'record_history' })).toBeGreaterThan(0);
  expect(value('civic_refusals_total', { code: 'unauthorized' })).toBe(1);
  expect(value('civic_feed_position')).toBe(2);
  const events = value('civic_log_events')!;
  expect(events).toBeGreaterThan(4);
  expect(value('civic_projection_position', { projection: 'record_history' })).toBeLessThanOrEqual(events);
  expect(value('civic_projection_takeovers_total', { projection: 'audit' })).toBe(1);
  expect(value('civic_projection_paused', { projection: 'audit' })).toBe(0);
  expect(value('civic_snapshots_live')).toBe(1);
  expect(value('civic_payments', { state: 'SETTLED' })).toBe(0);
  expect(value('civic_database_connections', { pool: 'transactions' })).toBeGreaterThan(0);
  expect(value('civic_build_info', { version: '1.0.0', role: 'api' })).toBe(1);
});

test('an append with a conflict is counted as a conflict', async () => {
  const [name, labels] = ['civic_log_append_duration_seconds_count', { outcome: 'conflict' }] as const;
  const conflicts = value(name, labels) ?? 0;
  const [event] = (await served.civic.log.readAll({ after: '' as never, limit: 1 })).events;
  const again = {
    ...event!,
    id: served.civic.identifiers.next(),
    metadata: { commandId: served.civic.identifiers.next() },
  };
  expect(await served.civic.log.append({ stream: event!.stream, expectedRevision: -1, events: [again] })).toMatchObject(
    {
      kind: 'conflict',
    },
  );
  families = parseExposition(await (await fetch(`${served.opsUrl}/metrics`)).text());
  expect(value(name, labels)).toBe(conflicts + 1);
});

test('the page of the metrics lists exactly these metrics with their types', async () => {
  const listed = [...DOCUMENT.matchAll(/^\| `(civic_\w+)`[^|]*\| (\w+) \|/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  const registry = new Registry();
  register(registry, KAFKA_METRICS, () => ({ published: 0, position: 0, appended: 0, unchanged: 0, rejected: 0 }));
  const withBrokers = parseExposition(await registry.metrics());
  expect(listed.toSorted()).toEqual([...ours(), ...withBrokers].map(({ name, type }) => `${name} ${type}`).toSorted());
});
