import { expect, it } from 'vitest';
import { matterKey } from '../../domain/agenda/matter-file.ts';

it.each([
  ['26-0001', '26-0001'],
  ['int 12 - 2026', 'INT12-2026'],
  [' Z\u00a0245-177\n', 'Z245-177'],
  ['None', null],
  ['', null],
  [null, null],
  ['1'.repeat(200), '1'.repeat(200)],
  ['1'.repeat(201), null],
])('the key of file %j is %j', (file, key) => {
  expect(matterKey(file)).toBe(key);
});

it('the key of a long text is computed quickly', () => {
  const begun = process.threadCpuUsage();
  for (const text of [' '.repeat(1_000_000), '1'.repeat(1_000_000)]) expect(matterKey(text)).toBeNull();
  expect(process.threadCpuUsage(begun).user).toBeLessThan(50_000);
});
