import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../src/app/settings.ts';
import { untilTrue } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { CHECKOUT, copiedByDockerfile, makeProductionTree, type ProductionTree } from '../support/production-tree.ts';
import { plainEnvironment } from '../support/service.ts';
import { openTcpProxy, serverAt, type TcpProxy } from '../support/tcp-proxy.ts';

const read = (name: string): string => readFileSync(join(CHECKOUT, name), 'utf8');
const DOCKERFILE = read('Dockerfile');
const HEALTH = JSON.parse(/HEALTHCHECK [^\n]*\\\n\s+CMD (\[.*\])/.exec(DOCKERFILE)![1]!) as string[];
const ENTRYPOINT = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(DOCKERFILE)![1]!) as string[];
const NOBODY = 65_534;

describe('the image', () => {
  test('is made of existing files, which .dockerignore includes, and no others', () => {
    const lines = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const letIn = lines.slice(1).map((line) => line.replace(/^!/, ''));
    const copied = copiedByDockerfile(DOCKERFILE);
    for (const name of copied) expect([name, existsSync(join(CHECKOUT, name))]).toEqual([name, true]);
    expect(letIn.toSorted()).toEqual([...new Set(copied.map((name) => name.split('/')[0]!))].toSorted());
  });

  test('runs a supported Node as a numeric user, and receives SIGTERM without a shell in between', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const minimum = /(\d+)\.(\d+)/.exec(engines.node)!.slice(1).map(Number);
    const versions = [...DOCKERFILE.matchAll(/^FROM node:(\d+)\.(\d+)-slim/gm)].map(([, major, minor]) => [
      Number(major),
      Number(minor),
    ]);
    expect(new Set(versions.map(String)).size).toBe(1);
    expect(versions[0]![0]).toBe(minimum[0]);
    expect(versions[0]![1]).toBeGreaterThanOrEqual(minimum[1]!);
    expect(DOCKERFILE).toMatch(/^USER \d+:\d+$/m);
    expect(DOCKERFILE).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(DOCKERFILE).not.toMatch(/^(RUN|CMD|ENTRYPOINT) (?!\[)/m);
  });

  test.each([
    [200, 0],
    [503, 1],
  ])('is healthy only while the process answers that it is live: %d', async (status, exitCode) => {
    const paths: unknown[] = [];
    const server = createServer(({ url }, response) => response.writeHead(status, { n: paths.push(url) }).end()).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [program = '', ...args] = HEALTH.map((word) => word.replace('9464', String(port)));
    expect(await once(spawn(program, args, { env: plainEnvironment() }), 'exit')).toEqual([exitCode, null]);
    expect(paths).toEqual(['/livez']);
    server.close();
  });

  test('sets only known settings', () => {
    const [, block] = /^ENV ((?:.*\\\n)*.*)$/m.exec(DOCKERFILE)!;
    const set = Object.fromEntries([...block!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
    expect(readSettings(set).warnings).toEqual([]);
    expect(Object.keys(set)).toContain('CIVIC_OPS_HOST');
  });
});

/** `CIVIC_TEST_INSTALL=1 npm run test:nightly -- container` takes the packages from npm, as the image does. */
const HOW = process.env['CIVIC_TEST_INSTALL'] === '1' ? 'install' : 'link';

describe(`the program with production packages alone (${HOW})`, () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let tree: ProductionTree;
  afterAll(async () => {
    await proxy?.goDown();
    await database?.close();
    tree?.close();
  });

  test('serves each role as user nobody from a read-only tree, passes the image health check, and exits 0', async () => {
    database = await startTestDatabase();
    proxy = await openTcpProxy(() => serverAt(database.url));
    tree = makeProductionTree(HOW);
    const started = await Promise.all(['projector', 'worker', 'api'].map((role) => startAsNobody(role)));
    await Promise.all(
      started.map(async ({ opsPort, role, readOutput }) => {
        const check = HEALTH.map((word) => word.replace('9464', String(opsPort)));
        await untilTrue(`the ${role} is healthy: ${readOutput()}`, async () => (await exitOf(check)) === 0);
      }),
    );
    expect(await exitOf(HEALTH.map((word) => word.replace('9464', '1')))).toBe(1);
    const api = started.find(({ role }) => role === 'api')!;
    const coverage = await fetch(`${api.baseUrl()}/api/v1/public/coverage`);
    expect(coverage.status).toBe(200);
    const sells = {
      ...started[0]!.environment,
      CIVIC_X402_PAY_TO: `0x${'11'.repeat(20)}`,
      CIVIC_X402_FACILITATOR_URL: 'http://127.0.0.1:1',
    };
    const selling = spawned([...ENTRYPOINT, 'serve', '--role', 'api'], sells);
    const lines = text(selling.stderr);
    expect(await once(selling, 'exit')).toEqual([1, null]);
    expect(await lines).toMatch(
      /^civic: CIVIC_X402_PAY_TO is set, but the payment libraries are not installed: run `npm ci --omit=dev`, or build the image with `--build-arg npm_config_include=peer`$/m,
    );
    for (const { child, role, readOutput } of started) {
      // Log collectors parse each line of a container as JSON.
      for (const line of readOutput().trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
      expect(readOutput()).not.toContain('npm run');
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect([role, code, readOutput()]).toEqual([
        role,
        0,
        expect.not.stringMatching(/EACCES|EROFS|ERR_MODULE_NOT_FOUND/) as unknown,
      ]);
    }
  });

  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const spawned = (command: readonly string[], env: Readonly<Record<string, string>>) => {
    const [file = '', ...args] = command;
    return spawn(file === 'node' ? process.execPath : file, args, {
      cwd: tree.folder,
      env,
      ...asNobody,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  const exitOf = async (command: readonly string[]): Promise<number | null> => {
    const [code] = (await once(spawned(command, plainEnvironment()), 'exit')) as [number | null];
    return code;
  };
  const startAsNobody = async (role: string) => {
    const { username, password, pathname } = new URL(database.url);
    const DATABASE_URL = `postgres://${username}${password === '' ? '' : `:${password}`}@127.0.0.1:${proxy.port}${pathname}`;
    const environment = {
      ...plainEnvironment(),
      DATABASE_URL,
      CIVIC_HTTP_PORT: '0',
      CIVIC_OPS_PORT: '0',
      CIVIC_LOG_FORMAT: 'json',
      HOME: '/nonexistent',
    };
    const child = spawned([...ENTRYPOINT, 'serve', '--role', role], environment);
    let output = '';
    const readOutput = (): string => output;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (output += part));
    await untilTrue(`the ${role} logs where it is`, () => {
      if (child.exitCode !== null) throw new Error(`the ${role} ended: ${output}`);
      return /"opsUrl":"http.*\n/.test(output);
    });
    const opsPort = Number(/"opsUrl":"http:\/\/[^:]+:(\d+)/.exec(output)![1]);
    return {
      role,
      child,
      environment,
      opsPort,
      readOutput,
      baseUrl: () => /"baseUrl":"(http[^"]+)"/.exec(output)![1]!,
    };
  };
});
