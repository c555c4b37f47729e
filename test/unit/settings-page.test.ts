import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTING_SECTIONS } from '../../src/app/setting-sections.ts';
import { readSettings } from '../../src/app/settings.ts';
import { settingsPage } from '../../tools/settings-page.ts';

const page = readFileSync(new URL('../../docs/operators/settings.md', import.meta.url), 'utf8');

test('docs/operators/settings.md equals what `npm run docs:settings` writes', () => {
  expect(page).toBe(settingsPage());
});

test('the page has exactly one row for each setting', () => {
  const names = /known are (.*)$/.exec(readSettings({ CIVIC_UNKNOWN: '1' }).warnings[0] ?? '')?.[1]?.split(', ') ?? [];
  const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(10);
  expect(rows.toSorted()).toEqual(names.toSorted());
});

test('every setting has a meaning and names what it allows', () => {
  const settings = Object.values(SETTING_SECTIONS).flatMap((section) => Object.entries(section));
  const silent = settings.filter(
    ([, [schema, , meaning]]) => !meaning.endsWith('.') || typeof schema.meta()?.['allowed'] !== 'string',
  );
  expect(silent.map(([name]) => name)).toEqual([]);
});
