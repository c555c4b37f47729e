import { readdirSync, readFileSync } from 'node:fs';
import type { IRegularForbiddenRuleType } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import { SOURCES } from '../../src/sources/sources.ts';
import { IMPORT_RULES } from '../../tools/import-rules.ts';

const page = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
const foldersIn = (cell: string): readonly string[] => [...cell.matchAll(/`([\w/]+)\/`/g)].map(([, folder]) => folder!);

/** Rows of one folder whose third column lists only folders and libraries. */
const rows = [...page.matchAll(/^\| `([\w/]+)\/` \| .+? \| (.+) \|$/gm)]
  .map(([, folder, cell]) => ({ folder: folder!, listed: foldersIn(cell!) }))
  .filter(({ folder }) => folder !== 'src/edge');
const CANDIDATES = [...rows.map(({ folder }) => folder), 'src/edge/http', 'src/cli', 'src/app/composition', 'test'];

const matches = (pattern: string | string[] | undefined, path: string): boolean | undefined =>
  pattern === undefined ? undefined : [pattern].flat().some((each) => new RegExp(each).test(path));

/** True if a file of one folder may import one of another, by the rules on paths alone. */
const mayImport = (from: string, to: string): boolean =>
  !(IMPORT_RULES as readonly IRegularForbiddenRuleType[]).some((rule) => {
    if (!('path' in rule.to || 'pathNot' in rule.to) || 'dependencyTypes' in rule.to) return false;
    if ([rule.to.pathNot].flat().some((each) => each?.includes('$1'))) return false;
    // That rule forbids values only; the table lists a folder whose types are imported.
    if (rule.name?.includes('only types') === true) return false;
    const leaves = matches(rule.from.path, from) !== false && matches(rule.from.pathNot, from) !== true;
    return leaves && matches(rule.to.path, to) !== false && matches(rule.to.pathNot, to) !== true;
  });

test('the table of ARCHITECTURE.md has a row for each folder of the program', () => {
  expect(rows.map(({ folder }) => folder)).toEqual([
    'domain',
    'plumbing',
    'contract',
    'commands',
    'projections',
    'queries',
    'infra',
    'client',
    'src/processors',
    'src/classifier',
    'src/sources',
  ]);
});

test.each(rows)('$folder may import exactly the folders that the table lists', ({ folder, listed }) => {
  const allowed = CANDIDATES.filter(
    (other) => other !== folder && mayImport(`${folder}/part/a.ts`, `${other}/part/b.ts`),
  );
  expect(allowed.toSorted()).toEqual(listed.filter((other) => CANDIDATES.includes(other)).toSorted());
});

test('the row of infra/ names each of its folders that is not of a platform, and each platform has one in src/sources/', () => {
  const [, content] = /^\| `infra\/` \| (.+?) \|/m.exec(page)!;
  const named = [...content!.matchAll(/`([\w-]+)`/g)].map(([, folder]) => folder!);
  const foldersIn = (path: string) => readdirSync(new URL(`../../${path}`, import.meta.url));
  const platforms = Object.keys(SOURCES);
  expect(
    foldersIn('infra')
      .filter((folder) => !platforms.includes(folder))
      .toSorted(),
  ).toEqual(named.toSorted());
  expect(platforms.filter((platform) => !foldersIn('src/sources').includes(platform))).toEqual([]);
});

const FILES = [
  'src/app/settings.ts',
  'src/app/setting-sections.ts',
  'src/app/setting-values.ts',
  'src/app/read-models.ts',
];

test.each(FILES)('%s may import exactly what the table lists', (file) => {
  const row = page
    .split('\n')
    .find((line) => line.startsWith('| `src/') && line.split(' | ')[0]!.includes(`\`${file}\``))!;
  const listed = [
    ...row
      .split(' | ')
      .at(-1)!
      .matchAll(/`([\w/.-]+?)\/?`/g),
  ]
    .map(([, path]) => path!)
    .filter((path) => path !== file);
  const others = [...CANDIDATES, 'src/edge/admission', ...FILES].filter((other) => other !== file);
  const allowed = others.filter((other) => mayImport(file, other.endsWith('.ts') ? other : `${other}/a.ts`));
  expect(allowed.toSorted()).toEqual(listed.toSorted());
});
