import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCivicClient } from '../../client/api/index.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { type Environment, MAIN, plainEnvironment, runProgram } from '../support/service.ts';

const PYTHON_CLIENT = join(CHECKOUT, 'clients/python/civic_records.py');
const hasPython = spawnSync('python3', ['--version']).status === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'civic-hostile-service-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function against<Result>(listener: RequestListener, work: (address: string) => Promise<Result>): Promise<Result> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const run = (command: readonly string[], env: Environment = {}) =>
  runProgram(command, { cwd: folder, env: { ...plainEnvironment(), CIVIC_API_KEY: 'crs_test', ...env } }).ended;

/** Prints JSON by a program that uses the Python client. */
async function printedByPython(program: string, BASE: string): Promise<unknown> {
  const imports = 'import json, os, resource, time\nfrom civic_records import *\n';
  const { exitCode, stdout, stderr } = await run(['python3', '-c', imports + program], {
    BASE,
    PYTHONPATH: join(CHECKOUT, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'error',
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const PROGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['civic replicate', [process.execPath, MAIN, 'replicate']],
  ['civic-replicate', [process.execPath, join(CHECKOUT, 'client/cli/civic-replicate.ts')]],
  ...(hasPython ? [['the Python client', ['python3', PYTHON_CLIENT, 'replicate']] as const] : []),
];

describe.each(PROGRAMS)('%s', (_, command) => {
  const replicate = (address: string) => run([...command, '--base-url', address, '--to', join(folder, 'mirror')]);

  test('escapes the control characters of an error text of the service', async () => {
    const message = 'no\u001b]0;title\u0007\u001b[2J\u202ekey\r\nline';
    const refuse: RequestListener = (_request, response) =>
      response.writeHead(401).end(JSON.stringify({ error: { code: 'unauthorized', message } }));
    const { exitCode, stderr } = await against(refuse, replicate);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^[^\p{Cc}\p{Cf}]+\n$/u);
    expect(stderr).toContain(String.raw`no\u001b]0;title\u0007\u001b[2J\u202ekey`);
  });

  test('prints no password of an address that it refuses', async () => {
    const { exitCode, stderr } = await replicate('http://user:swordfish@127.0.0.1:9');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the base URL must have no user, password, query or fragment/);
    expect(stderr).not.toContain('swordfish');
  });
});

/** Answers with one more byte every 20 ms, without an end. */
function drip(response: ServerResponse, begin: () => void): void {
  begin();
  const timer = setInterval(() => response.socket?.write('1\r\n \r\n'), 20);
  response.on('close', () => clearInterval(timer));
}
const DRIPS: readonly (readonly [string, RequestListener])[] = [
  ['a body', (_, response) => drip(response, () => response.writeHead(200).flushHeaders())],
  ['headers', (_, response) => drip(response, () => response.socket?.write('HTTP/1.1 200 OK\r\nx: '))],
];

describe.each(DRIPS)('%s without an end', (_, listener) => {
  test('is waited for as long as the timeout says', async () => {
    const error = await against(listener, (baseUrl) =>
      createCivicClient({ baseUrl, key: 'crs_test', retries: 0, timeoutMs: 300 })
        .readCivicHealth()
        .catch((failure: unknown) => failure),
    );
    expect(error).toMatchObject({ code: 'no_answer' });
  });

  test.skipIf(!hasPython)(
    'is waited for as long as the timeout of the Python client says (needs python3)',
    async () => {
      const program = `try: Civic(os.environ["BASE"], retries=0, timeout=0.3).request("GET", "/")
except CivicError as error: print(json.dumps(str(error)))`;
      const printed = await against(listener, (base) => printedByPython(program, base));
      expect(printed).toMatch(/^no_answer: no answer from http:\/\/127\.0\.0\.1:\d+ \(not within 0\.3 s\)$/);
    },
  );
});

describe.skipIf(!hasPython)('the Python client (needs python3)', () => {
  test('fills no memory with one response, which it does not request again', async () => {
    const chunk = Buffer.alloc(1 << 20, 32);
    let requests = 0;
    const endless: RequestListener = (_, response) => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    };
    const program = `try: Civic(os.environ["BASE"]).request("GET", "/")
except CivicError as error: print(json.dumps([error.code, error.message.split()[-3:], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))`;
    const [code, message, kilobytes] = (await against(endless, (base) => printedByPython(program, base))) as [
      string,
      readonly string[],
      number,
    ];
    expect([code, message, requests]).toEqual(['unknown', ['over', '134217728', 'bytes'], 1]);
    expect(kilobytes).toBeLessThan(500_000);
  });

  test('waits for no service longer than a day', async () => {
    const replies = ['9999999999', '9'.repeat(400), '3'];
    const listener: RequestListener = (_, response) =>
      response.writeHead(429, { 'retry-after': replies.shift() ?? '' }).end('{}');
    const program = `pauses = []
try: Civic(os.environ["BASE"], retries=3, max_pause=float("inf"), sleep=pauses.append).request("GET", "/")
except CivicError as error: print(json.dumps(pauses))`;
    expect(await against(listener, (base) => printedByPython(program, base))).toEqual([86_400, 86_400, 3]);
  });

  test('refuses an address with a secret, and shows none', async () => {
    const program = `def refusal(address):
    try: Civic(address)
    except ValueError as error: return str(error)
addresses = ["https://user:swordfish@host", "https://host/?key=swordfish", "ftp://user:swordfish@host", "user:swordfish@host", "http://user:swordfish@[host"]
print(json.dumps([refusal(address) for address in addresses]))`;
    const refusals = (await printedByPython(program, '')) as readonly string[];
    expect(refusals.map((text) => text.slice(0, 29))).toEqual([
      ...Array<string>(2).fill('the base URL must have no use'),
      ...Array<string>(3).fill('the base URL must be an addre'),
    ]);
    expect(refusals.join('')).not.toContain('swordfish');
  });
});
