import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALERTS } from '../../tools/monitoring/alerts.ts';
import { monitoringFiles } from '../../tools/monitoring/main.ts';
import { allMetrics } from '../../tools/monitoring/metrics.ts';

const CHECKOUT = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, CHECKOUT), 'utf8');

test('the alert rules, the dashboard and the table of alerts equal what `npm run docs:monitoring` writes', async () => {
  for (const [name, text] of Object.entries(await monitoringFiles())) expect([name, read(name)]).toEqual([name, text]);
});

test('alerts and dashboard name only metrics that the service has, and the page has a row for each metric', async () => {
  const metricNames = new Set((await allMetrics()).map(({ name }) => name));
  expect(metricNames.size).toBeGreaterThan(35);
  const texts = [...ALERTS.map(({ when }) => when), read('deploy/grafana-dashboard.json')].join('\n');
  const named = [...texts.matchAll(/\bcivic_\w+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(30);
  const wrong = named.filter(
    (name) => !metricNames.has(name) && !metricNames.has(name.replace(/_(bucket|count|sum)$/, '')),
  );
  expect(wrong).toEqual([]);
  const rows = [...read('docs/operators/metrics.md').matchAll(/^\| `(civic_\w+)` \|/gm)].map(([, name]) => name!);
  expect(rows.toSorted()).toEqual([...metricNames].toSorted());
});

test('every graph explains itself, and every alert names a command or page that there is', () => {
  const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as {
    panels: { type: string; title: string; description: string }[];
  };
  const silent = panels.filter(
    ({ type, title, description }) =>
      type !== 'row' && !/^(Memory|Processor time|Delay)/.test(title) && description === '',
  );
  expect(silent).toEqual([]);
  expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length);
  for (const { remedy } of ALERTS) {
    const [, page] = /\(([a-z-]+\.md)\)$/.exec(remedy)!;
    expect(read(`docs/operators/${page}`)).not.toBe('');
  }
  // `sources status` lists only sources that were added, and shipped ones raise this alert too.
  expect(ALERTS.find(({ name }) => name === 'CivicSourceSilent')!.remedy).toMatch(/`civic sources sync /);
});

const promtool = spawnSync('promtool', ['--version']).status === 0;

test.skipIf(!promtool)('promtool accepts the alert rules (needs promtool, of the Debian package prometheus)', () => {
  const { status, stdout, stderr } = spawnSync(
    'promtool',
    ['check', 'rules', new URL('deploy/prometheus-alerts.yml', CHECKOUT).pathname],
    {
      encoding: 'utf8',
    },
  );
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining(`${ALERTS.length} rules found`)]);
});
