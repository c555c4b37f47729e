import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/app/settings.ts';

const UNIT = readFileSync(new URL('../../deploy/civic.service', import.meta.url), 'utf8');

test('the unit of systemd sets only known settings, and waits longer than a stop takes', () => {
  const set = Object.fromEntries(
    [...UNIT.matchAll(/^Environment=(.*)$/gm)]
      .flatMap(([, line]) => line!.split(' '))
      .map((each) => each.split('=', 2)),
  );
  expect(readSettings(set as Record<string, string>).warnings).toEqual([]);
  expect(Object.keys(set)).toContain('CIVIC_DATA_DIR');
  expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(UNIT)![1])).toBeGreaterThanOrEqual(30);
});

test('the unit of systemd starts the service again for as long as its database is away', () => {
  expect(UNIT).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(UNIT).toMatch(/^Restart=always$/m);
});

test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'systemd accepts it and finds it confined (needs systemd-analyze)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'civic-unit-'));
    try {
      const file = join(folder, 'civic.service');
      writeFileSync(file, UNIT.replace('/usr/bin/node', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=yes', file], { encoding: 'utf8' });
      expect(Number(/Overall exposure level for \S+: (\d+\.\d+)/.exec(stdout)?.[1])).toBeLessThan(3);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
