import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECTIONS } from '../../src/app/composition.ts';
import { type AdmissionBench, type Customer, openAdmissionBench } from '../support/admission.ts';
import { untilTrue } from '../support/civic.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilReached } from '../support/until-reached.ts';

const ASKERS = 12;

let bench: AdmissionBench;
let installation: Installation;
let service: Service;
let customer: Customer;
beforeAll(async () => {
  bench = await openAdmissionBench(Date.now(), PROJECTIONS);
  installation = makeInstallation('civic-admission-store-');
  service = await installation.start({ role: 'api', env: { DATABASE_URL: bench.civic.url } });
  customer = await bench.open();
  await bench.caughtUp();
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
  await bench?.close();
});

interface Answered {
  readonly began: number;
  readonly ended: number;
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
}

/** Sends requests without a pause until it is stopped, and keeps the answers. */
function load() {
  const answered: Answered[] = [];
  const ending = new AbortController();
  const asking = Array.from({ length: ASKERS }, async () => {
    while (!ending.signal.aborted) {
      const began = performance.now();
      const answer = await service.fetch('/api/v1/data/changes?limit=1', { key: customer.key });
      const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
      const { status, headers } = answer;
      answered.push({
        began,
        ended: performance.now(),
        status,
        code: error?.code,
        retryAfter: headers.get('retry-after'),
      });
    }
  });
  const since = (time: number) => answered.filter(({ began }) => began >= time);
  for (const each of asking) each.catch(() => undefined);
  return {
    answered,
    since,
    /** Waits for this many answers to requests that begin from now on. */
    more: async (count: number) => {
      const time = performance.now();
      await untilReached('answers', count, () => since(time).length);
    },
    end: async () => {
      ending.abort();
      await Promise.all(asking);
    },
  };
}

const isUnavailable = ({ status, code, retryAfter }: Answered) =>
  status === 503 && code === 'authentication_unavailable' && retryAfter === null;

test('a loss of the counters under load admits nothing, and ends as soon as they are back', async () => {
  const running = load();
  await running.more(100);
  await bench.civic.rows('alter table civic.admission_counts rename to admission_counts_away');
  const stoppedAt = performance.now();
  await running.more(100);
  const returning = performance.now();
  await bench.civic.rows('alter table civic.admission_counts_away rename to admission_counts');
  const back = performance.now();
  await running.more(100);
  await running.end();
  const during = running.answered.filter(({ began, ended }) => began >= stoppedAt && ended <= returning);
  expect(during.length).toBeGreaterThan(50);
  expect(during.filter((answer) => !isUnavailable(answer))).toEqual([]);
  expect(new Set(running.since(back).map(({ status }) => status))).toEqual(new Set([200]));
  expect(running.answered.filter((answer) => answer.status !== 200 && !isUnavailable(answer))).toEqual([]);
});

test('a loss of the database under load is answered with 503 only, and the service recovers by itself', async () => {
  const url = new URL(bench.civic.url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const server = new Client(url.toString());
  await server.connect();
  try {
    const running = load();
    await running.more(100);
    await server.query(`alter database ${name} allow_connections false`);
    await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    const stoppedAt = performance.now();
    await running.more(100);
    const returning = performance.now();
    await server.query(`alter database ${name} allow_connections true`);
    await untilTrue('an answer of 200', () => running.since(returning).some(({ status }) => status === 200));
    const well = performance.now();
    await running.more(100);
    await running.end();
    const during = running.answered.filter(({ began, ended }) => began >= stoppedAt && ended <= returning);
    expect(during.length).toBeGreaterThan(50);
    expect(during.filter((answer) => !isUnavailable(answer))).toEqual([]);
    expect(new Set(running.since(well).map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    await server.end();
  }
});
