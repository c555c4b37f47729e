import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpsState } from '../../src/edge/ops/read-state.ts';
import type { Readiness } from '../../src/edge/ops/ops-server.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';
import { openTcpProxy, serverAt, type TcpProxy, urlThrough } from '../support/tcp-proxy.ts';

const PROMISED_MS = 3_000;
/** Tolerance in addition to the promised time, as a multiple of the usual time of an answer, for a busy machine. */
const BUSY = 3;
const PATIENT = { interval: 100 };

let database: TestDatabase;
let proxy: TcpProxy;
let served: ServedCivic;

beforeAll(async () => {
  database = await startTestDatabase();
  proxy = await openTcpProxy(() => serverAt(database.url));
  served = await serveCivic(urlThrough(proxy, database.url), { CIVIC_OPS_PORT: '0' });
});
afterAll(async () => {
  proxy?.flow();
  await served?.close();
  await proxy?.goDown();
  await database?.close();
});

/** The longest answer so far, in milliseconds. */
let longest = 0;
async function ask(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const startedAt = performance.now();
  const answer = await fetch(`${served.opsUrl}${path}`);
  const text = await answer.text();
  longest = Math.max(longest, performance.now() - startedAt);
  return { status: answer.status, text };
}
const readiness = async () => JSON.parse((await ask('/readyz')).text) as Readiness;
const state = async () => JSON.parse((await ask('/ops/state')).text) as OpsState;
const SHARED =
  /^civic_(?:projection|reactor|reports|log_events|feed|snapshots|subscriptions|sources|payments)\w*(?:\{.*\})? /gm;
const sharedIn = (text: string) =>
  (text.match(SHARED) ?? []).filter((line) => !line.startsWith('civic_projection_fold_duration'));

test('all health checks report a silent database within three seconds, at the first and at later calls', async () => {
  await expect.poll(async () => (await state()).database.state, PATIENT).toBe('answers');
  await expect.poll(async () => (await readiness()).status, PATIENT).toBe('ready');
  let before = '';
  const metrics = async () => (before = (await ask('/metrics')).text);
  await expect.poll(metrics, PATIENT).toMatch(/^civic_shared_figures_known 1$/m);
  const names = new Set(sharedIn(before).map((line) => line.split(/[{ ]/)[0]));
  expect([...names]).toEqual(
    expect.arrayContaining(['civic_projection_lag_seconds', 'civic_reports_open', 'civic_feed_position']),
  );

  const usual = longest;
  longest = 0;
  proxy.stall();
  try {
    // A reading is cached for a second.
    await expect.poll(async () => (await state()).database.state, PATIENT).not.toBe('answers');
    for (let round = 0; round < 2; round += 1) {
      const [ready, gauges, seen] = await Promise.all([ask('/readyz'), ask('/metrics'), state()]);
      expect([ready.status, (JSON.parse(ready.text) as Readiness).checks[0]]).toEqual([
        503,
        { name: 'database', ok: false, reason: 'it does not answer' },
      ]);
      expect(gauges.status).toBe(200);
      expect(gauges.text).toMatch(/^civic_shared_figures_known 0$/m);
      expect(sharedIn(gauges.text)).toEqual([]);
      for (const own of [
        'process_resident_memory_bytes',
        'civic_build_info',
        'civic_database_connections',
        'civic_log_append_duration',
      ]) {
        expect(gauges.text).toMatch(new RegExp(`^${own}`, 'm'));
      }
      expect(seen.problems[0]!.text).toMatch(/^The database/);
      expect(seen.shared).not.toBeNull();
    }
    expect((await ask('/livez')).status).toBe(200);
    await expect.poll(async () => (await state()).problems[0]?.severity, PATIENT).toBe('failing');
    expect(longest).toBeLessThan(PROMISED_MS + BUSY * usual);
  } finally {
    proxy.flow();
  }
  await expect.poll(async () => (await state()).database.state, PATIENT).toBe('answers');
  await expect.poll(async () => (await readiness()).status, PATIENT).toBe('ready');
  await expect.poll(metrics, PATIENT).toMatch(/^civic_shared_figures_known 1$/m);
});
