import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerLagMetrics } from '../../src/http/lag-metrics.ts';
import { createOpsServer, type OpsServer, type Readiness } from '../../src/http/ops-server.ts';

const registry = new Registry();
let readiness: () => Promise<Readiness> = async () => ({ ready: true });
let lag: () => Promise<{ name: string; lagEvents: number | null; lagSeconds: number }[]> = async () => [];
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
    { name: 'record_history', lagEvents: 3, lagSeconds: 0.5 },
    { name: 'accounts', lagEvents: null, lagSeconds: 2 },
  ];
  const known = await (await fetch(`${url}/metrics`)).text();
  expect(known).toContain('civic_projection_lag_events{projection="record_history"} 3');
  expect(known).toContain('civic_projection_lag_seconds{projection="accounts"} 2');
  expect(known).not.toContain('civic_projection_lag_events{projection="accounts"}');
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
