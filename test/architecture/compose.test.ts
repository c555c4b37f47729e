import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROLES } from '../../src/app/roles.ts';
import { readSettings } from '../../src/app/settings.ts';
import { type ComposeService, readCompose } from '../support/compose.ts';
import { CHECKOUT } from '../support/production-tree.ts';

const read = (name: string): string => readFileSync(join(CHECKOUT, name), 'utf8');
const BUNDLED = { POSTGRES_PASSWORD: 'secret' };
const { services, configs, networks } = readCompose(BUNDLED);
const caddyfile = read(configs.proxy.file);
/** Services that run the program. */
const isOurs = ({ image }: ComposeService): boolean => image === 'civic-records:local';
const ours = Object.entries(services).filter(([, service]) => isOurs(service));
const roleOf = ({ command = [] }: ComposeService): string => command[command.indexOf('--role') + 1] ?? '';

/** Services that Compose starts with these profiles. */
const startedWith = (...profiles: readonly string[]) =>
  Object.entries(services).filter(
    ([, each]) => (each.profiles ?? profiles).some((name) => profiles.includes(name)) || each.profiles === undefined,
  );

describe('the set-up with Compose', () => {
  test('starts PostgreSQL and one process that does everything, unless profiles are named', () => {
    expect(startedWith().map(([name]) => name)).toEqual(['civic', 'postgres']);
    expect(services['civic']!.command).toBeUndefined();
    expect(new Set(Object.values(services).flatMap(({ profiles = [] }) => profiles))).toEqual(
      new Set(['many', 'kurrentdb', 'kafka', 'relay']),
    );
  });

  test('runs every role but `all` with the profiles, several of the shared ones', () => {
    const roles = startedWith('many', 'kafka')
      .filter(([name, service]) => isOurs(service) && name !== 'civic')
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

  test('allows only operators to reach /ops and /metrics of each process', () => {
    expect(services['civic']!.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:9464:9464']);
    const proxied = [...caddyfile.matchAll(/^:(\d+) \{\n +reverse_proxy (\S+):9464\n\}/gm)].map(([, port, name]) => [
      Number(port),
      name,
    ]);
    const many = startedWith('many').filter(([name, service]) => isOurs(service) && name !== 'civic');
    expect(proxied).toEqual(many.map(([name], index) => [9471 + index, name]));
    expect(services['proxy']!.ports).toContain(`127.0.0.1:9471-${9470 + many.length}:9471-${9470 + many.length}`);
  });

  test('gives every process a read-only file system and minimal rights, memory and ports', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.cap_drop, service.security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']]);
      expect([name, service.restart, service.mem_limit !== undefined]).toEqual([name, 'unless-stopped', true]);
      if (isOurs(service)) expect([name, service.read_only, service.init]).toEqual([name, true, true]);
      else expect(service.image).toMatch(/:\d+\.\d+/);
      expect([name, (service.ports ?? []).length]).toEqual([name, name === 'proxy' ? 3 : name === 'civic' ? 2 : 0]);
      for (const port of service.ports ?? [])
        expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)]);
    }
    expect(read('compose.yaml')).not.toMatch(/password: (?!\$)/i);
    // Compose copies a text into the container, which a read-only file system refuses; a file is mounted.
    for (const [name, config] of Object.entries(configs)) expect([name, Object.keys(config)]).toEqual([name, ['file']]);
  });

  test('starts each process after its dependencies are healthy, and stops it later than its drain', () => {
    for (const [name, { depends_on = {}, stop_grace_period = '10s', environment = {} }] of ours) {
      expect([name, Object.keys(depends_on)]).toEqual([name, expect.arrayContaining(['postgres', 'kurrentdb'])]);
      // Services that the profile does not start are optional dependencies.
      expect([name, depends_on['postgres']?.required, depends_on['kurrentdb']?.required]).toEqual([
        name,
        undefined,
        false,
      ]);
      expect(new Set(Object.values(depends_on).map(({ condition }) => condition))).toEqual(
        new Set(['service_healthy']),
      );
      const drain = readSettings(environment).settings.CIVIC_DRAIN_DELAY;
      expect(Number(/^(\d+)s$/.exec(stop_grace_period)![1]) * 1000).toBeGreaterThanOrEqual(drain + 10_000 + 10_000);
    }
    for (const [name, { healthcheck }] of Object.entries(services)) {
      if (name !== 'proxy') expect([name, healthcheck?.test[0]]).toEqual([name, 'CMD']);
    }
    // The image reports liveness, so Compose would continue before a process can answer.
    for (const [name, { healthcheck }] of ours)
      expect([name, healthcheck?.test.at(-1)]).toEqual([name, expect.stringContaining(':9464/readyz')]);
    // The image of PostgreSQL creates its database with a server that answers only at the socket.
    expect(services['postgres']!.healthcheck!.test).toContain('--host=127.0.0.1');
  });

  test('has a proxy that uses every API process and asks for readiness more often than the drain lasts', () => {
    const apis = ours.filter(([, service]) => roleOf(service) === 'api');
    expect(caddyfile).toContain(`  to ${apis.map(([name]) => `${name}:8080`).join(' ')}\n`);
    // A name, and no port: Caddy then serves TLS.
    expect(caddyfile).toMatch(/^\{\$DOMAIN\} \{$/m);
    expect(services['proxy']!.environment).toEqual({ DOMAIN: 'localhost', BASE_URL: 'https://localhost:8443' });
    expect(caddyfile).toMatch(/health_uri \/readyz/);
    expect(caddyfile).toMatch(/health_port 9464/);
    const seconds = (name: string) => Number(new RegExp(`${name} (\\d+)s`).exec(caddyfile)![1]) * 1000;
    for (const [, { environment = {} }] of apis) {
      expect(readSettings(environment).settings.CIVIC_DRAIN_DELAY).toBeGreaterThan(
        seconds('health_interval') + seconds('health_timeout'),
      );
    }
  });

  test('builds its image in one service, which also runs without a profile', () => {
    const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
    expect(built.map(([name, { profiles }]) => [name, profiles])).toEqual([['civic', undefined]]);
    expect(ours.length).toBeGreaterThanOrEqual(9);
  });

  test('connects every process to networks with a way out, and databases to the internal one alone', () => {
    const leadsOut = (name: string): boolean => networks[name]!.internal !== true;
    for (const [name, service] of Object.entries(services)) {
      const { networks: joined = [] } = service;
      expect([name, joined.includes('inside')]).toEqual([name, true]);
      expect([name, joined.some(leadsOut)]).toEqual([name, isOurs(service) || name === 'proxy']);
    }
  });

  test('publishes the single process and the proxy at different addresses, whatever is set', () => {
    const settings: readonly Readonly<Record<string, string>>[] = [{}, { PUBLISH: '443', PUBLISH_HTTP: '80' }];
    for (const env of settings) {
      const set = readCompose({ ...BUNDLED, ...env }).services;
      const ports = Object.values(set).flatMap((service) => service.ports ?? []);
      const published = ports.map((port) => port.slice(0, port.lastIndexOf(':')));
      expect(new Set(published).size).toBe(published.length);
      expect(set['proxy']!.ports).toContain(`${env['PUBLISH'] ?? '127.0.0.1:8443'}:443`);
      expect(set['civic']!.ports).toContain('127.0.0.1:8080:8080');
    }
    // Neither reads a variable of the other.
    const variables = (text: string) => new Set([...text.matchAll(/PUBLISH\w*/g)].map(([name]) => name));
    const [single = '', proxy = ''] = ['civic', 'proxy'].map(
      (name) => new RegExp(`^  ${name}:\n(?:(?: {4}.*)?\n)*`, 'm').exec(read('compose.yaml'))![0],
    );
    expect([...variables(single.replaceAll(/#.*/g, ''))]).toEqual(['PUBLISH_PLAIN', 'PUBLISH_OPS']);
    expect([...variables(proxy)]).toEqual(['PUBLISH', 'PUBLISH_HTTP']);
  });

  test.each([
    [BUNDLED, 1, 'postgres://civic:secret@postgres:5432/civic'],
    [{ DATABASE_URL: 'postgres://db.example/civic' }, 0, 'postgres://db.example/civic'],
    [{ DATABASE_URL_FILE: '/run/secrets/database' }, 0, ''],
  ] as const)('starts its PostgreSQL only with a password for it: %j', (env, count, url) => {
    const { postgres, ...others } = readCompose(env).services;
    expect(Number(postgres!.scale)).toBe(count);
    for (const [name, service] of Object.entries(others))
      if (isOurs(service)) expect([name, service.environment!['DATABASE_URL'] ?? '']).toEqual([name, url]);
  });

  test('runs relays without a broker of its own where the profile relay alone is named', () => {
    const names = startedWith('relay').map(([name]) => name);
    expect([names.includes('relay-1'), names.includes('kafka')]).toEqual([true, false]);
    expect(services['relay-1']!.depends_on!['kafka']).toEqual({ condition: 'service_healthy', required: false });
  });

  test('names versions of PostgreSQL and Kafka that tested-with.md lists', () => {
    const page = read('docs/contributors/tested-with.md');
    for (const [name, engine] of [
      ['postgres', 'PostgreSQL'],
      ['kafka', 'Kafka'],
    ] as const) {
      const version = services[name]!.image!.split(':')[1]!;
      expect(page).toMatch(
        new RegExp(`^\\| ${engine} (?:[\\d.]+(?:, | and ))*${version.replaceAll('.', '\\.')}\\b`, 'm'),
      );
    }
  });

  test('has a proxy that tries another process for reads alone, after longer than a request may take', () => {
    const { CIVIC_STATEMENT_TIMEOUT: deadline } = readSettings({}).settings;
    const [, reads, others] = caddyfile.split('reverse_proxy {').slice(0, 3);
    const seconds = (block: string, name: string) => Number(new RegExp(`${name} (\\d+)s`).exec(block)![1]) * 1000;
    expect(caddyfile).toContain('@reads method GET HEAD');
    expect(reads).toMatch(/lb_retry_match \{\s+method GET HEAD\s+\}/);
    expect(seconds(reads!, 'response_header_timeout')).toBeGreaterThan(deadline);
    expect(seconds(reads!, 'lb_try_duration')).toBeGreaterThan(seconds(reads!, 'response_header_timeout'));
    expect(others).not.toContain('lb_retry_match');
    expect(seconds(others!, 'response_header_timeout')).toBeGreaterThan(deadline);
  });
});
