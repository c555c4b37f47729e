import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTracingOn } from '../../src/app/platform.ts';
import { readSettings } from '../../src/app/settings.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type Installation, makeInstallation } from '../support/service.ts';
import { startTraceCollector } from '../support/trace-collector.ts';

const LOG_EVERY = 100;
/** Reports when the library of traces is loaded, from any import. */
const WATCH = `import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => {
    if (url.includes('@opentelemetry/sdk-node/build/src/index.js')) process.stderr.write('THE LIBRARY IS LOADED\\n');
    return next(url, context);
  } });`;
const watching = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH)}` };

let database: TestDatabase;
let installation: Installation;
let key: string;

beforeAll(async () => {
  database = await startTestDatabase();
  installation = makeInstallation('civic-traces-', { DATABASE_URL: database.url });
  key = await installation.openAccount();
});
afterAll(async () => {
  await installation?.close();
  await database?.close();
});

test.concurrent('a request and its effects are one trace under the caller\u2019s, and its end is sent after SIGTERM', async () => {
  const collector = await startTraceCollector();
  const service = await installation.start({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // Nothing is sent before the end, so the end flushed what arrives.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100000',
      OTEL_BSP_MAX_QUEUE_SIZE: '100000',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=trial',
    },
  });
  const traceId = randomBytes(16).toString('hex');
  const caller = randomBytes(8).toString('hex');
  const answered = new Set<string | null>();
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    await answer.text();
    answered.add(answer.headers.get('x-request-id'));
    return answer.status;
  };
  const traceparent = `00-${traceId}-${caller}-01`;
  expect(await ask('GET', '/api/v1/data/changes?limit=1', { traceparent })).toBe(200);
  expect(await ask('POST', '/api/v1/data/snapshots')).toBe(201);
  expect(await ask('GET', '/api/v1/data/health')).toBe(200);
  expect(await ask('GET', '/api/v1/data/snapshots/secret-in-a-path/documents')).toBeGreaterThanOrEqual(400);
  expect(await ask('GET', '/api/v1/data/%ff')).toBe(400);
  for (let requests = 0; requests < LOG_EVERY; requests += 1) await ask('GET', '/api/v1/public/coverage');
  expect(collector.spans).toEqual([]);
  const { exitCode, stderr } = await service.stop();
  expect(exitCode).toBe(0);

  const { spans, resource, received } = collector;
  await collector.close();
  expect(resource).toMatchObject({ 'service.name': 'civic-records', 'deployment.environment.name': 'trial' });
  const [served] = spans.filter((span) => span.name === 'GET /api/v1/data/changes');
  expect(served).toMatchObject({
    kind: 2,
    traceId,
    parentSpanId: caller,
    failed: false,
    attributes: { 'http.request.method': 'GET', 'http.route': '/api/v1/data/changes' },
  });
  expect(Number(served!.attributes['http.response.status_code'])).toBe(200);
  const under = (id: string) => spans.filter(({ parentSpanId }) => parentSpanId === id);
  const [admitted] = under(served!.spanId).filter(({ name }) => name === 'admit');
  expect(admitted).toMatchObject({ traceId, kind: 1 });
  const statements = under(admitted!.spanId);
  expect(statements.length).toBeGreaterThan(0);
  for (const { kind, attributes } of statements) {
    expect(kind).toBe(3);
    expect(attributes).toMatchObject({
      'db.system.name': 'postgresql',
      'db.operation.name': expect.stringMatching(/^[A-Z]+$/),
    });
  }
  const [posted] = spans.filter(({ name }) => name === 'POST /api/v1/data/snapshots');
  expect(under(posted!.spanId)).toContainEqual(
    expect.objectContaining({ name: 'append snapshot', kind: 4, traceId: posted!.traceId }),
  );
  const [fold] = spans.filter(({ name }) => name === 'fold snapshots');
  expect(fold).toMatchObject({ kind: 5, parentSpanId: '', attributes: { 'civic.projection': 'snapshots' } });
  expect(fold!.attributes['civic.position.last']).toMatch(/^\d+$/);
  expect(spans.some(({ name }) => name === 'GET /api/v1/data/snapshots/{snapshotId}/{resource}')).toBe(true);
  expect(spans.filter(({ name }) => name.startsWith('slonik'))).toEqual([]);
  // The router could not read its target.
  expect(spans.filter(({ name }) => name === 'GET')).toMatchObject([
    { parentSpanId: '', failed: false, attributes: { 'civic.operation': 'none', 'http.request.method': 'GET' } },
  ]);
  // A trace begins with a request, a batch or an append; periodic work without a cause makes none.
  const roots = new Set(spans.filter(({ parentSpanId }) => parentSpanId === '').map(({ name }) => name.split(' ')[0]));
  expect([...roots].filter((word) => !['GET', 'POST', 'fold', 'react', 'append'].includes(word!))).toEqual([]);

  const secret = key.split('_')[1]!;
  for (const hidden of [secret, 'secret-in-a-path', 'limit=1', 'Bearer']) expect(received).not.toContain(hidden);
  const lines = stderr.split('\n').filter((line) => line.includes('"answered"'));
  expect(lines.length).toBeGreaterThan(0);
  const traceIds = new Set(spans.map((span) => span.traceId));
  for (const line of lines) {
    const { requestId, trace_id: logged } = JSON.parse(line) as { requestId: string; trace_id: string };
    expect([answered.has(requestId), traceIds.has(logged)]).toEqual([true, true]);
  }
});

test.concurrent('a silent collector affects no answer and delays no end', async () => {
  const hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const { port } = hanging.address() as AddressInfo;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:hunter2@127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '50' };
  const starting = performance.now();
  const service = await installation.start({ role: 'api', env });
  const started = performance.now() - starting;
  for (let requests = 0; requests < 20; requests += 1) {
    const answer = await service.fetch('/api/v1/data/changes', { key });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('nextCursor')]);
  }
  const startedAt = performance.now();
  const { exitCode, stderr } = await service.stop();
  expect(exitCode).toBe(0);
  // The library tries for ten seconds by default; on a busy machine an end takes at most the time of a start and three seconds.
  expect(performance.now() - startedAt).toBeLessThan(Math.max(9_000, 3_000 + started));
  expect(stderr).not.toContain('hunter2');
  hanging.close();
});

test.concurrent('the library is loaded only by a program with traces on', async () => {
  const list = async (env: Record<string, string>) => {
    const { exitCode, stderr } = await installation.civic(['accounts', 'list'], { env: { ...watching, ...env } });
    expect(exitCode).toBe(0);
    return stderr.includes('THE LIBRARY IS LOADED');
  };
  const [byDefault, disabled, requested] = await Promise.all([
    list({}),
    list({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_SDK_DISABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    }),
    list({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }),
  ]);
  expect({ unasked: byDefault, disabled, asked: requested }).toEqual({ unasked: false, disabled: false, asked: true });
});

test.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }, false],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }, false],
])('%j turns traces on: %s', (environment, request) => {
  expect(isTracingOn(readSettings(environment).settings)).toBe(request);
});

test('an invalid address with a password in it is refused without being shown', () => {
  expect(() => readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:hunter2@host' })).toThrow(
    /^OTEL_EXPORTER_OTLP_ENDPOINT is not usable; allowed/,
  );
});
