import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { register } from '../../src/edge/metrics/metric.ts';
import { PROJECTION_LAG_METRICS, type ProjectionLag } from '../../src/edge/metrics/shared-metrics.ts';
import type { OpsState } from '../../src/edge/ops/read-state.ts';
import { createOpsServer, type Readiness } from '../../src/edge/ops/ops-server.ts';

const registry = new Registry();
const READY: Readiness = { status: 'ready', checks: [{ name: 'database', ok: true }] };
let readiness: () => Promise<Readiness> = async () => READY;
let state: () => Promise<OpsState> = () => Promise.reject(new Error('nothing to show'));
let lag: () => Promise<ProjectionLag[]> = async () => [];
const live = {
  serves: true,
  rebuild: false,
  lagEvents: 0,
  lagSeconds: 0,
  folded: 9,
  rate: null,
  leftEvents: null,
  leftSeconds: null,
  state: 'live' as const,
};
let server: ReturnType<typeof createOpsServer>;
let url: string;

beforeAll(async () => {
  register(registry, PROJECTION_LAG_METRICS, () => lag());
  const log = () => undefined;
  server = createOpsServer({
    registry,
    readiness: () => readiness(),
    state: () => state(),
    allowedHosts: ['ops.example.org'],
    logger: { debug: log, info: log, warn: log, error: log },
  });
  const { host, port } = await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://${host}:${port}`;
});
afterAll(() => server.close());

test('/readyz is 200 when ready or degraded, else 503, and always names each check with its reason', async () => {
  const tells = async (state: Readiness) => {
    readiness = async () => state;
    const answer = await fetch(`${url}/readyz`);
    expect(await answer.json()).toEqual(state);
    return answer.status;
  };
  const checks = [
    { name: 'projection audit', ok: false, reason: 'it has not caught up with the head seen at the start' },
  ];
  expect(await tells(READY)).toBe(200);
  expect(await tells({ status: 'degraded', checks })).toBe(200);
  expect(await tells({ status: 'not ready', checks })).toBe(503);
  expect(await tells({ status: 'stopping', checks })).toBe(503);
  readiness = () => {
    throw new Error('the database is away: postgres://user:secret@host/');
  };
  const broken = await fetch(`${url}/readyz`);
  expect([broken.status, await broken.text()]).toEqual([503, expect.not.stringContaining('secret')]);
});

test('/livez is 200 whether or not the service is ready', async () => {
  expect((await fetch(`${url}/livez`)).status).toBe(200);
});

test('/metrics contains each lag that is known, and no other', async () => {
  lag = async () => [
    { ...live, name: 'record_history', lagEvents: 3, lagSeconds: 0.5 },
    { ...live, name: 'accounts', lagEvents: null, lagSeconds: 2 },
  ];
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('civic_projection_lag_events{projection="record_history"} 3');
  expect(metrics).toContain('civic_projection_lag_seconds{projection="accounts"} 2');
  expect(metrics).not.toContain('civic_projection_lag_events{projection="accounts"}');
  // The live generation and its rebuild exist: the lag of the rebuild is progress and not a lag of answers.
  const building = {
    ...live,
    name: 'accounts',
    serves: false,
    rebuild: true,
    lagSeconds: 99,
    state: 'building' as const,
  };
  lag = async () => [
    { ...live, name: 'accounts', lagSeconds: 2 },
    { ...building, lagEvents: 500, leftEvents: 500, folded: 250, rate: 1000, leftSeconds: 0.5 },
    { ...live, name: 'audit' },
  ];
  const rebuilding = await (await fetch(`${url}/metrics`)).text();
  expect(rebuilding.match(/^civic_projection_\w*\{.*$/gm)).toEqual([
    'civic_projection_lag_events{projection="accounts"} 0',
    'civic_projection_lag_events{projection="audit"} 0',
    'civic_projection_lag_seconds{projection="accounts"} 2',
    'civic_projection_lag_seconds{projection="audit"} 0',
    'civic_projection_rebuild_folded_events{projection="accounts"} 250',
    'civic_projection_rebuild_remaining_events{projection="accounts"} 500',
    'civic_projection_rebuild_remaining_seconds{projection="accounts"} 0.5',
    'civic_projection_rebuild_fold_rate{projection="accounts"} 1000',
    'civic_projection_rebuild_paused{projection="accounts"} 0',
  ]);
  lag = async () => [];
  expect(await (await fetch(`${url}/metrics`)).text()).not.toContain('projection="record_history"');
});

test('the page and everything that it loads come from the listener, and the page may load nothing else', async () => {
  const page = await fetch(`${url}/ops`);
  const html = await page.text();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; /,
  );
  expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:/);
  const loaded = [...html.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((path) => !path.startsWith('/'))).toEqual([]);
  for (const path of loaded.filter((each) => each.startsWith('/ops/') && each !== '/ops/state')) {
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  }
  expect(html).not.toMatch(/<style|<script(?! src=)|\son\w+=|\sstyle=/);
});

test('a state that cannot be read is a 500 that does not contain the cause', async () => {
  const answer = await fetch(`${url}/ops/state`);
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('nothing to show')]);
});

test('every other path and method is refused', async () => {
  expect((await fetch(`${url}/other`)).status).toBe(404);
  expect((await fetch(`${url}/toString`)).status).toBe(404);
  expect((await fetch(`${url}/livez`, { method: 'POST' })).status).toBe(405);
});
