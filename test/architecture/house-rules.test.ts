import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesWith, type SourceFile, sourceFiles } from '../support/source-text.ts';

const CLOCK =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\)|\bperformance\.now\b|\bprocess\.hrtime\b|\bDateTime\.(now|utc|local)\(\s*\)/;
const RANDOM =
  /\bMath\.random\b|\brandom(UUID|Bytes|Int|FillSync)\b\(|\bgetRandomValues\b|import \{[^}]*\brandom(UUID|Bytes|Int)\b|import \{[^}]*\bv[147]\b[^}]*\} from 'uuid'/;
const SQL_CLOCK =
  /(?<![.\w])now\(\)(?!\s*[:{])|\b(clock|statement|transaction)_timestamp\b|\bcurrent_(timestamp|date|time)\b|\blocaltime(stamp)?\b/i;
const SQL_RANDOM = /\bgen_random_uuid\b|\buuidv7\b|\b(select|default|by) random\(\)/i;
const SQL = /`\s*(with \w+ as|select\s|insert into\s|update \w+|delete from\s|create (table|index|function)\s)/i;

const of = (path: string, code: string): SourceFile => ({ path, text: code, code });
const pure = () => sourceFiles(['commands', 'projections', 'queries', 'domain', 'plumbing', 'contract']);

describe('time and randomness', () => {
  test('no command, projection, query or domain file reads a clock', () => {
    expect(linesWith(pure(), CLOCK)).toEqual([]);
  });

  test('no command, projection, query or domain file draws a random number, except through the two ports', () => {
    const ports = ['domain/identifiers.ts', 'domain/key-secret.ts'];
    const drawn = linesWith(
      pure().filter(({ path }) => !ports.includes(path)),
      RANDOM,
    );
    expect(drawn).toEqual([]);
  });

  test('code that decides or answers reads the time from the port, not from the machine', () => {
    const edges = sourceFiles([
      'src/edge/answers',
      'src/edge/http',
      'src/edge/ops',
      'src/edge/metrics',
      'src/edge/mcp',
      'src/edge/admission',
      'src/sources',
      'src/app/serving',
      'src/processors',
      'src/edge/documents',
    ]);
    expect(linesWith(edges, CLOCK)).toEqual([]);
  });

  test('no SQL reads the time or a random number, except the clock check of doctor and the clock of leases', () => {
    const files = sourceFiles(
      ['domain', 'plumbing', 'contract', 'src', 'commands', 'projections', 'queries', 'infra'],
      ['ts', 'sql'],
    );
    expect(files.some(({ path }) => path.endsWith('.sql'))).toBe(true);
    const askers = ['infra/postgresql/leases/clocks.ts'];
    const others = files.filter(({ path }) => !askers.includes(path));
    expect(linesWith(others, SQL_CLOCK)).toEqual([]);
    expect(linesWith(files, SQL_RANDOM)).toEqual([]);
  });

  test.each([
    ['const at = Date.now();', CLOCK],
    ['const at = new Date();', CLOCK],
    ['const from = performance.now();', CLOCK],
    ['const jitter = Math.random() * 5;', RANDOM],
    ["import { createHash, randomUUID } from 'node:crypto';", RANDOM],
    ["import { v5, v7 } from 'uuid';", RANDOM],
    ['update x set at = now() where id = $1', SQL_CLOCK],
    ["interval '1 day' + current_timestamp", SQL_CLOCK],
    ['default gen_random_uuid()', SQL_RANDOM],
  ])('the rule finds %s', (code, rule) => {
    expect(linesWith([of('x.ts', code)], rule)).toHaveLength(1);
  });

  test.each([
    ['const at = clock.now();', SQL_CLOCK],
    ['  now(): number;', SQL_CLOCK],
    ['const at = new Date(text);', CLOCK],
    ["import { v5 } from 'uuid';", RANDOM],
  ])('the rule allows %s', (code, rule) => {
    expect(linesWith([of('x.ts', code)], rule)).toEqual([]);
  });
});

describe('places of code', () => {
  const program = () =>
    sourceFiles(['domain', 'plumbing', 'contract', 'src', 'commands', 'projections', 'queries', 'infra']);

  test('only infra, projections, queries, the projector and the charge of a request contain SQL', () => {
    const others = sourceFiles(['src', 'commands', 'domain', 'plumbing', 'contract']).filter(
      ({ path }) => !path.startsWith('src/processors/projector/') && path !== 'src/edge/admission/charge-request.ts',
    );
    expect(linesWith(others, SQL)).toEqual([]);
    expect(linesWith(sourceFiles(['queries']), SQL).length).toBeGreaterThan(0);
  });

  test('only an entry point ends the process or sets its exit status', () => {
    const entries = ['src/main.ts'];
    const others = program().filter(({ path }) => !entries.includes(path) && !path.startsWith('tools/'));
    expect(linesWith(others, /\bprocess\.(exit|exitCode|abort|reallyExit)\b/)).toEqual([]);
    expect(linesWith(program(), /\bprocess\.(exit|abort|reallyExit)\(/)).toEqual([]);
  });

  test('nothing writes to the console', () => {
    expect(linesWith([...program(), ...sourceFiles(['test'])], /(?<![.\w'])console\.\w+\(/)).toEqual([]);
  });

  test('only the entry, and code that starts other programs, reads the environment', () => {
    // The samples of operations are text that reads a key there.
    const readers = [
      'src/main.ts',
      'src/cli/run.ts',
      'infra/embedded-postgresql/',
      'tools/',
      'src/edge/documents/markdown/operation-samples.ts',
    ];
    const others = program().filter(({ path }) => !readers.some((reader) => path.startsWith(reader)));
    expect(linesWith(others, /\bprocess\.env\b/)).toEqual([]);
  });
});

describe('size and names', () => {
  const MAX_LENGTH = 400;
  /** The schema of the log is one file, so that nobody searches the migrations for the current text of a function. */
  const SCHEMA = 'infra/postgresql/schema.sql';
  /** Cases around one running service share a file. */
  const MAX_TEST_LENGTH = 700;
  const all = () =>
    sourceFiles(
      [
        'domain',
        'plumbing',
        'contract',
        'src',
        'commands',
        'projections',
        'queries',
        'infra',
        'client',
        'tools',
        'test',
        'bench',
      ],
      ['ts', 'mjs', 'sql'],
    );

  test(`no file is longer than ${MAX_LENGTH} lines, a file of tests ${MAX_TEST_LENGTH}`, () => {
    const handWritten = all().filter(({ path }) => !path.startsWith('client/generated/') && path !== SCHEMA);
    const maxLength = (path: string) => (path.startsWith('test/') ? MAX_TEST_LENGTH : MAX_LENGTH);
    const long = handWritten.flatMap(({ path, text }) => (text.split('\n').length - 1 > maxLength(path) ? [path] : []));
    expect(long).toEqual([]);
  });

  test('no file has an empty name such as utils', () => {
    const banned = /(^|[-.])(services?|managers?|helpers?|utils?|common|misc)([-.]|$)/;
    // The support of the tests starts the service, so its files are named after it.
    const named = all().filter(
      ({ path }) => banned.test(basename(path)) && !path.startsWith('test/') && !path.startsWith('bench/'),
    );
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test('file names are kebab-case, except tests named after an operation', () => {
    const odd = all().filter(
      ({ path }) => !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(basename(path)) && !path.startsWith('test/conformance/'),
    );
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  test('no file has a default export', () => {
    expect(linesWith(all(), /^\s*export default\b/)).toEqual([]);
  });

  test('a function of the program with statements is declared with `function`', () => {
    const program = sourceFiles([
      'domain',
      'plumbing',
      'contract',
      'src',
      'commands',
      'projections',
      'queries',
      'infra',
      'client',
      'tools',
    ]);
    const arrow = /^(export )?const \w+ = (async )?(<[^=]*>)?\([^()]*\)(: [^=()]+)? => \{$/;
    expect(linesWith(program, arrow)).toEqual([]);
    expect(linesWith([of('x.ts', 'export const pause = async (id: string): Promise<void> => {')], arrow)).toHaveLength(
      1,
    );
  });

  test('no comment postpones work', () => {
    const marks = ['TO', 'FIX', 'X'].map((start, index) => `${start}${['DO', 'ME', 'XX'][index]}`).join('|');
    const marked = all().flatMap(({ path, text }) => (new RegExp(`\\b(${marks})\\b`).test(text) ? [path] : []));
    expect(marked).toEqual([]);
  });
});

test('the check before a commit runs the tests of stored events', () => {
  const root = new URL('../../', import.meta.url);
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    readonly scripts: { readonly check: string };
  };
  const named = [...scripts.check.matchAll(/\btest\/\S+\.test\.ts\b/g)].map(([path]) => path);
  expect(named).toContain('test/contract/golden-events.test.ts');
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
