import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FeedService } from '../support/feed-service.ts';
import { recordId } from '../support/civic-records.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import {
  type Environment,
  type Installation,
  MAIN,
  makeInstallation,
  plainEnvironment,
  runProgram,
} from '../support/service.ts';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

let folder: string;
let proxy: Server;
let feed: Server;
/** The same feed at an address that only NO_PROXY can except. */
let elsewhere: Server;
/** Hosts that clients requested from the proxy. */
let proxied: string[];

/** A name that only the proxy can reach: it leads every tunnel and request to the feed. */
const HOST = 'records.invalid';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'civic-proxy-'));
  proxied = [];
  const service = new FeedService(2);
  for (const number of [1, 2, 3]) service.write('topics', recordId('topics', number), { number });
  const answer: RequestListener = ({ url = '' }, response) => {
    const isOfFeed = url.startsWith('/api/v1/data/');
    void Promise.resolve(isOfFeed ? service.ask(url) : null).then((body) =>
      response.writeHead(isOfFeed ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  };
  feed = createServer(answer).listen(0, '127.0.0.1');
  elsewhere = createServer(answer).listen(0, '127.0.0.2');
  await Promise.all([once(feed, 'listening'), once(elsewhere, 'listening')]);
  proxy = createServer((request, response) => {
    const { host, pathname, search } = new URL(request.url ?? '');
    proxied.push(host);
    void fetch(`http://127.0.0.1:${portOf(feed)}${pathname}${search}`, { method: request.method ?? 'GET' }).then(
      async (answer) =>
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
    );
  })
    .on('connect', ({ url = '' }, socket) => {
      proxied.push(url.replace(/:80$/, ''));
      const target = connect(portOf(feed), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(target).pipe(socket);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    })
    .listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterEach(() => {
  for (const server of [proxy, feed, elsewhere]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

const proxies = (): Environment => ({ HTTP_PROXY: `http://user:swordfish@127.0.0.1:${portOf(proxy)}` });

const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['civic replicate', [MAIN, 'replicate']],
  ['civic-replicate', [join(CHECKOUT, 'client/cli/civic-replicate.ts')]],
];

describe.each(COMMANDS)('%s', (_, command) => {
  const replicate = (baseUrl: string, env: Environment) =>
    runProgram([process.execPath, ...command, '--base-url', baseUrl, '--to', join(folder, 'mirror')], {
      cwd: folder,
      env: { ...plainEnvironment(), CIVIC_API_KEY: 'crs_test', ...env },
    }).ended;

  test('asks a service through the proxy of HTTP_PROXY', async () => {
    expect(await replicate(`http://${HOST}`, proxies())).toMatchObject({ exitCode: 0, stderr: '' });
    expect(new Set(proxied)).toEqual(new Set([HOST]));
  });

  test('asks a service of this machine without the proxy', async () => {
    const baseUrl = `http://127.0.0.1:${portOf(feed)}`;
    expect(await replicate(baseUrl, proxies())).toMatchObject({ exitCode: 0, stderr: '' });
    expect(proxied).toEqual([]);
  });

  test('asks the hosts of NO_PROXY without the proxy', async () => {
    const baseUrl = `http://127.0.0.2:${portOf(elsewhere)}`;
    expect(await replicate(baseUrl, { ...proxies(), NO_PROXY: 'other.invalid,127.0.0.2' })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(proxied).toEqual([]);
    expect(await replicate(baseUrl, proxies())).toMatchObject({ exitCode: 0, stderr: '' });
    expect(proxied).not.toEqual([]);
  });

  test('accepts an address without a scheme, and reads none where NO_PROXY is *', async () => {
    const bare = Object.fromEntries(
      Object.entries(proxies()).map(([name, text]) => [name, text.replace('http://', '')]),
    );
    const baseUrl = `http://127.0.0.2:${portOf(elsewhere)}`;
    expect(await replicate(baseUrl, bare)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(proxied).not.toEqual([]);
    expect(await replicate(baseUrl, { HTTP_PROXY: 'socks5://proxy', NO_PROXY: '*' })).toMatchObject({ exitCode: 0 });
  });

  test('names a variable that is not the address of a proxy, without its text', async () => {
    const { exitCode, stderr } = await replicate(`http://${HOST}`, { HTTPS_PROXY: 'socks5://user:swordfish@proxy' });
    expect([exitCode === 0, stderr.includes('swordfish')]).toEqual([false, false]);
    expect(stderr).toMatch(
      /: HTTPS_PROXY must be the address of a proxy, such as http:\/\/proxy\.example\.org:3128\n$/,
    );
  });
});

describe('civic sources sync', () => {
  let installation: Installation;
  beforeAll(() => {
    installation = makeInstallation('civic-sync-proxy-');
  });
  afterAll(() => installation.close());

  test('asks a source through the proxy of HTTP_PROXY', async () => {
    const args = ['sources', 'sync', 'legistar', '--client', 'cityofdallas', '--base-url', `http://${HOST}/v1`];
    const { exitCode, stderr } = await installation.civic(args, { env: proxies() });
    expect({ exitCode, stderr, proxied: [...new Set(proxied)] }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('the source has no list at bodies') as unknown,
      proxied: [HOST],
    });
  });
});
