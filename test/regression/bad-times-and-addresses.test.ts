import { expect, test } from 'vitest';
import { checkChange } from '../../commands/records/check-change.ts';
import { dateTime, url } from '../../src/domain/records/fields.ts';

/** Normalising ran on texts that had failed their check, and threw: one bad line ended a whole import. */
test.each(['today', '', '2026-02-30T00:00:00Z', '2026-01-01', '2026-13-01T00:00:00Z'])('the time %j is refused, not thrown at', (value) => {
  expect(dateTime.safeParse(value).success).toBe(false);
});

test.each(['nonsense', '', 'http://', 'https://', '//example.org', 'http://[::1', 'ftp://example.org'])(
  'the address %j is refused, not thrown at',
  (value) => {
    expect(url.safeParse(value).success).toBe(false);
  },
);

test('a record with a bad address is a rejection that names the field', () => {
  const content = { kind: 'agenda', title: 'Agenda', url: 'nonsense' };
  const checked = checkChange({ op: 'upsert', resource: 'documents', id: '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11', content });
  expect(checked).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('url') as unknown });
});
