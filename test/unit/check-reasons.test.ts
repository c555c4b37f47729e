import { expect, test } from 'vitest';
import { countRows } from '../../src/sources/source.ts';
import { checkReasons, reasonLine } from '../../src/sources/check-reasons.ts';

const NOTHING = { skipped: [], degraded: [], rejected: [] };
const unreadable = (id: number, status = 404) => ({
  what: 'event',
  id: String(id),
  reason: `its agenda could not be read: www.example.gov/ViewFile/${id} was answered with status ${status}`,
  address: `https://www.example.gov/ViewFile/${id}`,
});

test('rows with the same reason are counted together, whatever address, date or number it contains', () => {
  const dated = ['2025-09-09', '2025-10-14'].map((day) => ({
    what: 'event',
    id: '9',
    reason: `its agenda is dated ${day}`,
  }));
  const degraded = [unreadable(1), ...dated, unreadable(2), unreadable(3), unreadable(4, 503)];
  expect(checkReasons({ ...NOTHING, degraded })).toMatchObject([
    { effect: 'degraded', count: 3, example: 'event 1', reason: unreadable(1).reason, address: unreadable(1).address },
    { count: 2, reason: 'its agenda is dated 2025-09-09' },
    { count: 1, reason: unreadable(4, 503).reason },
  ]);
});

test('at most ten reasons of bounded length are stored, and none for what the source itself does not publish', () => {
  const skipped = Array.from({ length: 12 }, (_, index) => ({
    what: 'event',
    id: null,
    reason: `${'abcdefghijkl'[index]} ${'word '.repeat(1_000)}`,
  }));
  const intended = { what: 'event', id: '1', reason: 'is hidden', isIntended: true as const };
  const reasons = checkReasons({ ...NOTHING, skipped: [intended, ...skipped] });
  expect(reasons).toHaveLength(10);
  expect(Math.max(...reasons.map(({ reason }) => reason.length))).toBeLessThanOrEqual(300);
  expect(reasons.map(({ reason }) => reason)).not.toContain('is hidden');
});

test('a reason is printed in one line', () => {
  const rejected = [{ resource: 'meetings', id: 'x', reason: 'title:\nis empty' }];
  const [, line] = checkReasons({ ...NOTHING, rejected, degraded: [unreadable(1), unreadable(2)] }).map(reasonLine);
  expect(line).toBe('1 rejected: title: is empty (meetings x)');
});

test('a row with several reasons is one row', () => {
  const both = [unreadable(1), { ...unreadable(1), reason: 'states no time' }];
  expect(countRows([...both, unreadable(2), { what: 'event', id: null, reason: 'is no meeting' }])).toBe(3);
});
