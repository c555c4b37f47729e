import { expect, test } from 'vitest';
import { z } from 'zod';
import { limit, wholeNumber } from '../../contract/fields.ts';
import { issueText, PLAINLY } from '../../domain/text/plain-issues.ts';

const schema = z
  .strictObject({
    limit,
    page: wholeNumber(1, 20),
    count: z.int().min(1).max(20),
    title: z.string().min(1).max(5),
    topics: z.array(z.string()).max(1),
    resource: z.enum(['meetings', 'agenda_items']),
    recordId: z.uuid(),
    since: z.iso.datetime(),
    code: z.string().regex(/^[A-Z]+$/),
  })
  .partial();

const refusal = (value: unknown): string => {
  const { error } = schema.safeParse(value, PLAINLY);
  return error === undefined ? 'accepted' : issueText(error.issues[0]!);
};

test.each<[unknown, string]>([
  [{ page: '50' }, 'page must be a whole number from 1 to 20; got "50"'],
  [{ page: '-1' }, 'page must be a whole number from 1 to 20; got "-1"'],
  [{ limit: 'ten' }, 'limit must be a whole number of at least 1; got "ten"'],
  [{ count: 50 }, 'count must be at most 20; got 50'],
  [{ count: 0 }, 'count must be at least 1; got 0'],
  [{ count: 1.5 }, 'count must be a whole number; got a number'],
  [{ count: '3' }, 'count must be a number; got a text'],
  [{ title: '' }, 'title must not be empty'],
  [{ title: 'secret' }, 'title must have at most 5 characters'],
  [{ topics: ['a', 'b'] }, 'topics must have at most 1 entry'],
  [{ resource: 'meeting' }, 'resource must be one of meetings, agenda_items; got "meeting"; did you mean "meetings"?'],
  [{ resource: null }, 'resource must be one of meetings, agenda_items; got null'],
  [{ recordId: 'x' }, 'recordId must be a UUID such as 0190a5f2-3c1b-7e60-8f43-9a7b2c1d4e5f'],
  [{ since: 'May' }, 'since must be a time in UTC such as 2026-04-14T16:00:00.000Z'],
  [{ code: 'secret' }, 'code must match /^[A-Z]+$/'],
  [{ limt: '5' }, 'unknown name: "limt"; did you mean "limit"?'],
  [
    { zebra: '5' },
    'unknown name: "zebra"; allowed are limit, page, count, title, topics, resource, recordId, since, code',
  ],
  [[], 'must be an object; got a list'],
  [null, 'must be an object; got null'],
])('%j is refused with what is allowed', (value, text) => {
  expect(refusal(value)).toBe(text);
});

test('a missing field is named, and a value of a text field is not repeated', () => {
  const strict = z.strictObject({ key: z.string().max(3), kind: z.literal('a') });
  const issuesOf = (value: unknown) => strict.safeParse(value, PLAINLY).error?.issues.map(issueText);
  expect(issuesOf({})).toEqual(['key is required', 'kind is required: a']);
  expect(JSON.stringify(issuesOf({ key: 'crs_secret', kind: 'a' }))).not.toContain('secret');
});

test('a long refused value or name, which might contain a key, is not repeated', () => {
  const secret = 'crs_'.padEnd(50, 'x');
  for (const value of [{ resource: secret }, { page: secret }, { limit: secret }, { [secret]: '1' }]) {
    expect(refusal(value)).toContain('a text of 50 characters');
    expect(refusal(value)).not.toContain('xxx');
  }
});
