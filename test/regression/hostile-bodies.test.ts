import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope } from '../../contract/error-codes.ts';
import { watchResident } from '../fuzz/process-watch.ts';
import { type AttackedProcess, startAttackedProcess } from '../support/attacked-process.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { isWholeResponse, parseResponse, type RawConnection, rawConnection } from '../support/http-raw.ts';
import { withNightly } from '../support/test-runs.ts';

const METHODS = ['PUT', 'PATCH', 'OPTIONS', 'QUERY'];
const PATHS = [
  '/api/v1/data/batch',
  '/api/v1/public/coverage',
  '/api/v1/mcp',
  '/api/v1/data-reports',
  '/llms.txt',
  '/nothing',
];
const BODY_BYTES = 1_000_000;
const MAX_RESIDENT_MB = 400;
const HEAP_MB = 512;
/** Earlier than the answer to a late request. */
const UNANSWERED_MS = 25_000;

const headed = (line: string, ...headers: readonly string[]): string =>
  [line, 'host: x', ...headers, '', ''].join('\r\n');
const JSON_TYPE = 'content-type: application/json';

/** An edge whose deadlines pass within a test. */
const startHastyEdge = (): Promise<HttpEdge> => startHttpEdge({ timeouts: { headers: 400, request: 800 } });

function expectRefusal(received: string, statuses: readonly number[]): void {
  const { status, body } = parseResponse(received);
  expect({ received, isExpected: statuses.includes(status) }).toEqual({ received, isExpected: true });
  expect(errorEnvelope.parse(JSON.parse(body)).error.code).not.toBe('internal_error');
}

describe('a request whose body never arrives', () => {
  let edge: HttpEdge;
  const raws: RawConnection[] = [];
  beforeAll(async () => {
    // Its deadlines are those of the program, so no answer here is caused by a deadline.
    edge = await startHttpEdge();
  });
  afterEach(() => raws.splice(0).forEach(({ socket }) => socket.destroy()));
  afterAll(() => edge.close());

  const ask = async (line: string, ...headers: readonly string[]): Promise<string> => {
    const raw = await rawConnection(edge.port);
    raws.push(raw);
    raw.send(headed(line, ...headers));
    return raw.until(isWholeResponse);
  };

  test.each(METHODS)('%s of any path is refused after its headers', { timeout: UNANSWERED_MS }, async (method) => {
    const length = `content-length: ${BODY_BYTES}`;
    const answers = await Promise.all(PATHS.map((path) => ask(`${method} ${path} HTTP/1.1`, JSON_TYPE, length)));
    for (const answer of answers) expectRefusal(answer, [404, 405]);
  });

  test('POST to a customer path without a key is 401 after its headers', { timeout: UNANSWERED_MS }, async () => {
    const paths = ['/api/v1/data/batch', '/api/v1/data/subscriptions', '/api/v1/data-reports', '/api/v1/mcp'];
    const headers = [JSON_TYPE, 'content-length: 500', 'idempotency-key: a'];
    const answers = await Promise.all(paths.map((path) => ask(`POST ${path} HTTP/1.1`, ...headers)));
    for (const answer of answers) expectRefusal(answer, [401]);
  });
});

describe('a body that arrives slowly', () => {
  let edge: HttpEdge;
  beforeAll(async () => {
    edge = await startHastyEdge();
  });
  afterAll(() => edge.close());

  test.each([
    ['PUT', '/api/v1/data/batch'],
    ['PATCH', '/llms.txt'],
    ['OPTIONS', '/api/v1/mcp'],
    ['QUERY', '/nothing'],
    ['POST', '/api/v1/data/batch'],
    ['POST', '/api/v1/public/coverage'],
  ])('does not keep the connection of %s %s open', { timeout: 20_000 }, async (method, path) => {
    const raw = await rawConnection(edge.port);
    const key = `authorization: Bearer ${edge.keys.all}`;
    raw.send(headed(`${method} ${path} HTTP/1.1`, JSON_TYPE, key, 'content-length: 8000'));
    const drops = setInterval(() => raw.send(' '), 50);
    const received = await raw.ended();
    clearInterval(drops);
    expectRefusal(received, [400, 404, 405]);
  });
});

describe('a method that no route has', () => {
  let edge: HttpEdge;
  beforeAll(async () => {
    edge = await startHttpEdge();
  });
  afterAll(() => edge.close());

  const BODIES: readonly (readonly [string, readonly string[], string])[] = [
    ['no body', [], ''],
    ['an empty body', ['content-length: 0'], ''],
    ['an empty body of JSON', [JSON_TYPE, 'content-length: 0'], ''],
    ['a body of JSON', [JSON_TYPE, 'content-length: 2'], '{}'],
    ['a body that is no JSON', [JSON_TYPE, 'content-length: 1'], '{'],
    ['a body of text', ['content-type: text/plain', 'content-length: 1'], 'a'],
    ['a body of an unknown type', ['content-type: x/y', 'content-length: 1'], 'a'],
    ['a body in chunks', [JSON_TYPE, 'transfer-encoding: chunked'], '1\r\na\r\n0\r\n\r\n'],
  ];
  test.each(METHODS.flatMap((method) => BODIES.map(([name, headers, body]) => [method, name, headers, body] as const)))(
    '%s with %s is 404 or 405 and logs no error',
    { timeout: UNANSWERED_MS },
    async (method, _, headers, body) => {
      edge.logged.length = 0;
      const ask = async (path: string): Promise<void> => {
        const raw = await rawConnection(edge.port);
        raw.send(headed(`${method} ${path} HTTP/1.1`, 'connection: close', ...headers) + body);
        expectRefusal(await raw.ended(), [404, 405]);
      };
      await Promise.all(PATHS.map(ask));
      expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

describe('connections that each send a megabyte of body without a key and without its end', () => {
  let database: TestDatabase;
  let attacked: AttackedProcess;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    database = await startTestDatabase();
    attacked = await startAttackedProcess(database.url, { heapMb: HEAP_MB });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await attacked?.stop();
    await database?.close();
  });

  const body = Buffer.alloc(BODY_BYTES - 1, ' ');
  /** Resolves with the first received bytes, or with nothing at the end of the wait. */
  const hold = (method: string, givenUp: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ port: attacked.port, host: '127.0.0.1' });
      sockets.add(socket);
      givenUp.addEventListener('abort', () => resolve(''), { once: true });
      socket.once('data', (chunk) => resolve(chunk.toString('latin1', 0, 12)));
      socket.on('error', () => undefined).once('close', () => resolve('closed'));
      socket.write(headed(`${method} /api/v1/data/batch HTTP/1.1`, JSON_TYPE, `content-length: ${BODY_BYTES}`));
      socket.write(body);
    });

  const under = `are refused, %i at once, and keep the process under ${MAX_RESIDENT_MB} MB`;
  test.each(withNightly([500], [1_500]))(under, async (connections) => {
    const resident = watchResident(attacked.pid!);
    const tooLarge = new AbortController();
    const watching = setInterval(() => resident.largestMb() > MAX_RESIDENT_MB && tooLarge.abort(), 50);
    const answers = await Promise.all(
      Array.from({ length: connections }, (_, at) => hold(METHODS[at % METHODS.length]!, tooLarge.signal)),
    );
    clearInterval(watching);
    const counts = Object.entries(Object.groupBy(answers, (answer) => answer)).map(([answer, all]) => [
      answer,
      all!.length,
    ]);
    // A refusal may be lost to the reset that follows it, because the client is still sending.
    expect({
      others: counts.filter(([answer]) => answer !== 'closed' && answer !== 'HTTP/1.1 405'),
      largestMb: resident.stop(),
    }).toEqual({
      others: [],
      largestMb: expect.toSatisfy((largestMb: number) => largestMb < MAX_RESIDENT_MB) as number,
    });
    expect(answers).toContain('HTTP/1.1 405');
  });
});
