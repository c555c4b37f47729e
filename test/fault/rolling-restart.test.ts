import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECTIONS } from '../../src/app/composition.ts';
import { type AdmissionBench, type Customer, openAdmissionBench } from '../support/admission.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { untilTrue } from '../support/civic.ts';
import { recordId, upsert } from '../support/civic-records.ts';
import {
  type KeptClient,
  keptClient,
  Met,
  notConnected,
  notHandedOver,
  type Question,
} from '../support/constant-load.ts';
import { idempotent, MISSING_RECORD } from '../support/missing-record.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { BOTH_TYPES } from '../support/tool-requests.ts';
import { untilReached } from '../support/until-reached.ts';
import { testRuns, withNightly } from '../support/test-runs.ts';

const PROCESSES = 2;
const ROUNDS = testRuns(1);
const RECORDS = 40;
/** Customers that send requests all the time, half of them through the balancer. */
const CUSTOMERS = 4;
/** Milliseconds between an answer and the next request; far less than the delay in which a process serves on. */
const PAUSE_MS = 20;

let bench: AdmissionBench;
let installation: Installation;
let customers: Customer[];
let services: Service[];

/** Uses the same ports as before, like a restarted unit of a process manager. */
const startAt = (before?: Service, env: Readonly<Record<string, string>> = {}): Promise<Service> =>
  installation.start({
    role: 'api',
    env: {
      ...env,
      ...(before === undefined
        ? {}
        : { CIVIC_HTTP_PORT: new URL(before.baseUrl).port, CIVIC_OPS_PORT: new URL(before.opsUrl).port }),
    },
  });

beforeAll(async () => {
  bench = await openAdmissionBench(Date.now(), PROJECTIONS);
  customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => bench.open()));
  await bench.civic.writer.write(
    Array.from({ length: RECORDS }, (_, number) => upsert('topics', number, 1)),
    {},
  );
  await bench.caughtUp();
  installation = makeInstallation('civic-rolling-', {
    DATABASE_URL: bench.civic.url,
    CIVIC_DRAIN_DELAY: 'PT1.5S',
    CIVIC_STATEMENT_TIMEOUT: 'PT60S',
    CIVIC_PUBLIC_LIMIT: '1000000/60',
    CIVIC_REPORT_CLIENT_LIMIT: '1000000/60',
  });
  services = await Promise.all(Array.from({ length: PROCESSES }, () => startAt()));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await installation?.close();
  await bench?.close();
});

const asking = ({ key }: Customer) => ({ authorization: `Bearer ${key}` });
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** One request of each kind; pages of a snapshot once there is one. */
const questions = (customer: Customer, snapshotId: string | null): readonly Question[] => [
  { kind: 'feed', method: 'GET', path: '/api/v1/data/changes?limit=20', headers: asking(customer) },
  { kind: 'snapshot', method: 'POST', path: '/api/v1/data/snapshots', headers: asking(customer) },
  ...(snapshotId === null
    ? []
    : [
        {
          kind: 'page',
          method: 'GET' as const,
          path: `/api/v1/data/snapshots/${snapshotId}/topics?limit=10`,
          headers: asking(customer),
        },
      ]),
  {
    kind: 'batch',
    method: 'POST',
    path: '/api/v1/data/batch',
    headers: asking(customer),
    body: JSON.stringify({ requests: [{ resource: 'topics', ids: [recordId('topics', 3)] }] }),
  },
  { kind: 'public', method: 'GET', path: '/api/v1/public/coverage' },
  {
    kind: 'tools',
    method: 'POST',
    path: '/api/v1/mcp',
    headers: { ...asking(customer), accept: BOTH_TYPES, 'mcp-protocol-version': '2025-06-18' },
    body: listTools,
  },
  {
    kind: 'report',
    method: 'POST',
    path: '/api/v1/data-reports',
    headers: { ...asking(customer), ...idempotent(`rolling-${customer.keyId}`) },
    body: JSON.stringify(MISSING_RECORD),
  },
];

/** Repeats all requests until the end. Moves to the next process when one closes the connection or refuses it. */
async function ask(
  client: KeptClient,
  customer: Customer,
  places: () => readonly string[],
  met: Met,
  over: AbortSignal,
) {
  let [place, snapshotId]: [number, string | null] = [Math.floor(Math.random() * 100), null];
  for (let number = 0; !over.aborted; number += 1) {
    const all = questions(customer, snapshotId);
    const question = all[number % all.length]!;
    const among = places();
    try {
      const answer = await client.ask(among[place % among.length]!, question);
      met.note(question.kind, answer.status, answer.text);
      if (answer.last) place += 1;
      await after(PAUSE_MS);
      if (question.kind === 'snapshot')
        snapshotId = (JSON.parse(answer.text) as { data: { snapshotId: string } }).data.snapshotId;
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (notConnected(error as NodeJS.ErrnoException)) {
        met.refused += 1;
        place += 1;
        await after(20);
      } else met.failed.push(`${question.kind}: ${code} ${message}`);
    }
  }
}

const KINDS = ['batch', 'feed', 'page', 'public', 'report', 'snapshot', 'tools'];

test(`${PROCESSES} API processes are restarted in turn, ${ROUNDS} times, without a failed request`, async () => {
  const [met, direct, over] = [new Met(), new Met(), new AbortController()];
  const balancer: Balancer = await startBalancer(services.map(({ baseUrl, opsUrl }) => ({ baseUrl, opsUrl })));
  const allUp = () =>
    untilTrue('every process is up', async () =>
      (await Promise.all(services.map(({ opsUrl }) => isReady(opsUrl)))).every(Boolean),
    );
  const clients = customers.map(() => keptClient());
  try {
    await allUp();
    await untilTrue('the balancer knows', async () => (await fetch(`${balancer.url}/api/v1/public/coverage`)).ok);
    balancer.failures.length = 0;
    const loops = customers.map((customer, nth) =>
      nth % 2 === 0
        ? ask(clients[nth]!, customer, () => [balancer.url], met, over.signal)
        : ask(clients[nth]!, customer, () => services.map(({ baseUrl }) => baseUrl), direct, over.signal),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [nth, service] of services.entries()) {
        const before = [met.total(), direct.total()];
        expect(await service.stop()).toMatchObject({ exitCode: 0 });
        services[nth] = await startAt(service);
        await allUp();
        await untilReached('requests behind the balancer', before[0]! + 21, () => met.total());
        await untilReached('requests on kept connections', before[1]! + 21, () => direct.total());
      }
    }
    over.abort();
    await Promise.all(loops);
  } finally {
    over.abort();
    for (const client of clients) client.close();
    await balancer.close();
  }
  expect({ failed: met.failed, between: balancer.failures, direct: direct.failed }).toEqual({
    failed: [],
    between: [],
    direct: [],
  });
  expect([...met.answered.keys()].toSorted()).toEqual(KINDS);
  expect([...direct.answered.keys()].toSorted()).toEqual(KINDS);
});

const isReady = (opsUrl: string): Promise<boolean> =>
  fetch(`${opsUrl}/readyz`).then(
    async (answer) => (await answer.arrayBuffer(), answer.ok),
    () => false,
  );

/** A lookup whose body comes in two parts. */
function halfAsked(service: Service, customer: Customer) {
  const body = JSON.stringify({ requests: [{ resource: 'topics', ids: [recordId('topics', 3)] }] });
  const answered = Promise.withResolvers<{ readonly status: number; readonly connection: string | undefined }>();
  const outgoing = request(`${service.baseUrl}/api/v1/data/batch`, {
    method: 'POST',
    agent: false,
    headers: {
      ...asking(customer),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      connection: 'keep-alive',
    },
  });
  outgoing.once('error', answered.reject);
  outgoing.once('response', (came) => {
    came.resume();
    came.once('end', () => answered.resolve({ status: came.statusCode!, connection: came.headers.connection }));
  });
  answered.promise.catch(() => undefined);
  outgoing.write(body.slice(0, 10));
  return { answered: answered.promise, goOn: () => outgoing.end(body.slice(10)) };
}
const begun = (service: Service, customer: Customer, count: number) =>
  untilTrue('the requests have been begun', async () => {
    const { received = 0 } = await bench.counters(customer.accountId);
    return received >= count && service.pid > 0;
  });

test('a stopping process reports it, serves on with closing connections, finishes requests and exits 0', async () => {
  const service = services[0]!;
  const customer = await bench.open();
  await bench.caughtUp();
  const client = keptClient();
  const feed = {
    kind: 'feed',
    method: 'GET',
    path: '/api/v1/data/changes?limit=1',
    headers: asking(customer),
  } as const;
  expect(await client.ask(service.baseUrl, feed)).toMatchObject({ status: 200, last: false });
  const half = halfAsked(service, customer);
  await begun(service, customer, 2);
  const ended = service.stop();
  await untilTrue('it is not ready', async () => !(await isReady(service.opsUrl)));
  expect(await (await fetch(`${service.opsUrl}/readyz`)).json()).toEqual({
    status: 'stopping',
    checks: [{ name: 'process', ok: false, reason: 'stopping' }],
  });
  expect((await fetch(`${service.opsUrl}/livez`)).status).toBe(200);
  // Sent on the persistent connection and on a new one.
  expect(await client.ask(service.baseUrl, feed)).toMatchObject({ status: 200, last: true });
  expect(await client.ask(service.baseUrl, feed)).toMatchObject({ status: 200, last: true });
  await untilTrue('the port is closed', async () =>
    client.ask(service.baseUrl, feed).then(
      () => false,
      () => true,
    ),
  );
  half.goOn();
  expect(await half.answered).toEqual({ status: 200, connection: 'close' });
  expect(await ended).toMatchObject({ exitCode: 0, signal: null });
  client.close();
});

const DELAYS = withNightly(['PT0S'], ['PT5M']);
test.each(DELAYS)(
  'a second SIGTERM ends the wait, in a delay of %s and after it, and the exit status is 0',
  async (delay) => {
    const starting = performance.now();
    const service = await startAt(undefined, { CIVIC_DRAIN_DELAY: delay });
    const started = performance.now() - starting;
    const customer = await bench.open();
    await bench.caughtUp();
    const half = halfAsked(service, customer);
    await begun(service, customer, 1);
    process.kill(service.pid, 'SIGTERM');
    await untilTrue('it is not ready', async () => !(await isReady(service.opsUrl)));
    if (delay === 'PT0S')
      await untilTrue('the port is closed', async () => !(await fetch(service.baseUrl).then(Boolean, () => false)));
    const stoppedAt = performance.now();
    process.kill(service.pid, 'SIGTERM');
    await expect(half.answered).rejects.toThrow();
    expect(await service.ended).toMatchObject({ exitCode: 0, signal: null });
    // Far from the five minutes of the delay and the ten seconds of a hanging request; on a busy machine at most the time of a start.
    expect(performance.now() - stoppedAt).toBeLessThan(Math.max(8_000, started));
  },
);

test('one process alone that is restarted on its port cuts no accepted request', async () => {
  let service = services[1]!;
  const customer = await bench.open();
  await bench.caughtUp();
  const [met, over] = [new Met(), new AbortController()];
  const headers = { ...asking(customer), ...idempotent(`alone-${randomUUID()}`) };
  const report: Question = {
    kind: 'report',
    method: 'POST',
    path: '/api/v1/data-reports',
    headers,
    body: JSON.stringify(MISSING_RECORD),
  };
  const feed: Question = {
    kind: 'feed',
    method: 'GET',
    path: '/api/v1/data/changes?limit=5',
    headers: asking(customer),
  };
  const { baseUrl } = service;
  const loops = [feed, feed, report].map(async (question) => {
    const client = keptClient();
    while (!over.signal.aborted) {
      await client.ask(baseUrl, question).then(
        ({ status, text }) => met.note(question.kind, status, text),
        async (error: NodeJS.ErrnoException) => {
          // The kernel accepts connections for a closing process and resets those that the process has not accepted.
          if (notConnected(error) || notHandedOver(error)) met.refused += 1;
          else met.failed.push(`${question.kind}: ${error.code} ${error.message}`);
          await after(20);
        },
      );
    }
    client.close();
  });
  expect(await service.stop()).toMatchObject({ exitCode: 0 });
  const before = met.total();
  service = await startAt(service);
  await untilReached('requests', before + 21, () => met.total());
  over.abort();
  await Promise.all(loops);
  await service.stop();
  expect(met.failed).toEqual([]);
  expect(met.refused).toBeGreaterThan(0);
});
