import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createHttpMetrics } from '../../src/edge/metrics/http-metrics.ts';

test('durations are reported as a cumulative histogram of each operation and status', async () => {
  const registry = new Registry();
  const durations = createHttpMetrics(registry);
  for (const seconds of [0.0005, 0.001, 0.0011, 3, 100]) durations.answered('listRecentAgendaHits', 200, seconds);
  durations.answered('listRecentAgendaHits', 429, 0.0002);
  const text = await registry.metrics();
  const line = (part: string, le: string, status = 200) =>
    new RegExp(
      `^civic_http_request_duration_seconds_${part}\\{${le}operation="listRecentAgendaHits",status="${status}"\\} (.+)$`,
      'm',
    ).exec(text)?.[1];
  expect(['0.001', '0.0025', '2.5', '10', '\\+Inf'].map((le) => line('bucket', `le="${le}",`))).toEqual([
    '2',
    '3',
    '3',
    '4',
    '5',
  ]);
  expect([line('count', ''), Number(line('sum', '')), line('count', '', 429)]).toEqual([
    '5',
    expect.closeTo(103.0026),
    '1',
  ]);
  expect(text).toContain('# TYPE civic_http_request_duration_seconds histogram');
  expect((await registry.getMetricsAsJSON())[0]!.values.length).toBe(30);
});
