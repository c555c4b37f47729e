import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROLES } from '../../src/processors/roles.ts';
import { readSettings } from '../../src/settings.ts';
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

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly args: Readonly<Record<string, string | null>> };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly restart?: string;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly required?: boolean }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}
/** The file with variables substituted as by Compose, from the inside out, with only the required ones set. */
function interpolated(text: string): string {
  const next = text.replaceAll(/\$\{([A-Z_]+)(?::([-?+])([^{}]*))?\}/g, (_all, name: string, kind: string, rest: string) =>
    kind === '-' ? rest : kind === '+' ? '' : `value${name.length}`,
  );
  return next === text ? text : interpolated(next);
}
const { services, configs } = parse(interpolated(read('compose.yaml')), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: { readonly proxy: { readonly file: string } };
};
const caddyfile = read(configs.proxy.file);
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);
const roleOf = ({ command = [] }: ComposeService): string => command[command.indexOf('--role') + 1] ?? '';

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
    const wanted = /(\d+)\.(\d+)/.exec(engines.node)!.slice(1).map(Number);
    const versions = [...DOCKERFILE.matchAll(/^FROM node:(\d+)\.(\d+)-slim/gm)].map(([, major, minor]) => [Number(major), Number(minor)]);
    expect(new Set(versions.map(String)).size).toBe(1);
    expect(versions[0]![0]).toBe(wanted[0]);
    expect(versions[0]![1]).toBeGreaterThanOrEqual(wanted[1]!);
    expect(DOCKERFILE).toMatch(/^USER \d+:\d+$/m);
    expect(DOCKERFILE).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(DOCKERFILE).not.toMatch(/^(RUN|CMD|ENTRYPOINT) (?!\[)/m);
  });

  test.each([
    [200, 0],
    [503, 1],
  ])('is healthy only where the process says that it is ready: %d', async (status, exitCode) => {
    const paths: unknown[] = [];
    const server = createServer(({ url }, response) => response.writeHead(status, { n: paths.push(url) }).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [program = '', ...args] = HEALTH.map((word) => word.replace('9464', String(port)));
    expect(await once(spawn(program, args, { env: plainEnvironment() }), 'exit')).toEqual([exitCode, null]);
    expect(paths).toEqual(['/readyz']);
    server.close();
  });

  test('sets only known settings', () => {
    const [, block] = /^ENV ((?:.*\\\n)*.*)$/m.exec(DOCKERFILE)!;
    const set = Object.fromEntries([...block!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
    expect(readSettings(set).warnings).toEqual([]);
    expect(Object.keys(set)).toContain('CIVIC_OPS_HOST');
  });
});

/** Services that Compose starts with these profiles. */
const startedWith = (...profiles: readonly string[]) =>
  Object.entries(services).filter(
    ([, each]) => (each.profiles ?? profiles).some((name) => profiles.includes(name)) || each.profiles === undefined,
  );

describe('the set-up with Compose', () => {
  test('starts PostgreSQL and one process that does everything, unless profiles are named', () => {
    expect(startedWith().map(([name]) => name)).toEqual(['civic', 'postgres']);
    expect(services['civic']!.command).toBeUndefined();
    expect(new Set(Object.values(services).flatMap(({ profiles = [] }) => profiles))).toEqual(new Set(['many', 'kurrentdb', 'kafka']));
  });

  test('runs every role but `all` with the profiles, several of the shared ones', () => {
    const roles = startedWith('many', 'kafka')
      .filter(([name, { build }]) => build !== undefined && name !== 'civic')
      .map(([, service]) => roleOf(service));
    expect(new Set(roles)).toEqual(new Set(ROLES.filter((role) => role !== 'all')));
    expect(roles.filter((role) => role === 'api').length).toBeGreaterThanOrEqual(3);
    expect(roles.filter((role) => role === 'projector').length).toBeGreaterThanOrEqual(2);
  });

  test('gives every process each setting of .env, and sets others that are known', () => {
    for (const [name, { environment = {}, env_file: files }] of ours) {
      expect([name, files]).toEqual([name, [{ path: '.env', required: false }]]);
      const { settings, warnings } = readSettings(environment);
      expect([name, warnings]).toEqual([name, []]);
      expect(settings.DATABASE_URL).toContain('@postgres:5432/');
      expect([settings.CIVIC_HTTP_PORT, settings.CIVIC_OPS_PORT]).toEqual([8080, 9464]);
    }
  });

  test('lets operators alone reach /ops and /metrics of each process', () => {
    expect(services['civic']!.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:9464:9464']);
    const asked = [...caddyfile.matchAll(/^:(\d+) \{\n +reverse_proxy (\S+):9464\n\}/gm)].map(([, port, name]) => [Number(port), name]);
    const many = startedWith('many').filter(([name, { build }]) => build !== undefined && name !== 'civic');
    expect(asked).toEqual(many.map(([name], index) => [9471 + index, name]));
    expect(services['proxy']!.ports).toContain(`127.0.0.1:9471-${9470 + many.length}:9471-${9470 + many.length}`);
  });

  test('gives every process a read-only file system and minimal rights, memory and ports', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.cap_drop, service.security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']]);
      expect([name, service.restart, service.mem_limit !== undefined]).toEqual([name, 'unless-stopped', true]);
      if (service.build === undefined) expect(service.image).toMatch(/:\d+\.\d+/);
      else expect([name, service.read_only]).toEqual([name, true]);
      expect([name, (service.ports ?? []).length]).toEqual([name, name === 'proxy' ? 3 : name === 'civic' ? 2 : 0]);
      for (const port of service.ports ?? []) expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)]);
    }
    expect(read('compose.yaml')).not.toMatch(/password: (?!\$)/i);
    // Compose copies a text into the container, which a read-only file system refuses; a file is mounted.
    for (const [name, config] of Object.entries(configs)) expect([name, Object.keys(config)]).toEqual([name, ['file']]);
  });

  test('starts each process after its dependencies are healthy, and stops it later than its drain', () => {
    for (const [name, { depends_on = {}, stop_grace_period = '10s', environment = {} }] of ours) {
      expect([name, Object.keys(depends_on)]).toEqual([name, expect.arrayContaining(['postgres', 'kurrentdb'])]);
      // What a profile leaves out is not waited for.
      expect([name, depends_on['postgres']?.required, depends_on['kurrentdb']?.required]).toEqual([name, undefined, false]);
      expect(new Set(Object.values(depends_on).map(({ condition }) => condition))).toEqual(new Set(['service_healthy']));
      const drain = readSettings(environment).settings.CIVIC_DRAIN_DELAY;
      expect(Number(/^(\d+)s$/.exec(stop_grace_period)![1]) * 1000).toBeGreaterThanOrEqual(drain + 10_000 + 10_000);
    }
    for (const [name, { build, healthcheck }] of Object.entries(services)) {
      if (build === undefined && name !== 'proxy') expect(healthcheck?.test[0]).toBe('CMD');
    }
    // While the image of PostgreSQL makes its database, a server answers at the socket alone.
    expect(services['postgres']!.healthcheck!.test).toContain('--host=127.0.0.1');
  });

  test('has a proxy that uses every API process and asks for readiness more often than the drain lasts', () => {
    const apis = ours.filter(([, service]) => roleOf(service) === 'api');
    expect([...caddyfile.matchAll(/(\S+):8080(?= )/g)].map(([, name]) => name).filter(Boolean)).toEqual(apis.map(([name]) => name));
    // A name, and no port: Caddy then serves TLS.
    expect(caddyfile).toMatch(/^\{\$DOMAIN\} \{$/m);
    expect(services['proxy']!.environment).toEqual({ DOMAIN: 'localhost' });
    expect(caddyfile).toMatch(/health_uri \/readyz/);
    expect(caddyfile).toMatch(/health_port 9464/);
    const seconds = (name: string) => Number(new RegExp(`${name} (\\d+)s`).exec(caddyfile)![1]) * 1000;
    for (const [, { environment = {} }] of apis) {
      expect(readSettings(environment).settings.CIVIC_DRAIN_DELAY).toBeGreaterThan(seconds('health_interval') + seconds('health_timeout'));
    }
  });
});

/** `CIVIC_TEST_INSTALL=1 vitest run test/integration/container.test.ts` takes the packages from npm, as the image does. */
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
      started.map(async ({ opsPort, role, said }) => {
        const check = HEALTH.map((word) => word.replace('9464', String(opsPort)));
        await untilTrue(`the ${role} is healthy: ${said()}`, async () => (await exitOf(check)) === 0);
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
      /^civic: CIVIC_X402_PAY_TO is set, and the libraries of payments are not installed: run `npm ci --omit=dev`$/m,
    );
    for (const { child, role, said } of started) {
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect([role, code, said()]).toEqual([role, 0, expect.not.stringMatching(/EACCES|EROFS|ERR_MODULE_NOT_FOUND/) as unknown]);
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
    const said = (): string => output;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (output += part));
    await untilTrue(`the ${role} prints where it is`, () => {
      if (child.exitCode !== null) throw new Error(`the ${role} ended: ${output}`);
      return /operators +http/.test(output);
    });
    const opsPort = Number(/operators +http:\/\/[^:]+:(\d+)/.exec(output)![1]);
    return { role, child, environment, opsPort, said, baseUrl: () => /Civic Records +(http\S+)/.exec(output)![1]! };
  };
});
