import { expect, test } from 'vitest';
import { checkChange } from '../../commands/records/write-records.ts';
import { dateTime, url } from '../../domain/records/fields.ts';

/** Normalisation ran on texts that had failed their check and threw: one bad line ended a whole import. */
test.each(['today', '', '2026-02-30T00:00:00Z', '2026-01-01', '2026-13-01T00:00:00Z'])(
  'the time %j is refused without throwing',
  (value) => {
    expect(dateTime.safeParse(value).success).toBe(false);
  },
);

/** The time was stored with a year of six digits, and the report and its read model could not be read again. */
test.each(['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+14:00'])(
  'the time %j, whose year in UTC has no four digits, is refused',
  (value) => {
    expect(dateTime.safeParse(value).success).toBe(false);
  },
);

test.each(['9999-12-31T23:59:59+14:00', '0000-01-01T00:00:00-12:00'])(
  'the time %j is stored in a form that can be read again',
  (value) => {
    const stored = dateTime.parse(value);
    expect(dateTime.parse(stored)).toBe(stored);
  },
);

test.each(['nonsense', '', 'http://', 'https://', '//example.org', 'http://[::1', 'ftp://example.org'])(
  'the address %j is refused without throwing',
  (value) => {
    expect(url.safeParse(value).success).toBe(false);
  },
);

test('a record with a bad address is a rejection that names the field', () => {
  const content = { kind: 'agenda', title: 'Agenda', url: 'nonsense' };
  const checked = checkChange({
    op: 'upsert',
    resource: 'documents',
    id: '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11',
    content,
  });
  expect(checked).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('url') as unknown });
});
