import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProjectionFigures, registerLagMetrics } from '../../src/http/lag-metrics.ts';
import { createOpsServer, type OpsServer, type Readiness } from '../../src/http/ops-server.ts';

const registry = new Registry();
let readiness: () => Promise<Readiness> = async () => ({ ready: true });
let lag: () => Promise<ProjectionFigures[]> = async () => [];
const live = {
  serves: true,
  rebuild: false,
  lagEvents: 0,
  lagSeconds: 0,
  folded: 9,
  rate: null,
  leftEvents: null,
  leftSeconds: null,
  state: 'live',
};
let server: OpsServer;
let url: string;

beforeAll(async () => {
  registerLagMetrics(registry, () => lag());
  const log = () => undefined;
  server = createOpsServer({ registry, readiness: () => readiness(), logger: { debug: log, info: log, warn: log, error: log } });
  const { host, port } = await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://${host}:${port}`;
});
afterAll(() => server.close());

test('/readyz is 200 only when the service says that it is ready, and else names the reasons', async () => {
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  readiness = async () => ({ ready: false, reasons: ['record_history is 12 events behind the head seen at start'] });
  const behind = await fetch(`${url}/readyz`);
  expect([behind.status, await behind.json()]).toEqual([
    503,
    { status: 'not ready', reasons: ['record_history is 12 events behind the head seen at start'] },
  ]);
  readiness = () => {
    throw new Error('the database is away');
  };
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
});

test('/livez is 200 whether or not the service is ready', async () => {
  expect((await fetch(`${url}/livez`)).status).toBe(200);
});

test('/metrics tells each lag that is known, and the others not at all', async () => {
  lag = async () => [
    { ...live, name: 'record_history', lagEvents: 3, lagSeconds: 0.5 },
    { ...live, name: 'accounts', lagEvents: null, lagSeconds: 2 },
  ];
  const known = await (await fetch(`${url}/metrics`)).text();
  expect(known).toContain('civic_projection_lag_events{projection="record_history"} 3');
  expect(known).toContain('civic_projection_lag_seconds{projection="accounts"} 2');
  expect(known).not.toContain('civic_projection_lag_events{projection="accounts"}');
  // Beside the live one stands its rebuild: its lag is progress, and no lag of what readers are answered from.
  const building = { ...live, name: 'accounts', serves: false, rebuild: true, lagSeconds: 99, state: 'building' };
  lag = async () => [
    { ...live, name: 'accounts', lagSeconds: 2 },
    { ...building, lagEvents: 500, leftEvents: 500, folded: 250, rate: 1000, leftSeconds: 0.5 },
  ];
  const rebuilding = await (await fetch(`${url}/metrics`)).text();
  expect(rebuilding.match(/^civic_projection_\w*\{.*$/gm)).toEqual([
    'civic_projection_lag_events{projection="accounts"} 0',
    'civic_projection_lag_seconds{projection="accounts"} 2',
    'civic_projection_rebuild_folded_events{projection="accounts"} 250',
    'civic_projection_rebuild_remaining_events{projection="accounts"} 500',
    'civic_projection_rebuild_remaining_seconds{projection="accounts"} 0.5',
    'civic_projection_rebuild_fold_rate{projection="accounts"} 1000',
    'civic_projection_rebuild_paused{projection="accounts"} 0',
  ]);
  lag = async () => {
    throw new Error('the database is away');
  };
  expect(await (await fetch(`${url}/metrics`)).text()).not.toContain('projection="record_history"');
});

test('whatever else is asked is refused', async () => {
  expect((await fetch(`${url}/other`)).status).toBe(404);
  expect((await fetch(`${url}/toString`)).status).toBe(404);
  expect((await fetch(`${url}/livez`, { method: 'POST' })).status).toBe(405);
});
