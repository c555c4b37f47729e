import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import { type AdmissionBench, BUILT_IN_RULES, openAdmissionBench } from '../support/admission.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const AT_ONCE = 16;
const ASKED = 40;

let bench: AdmissionBench;
let edge: HttpEdge;
beforeAll(async () => {
  bench = await openAdmissionBench(NOW);
  const pro = { ...BUILT_IN_PLANS.pro, requestsPerMinute: 1_000, burstLimit: 1_000 };
  edge = await startHttpEdge({ admission: bench.admission({ ...BUILT_IN_RULES, plans: { ...BUILT_IN_PLANS, pro } }) });
});
afterAll(async () => {
  await edge?.close();
  await bench?.close();
});

const BATCH = JSON.stringify({ requests: [{ resource: 'topics', ids: ['00000000-0000-4000-8000-000000000000'] }] });
const PAGE = '/api/v1/data/changes';
const SENDINGS = [
  { path: PAGE, sent: {} },
  { path: '/api/v1/data/batch', sent: { method: 'POST', body: BATCH } },
];

test.each(SENDINGS)(
  'an account reads $path so many times at once, and another does not wait for it',
  async ({ path, sent }) => {
    const running: (() => void)[] = [];
    const answer = () =>
      new Promise<{ text: string; items: number }>((resolve) => {
        running.push(() => resolve({ text: '{}', items: 0 }));
      });
    edge.answerWith({ readCivicChanges: answer, readCivicRecords: answer });
    const [greedy, other] = [await bench.open(), await bench.open()];
    await bench.caughtUp();
    const ask = async ({ key }: typeof greedy) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return (await fetch(edge.url + path, { ...sent, headers })).status;
    };
    const requests = Array.from({ length: ASKED }, () => ask(greedy));
    await expect.poll(() => running.length, { timeout: 60_000 }).toBe(AT_ONCE);
    const others = ask(other);
    await expect.poll(() => running.length, { timeout: 60_000 }).toBe(AT_ONCE + 1);
    running.at(-1)!();
    expect(await others).toBe(200);
    expect(running).toHaveLength(AT_ONCE + 1);
    for (let ended = 0; ended <= ASKED; ended += 1) {
      await expect.poll(() => running.length, { timeout: 60_000 }).toBeGreaterThan(ended);
      running[ended]!();
    }
    expect(await Promise.all(requests)).toEqual(requests.map(() => 200));
    edge.answerWith(EMPTY_ANSWERS);
  },
);

test('a request whose client leaves gives up its place', async () => {
  const running: (() => void)[] = [];
  edge.answerWith({
    readCivicChanges: () => new Promise((resolve) => void running.push(() => resolve({ text: '{}', items: 0 }))),
  });
  const { accountId, key } = await bench.open();
  await bench.caughtUp();
  const ask = (signal?: AbortSignal) =>
    fetch(edge.url + PAGE, { headers: { authorization: `Bearer ${key}` }, signal: signal ?? null });
  const first = Array.from({ length: AT_ONCE }, () => ask());
  await expect.poll(() => running.length, { timeout: 60_000 }).toBe(AT_ONCE);
  const before = edge.logged.length;
  const leaving = new AbortController();
  const abandoned = Array.from({ length: ASKED }, () => ask(leaving.signal).catch(() => 'left'));
  // They wait once they have been admitted, and the log shows the end of each.
  await expect.poll(async () => (await bench.counters(accountId))['minute'], { timeout: 60_000 }).toBe(AT_ONCE + ASKED);
  leaving.abort();
  await Promise.all(abandoned);
  await expect.poll(() => edge.logged.length - before, { timeout: 60_000 }).toBeGreaterThanOrEqual(ASKED);
  const last = ask();
  running[0]!();
  await expect.poll(() => running.length, { timeout: 60_000 }).toBe(AT_ONCE + 1);
  for (const end of running) end();
  expect((await last).status).toBe(200);
  await Promise.all(first);
  expect(running).toHaveLength(AT_ONCE + 1);
  edge.answerWith(EMPTY_ANSWERS);
});

test('health and writes do not wait for records', async () => {
  const { promise, resolve } = Promise.withResolvers<{ text: string; items: number }>();
  edge.answerWith({ readCivicChanges: () => promise });
  const { key } = await bench.open();
  await bench.caughtUp();
  const ask = async (path: string, sent: RequestInit = {}) =>
    (
      await fetch(edge.url + path, {
        ...sent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
    ).status;
  const pages = Array.from({ length: ASKED }, () => ask(PAGE));
  expect(await ask('/api/v1/data/health')).toBe(200);
  expect(await ask('/api/v1/data/subscriptions', { method: 'POST', body: '{"name":"mine"}' })).toBe(201);
  resolve({ text: '{}', items: 0 });
  expect(await Promise.all(pages)).toEqual(pages.map(() => 200));
  edge.answerWith(EMPTY_ANSWERS);
});
