import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SEARCHED_FIELDS } from '../../client/mirror/columns.ts';
import { MIRROR_TABLES } from '../../client/mirror/mirror-tables.ts';
import { RECORD_SCHEMAS, RESOURCES } from '../../domain/records/resources.ts';
import { mirrorPage, mirrorTables, PAGE_FILE, PYTHON_FILE, pythonMirror } from '../../tools/mirror-tables.ts';

test('the tables of a mirror equal what `npm run docs:mirror` makes of the contract', () => {
  expect(readFileSync(new URL('../../client/mirror/mirror-tables.ts', import.meta.url), 'utf8')).toBe(mirrorTables());
});

test('docs/developers/replicate.md lists them', () => {
  const page = readFileSync(PAGE_FILE, 'utf8');
  expect(page).toBe(mirrorPage(page));
});

test('the client for Python has the same columns and the same view of spending', () => {
  const program = readFileSync(PYTHON_FILE, 'utf8');
  expect(program).toBe(pythonMirror(program));
});

test('each field of each record has its column', () => {
  expect(Object.keys(MIRROR_TABLES)).toEqual(RESOURCES);
  for (const resource of RESOURCES) {
    const fields = ['id', ...Object.keys(RECORD_SCHEMAS[resource].shape), 'createdAt', 'updatedAt'];
    expect(MIRROR_TABLES[resource].map(({ field }) => field)).toEqual(fields);
  }
});

test('the search reads fields that are text', () => {
  for (const [table, fields] of Object.entries(SEARCHED_FIELDS)) {
    const texts = MIRROR_TABLES[table as keyof typeof MIRROR_TABLES]
      .filter(({ type }) => type === 'text')
      .map(({ field }) => field as string);
    expect(fields.filter((field) => !texts.includes(field))).toEqual([]);
  }
});
