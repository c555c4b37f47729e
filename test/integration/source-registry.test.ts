import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, makeInstallation } from '../support/service.ts';
import { readRecording, startReplayServer, status } from './agendas/replay-server.ts';

/** A county without rows in the shipped registry, so that no other address is requested. */
const COUNTY = ['--county', 'erath'];
const CLIENT = 'example';

let installation: Installation;
let platform: Awaited<ReturnType<typeof startReplayServer>>;
let rows: string;

beforeAll(async () => {
  installation = makeInstallation('source-registry-');
  platform = await startReplayServer(CLIENT, await readRecording('fortworthgov'));
  rows = join(installation.folder, 'rows.json');
  const row = (changes: object) => ({
    jurisdictionSlug: 'stephenville',
    bodySlug: 'city-council',
    bodyName: 'City Council',
    platform: 'legistar',
    client: CLIENT,
    baseUrl: platform.baseUrl,
    evidence: 'seen',
    evidenceDate: '2026-11-01',
    note: 'Invented.',
    ...changes,
  });
  const pair = { jurisdictionSlug: 'erath-county', bodySlug: 'commissioners-court', evidence: 'listed' };
  writeFileSync(
    rows,
    JSON.stringify([
      row({ evidence: 'listed' }),
      row({ platform: 'civicclerk', bodySlug: 'planning-and-zoning' }),
      row({ jurisdictionSlug: 'dublin', client: 'nobody' }),
      row({ jurisdictionSlug: 'dublin', client: 'example', platform: 'civicweb', evidence: 'downloaded' }),
      row({ ...pair, client: 'erath' }),
      row({ ...pair, client: 'erath-tx' }),
    ]),
  );
});

afterAll(async () => {
  await platform.close();
  await installation.close();
});

interface Printed {
  readonly source: string;
  readonly client: string;
  readonly jurisdiction: string;
  readonly outcome: string;
  readonly reason: string | null;
}

interface Probed {
  readonly platform: string;
  readonly client: string;
  readonly evidence: string;
  readonly answer: { readonly result: string };
}

async function run<Value>(...args: readonly string[]): Promise<Value> {
  const { exitCode, stdout, stderr } = await installation.civicHere(['sources', ...args, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Value;
}
const addRegistry = (...args: readonly string[]) =>
  run<readonly Printed[]>('add', 'registry', '--rows', rows, ...COUNTY, ...args);
const outcomes = (printed: readonly Printed[]) =>
  Object.fromEntries(printed.map(({ source, client, outcome }) => [`${source}:${client}`, outcome]));

test('the registry adds each source that answers once, and states why it leaves out another', async () => {
  const first = await addRegistry('--ignore-robots');
  const added = await run<readonly { readonly source: string; readonly options: readonly string[] }[]>('list');
  expect(added.find(({ source }) => source === 'civicclerk')!.options).toEqual(['ignoreRobots=true']);
  expect(outcomes(first)).toEqual({
    'civicclerk:example': 'added',
    'civicweb:example': 'added',
    'legistar:example': 'left out',
    'legistar:nobody': 'left out',
    'legistar:erath': 'left out',
    'legistar:erath-tx': 'left out',
  });
  const reasonOf = (client: string) =>
    first.find((each) => each.client === client && each.source === 'legistar')?.reason;
  expect(reasonOf('example')).toContain('only a list names it');
  expect(reasonOf('nobody')).toContain('nobody');
  expect(reasonOf('erath')).toContain('doubtful name: erath-tx');

  expect(outcomes(await addRegistry('--listed'))).toMatchObject({
    'civicclerk:example': 'already added',
    'legistar:example': 'added',
    'legistar:erath': 'left out',
    'legistar:erath-tx': 'left out',
  });
  const third = await addRegistry('--listed');
  expect(third.filter(({ outcome }) => outcome === 'added')).toEqual([]);

  const list = await run<readonly (Printed & { readonly name: string })[]>('list');
  expect(list.map(({ source, jurisdiction }) => `${source} ${jurisdiction}`).toSorted()).toEqual([
    'civicclerk stephenville',
    'civicweb dublin',
    'legistar stephenville',
  ]);
  expect(list.find(({ source }) => source === 'legistar')).toMatchObject({
    client: CLIENT,
    name: 'Stephenville',
    timezone: 'America/Chicago',
    isPublic: false,
  });
});

test('the list of sources states how many the registry names, and --known lists them', async () => {
  const { stdout } = await installation.civicHere(['sources', 'list']);
  expect(stdout).toMatch(
    /The registry names \d+ sources that are not added; civic sources add registry adds \d+ of them/,
  );
  const rows = await run<readonly (Printed & { readonly addRegistry: string })[]>('list', '--known');
  expect(rows.find(({ client }) => client === 'cityofdallas')).toMatchObject({
    jurisdiction: 'dallas',
    evidence: 'seen',
    addRegistry: 'adds it',
  });
  expect(rows.find(({ client }) => client === 'gptx')?.addRegistry).toBe('grandprairie was seen instead');
});

test('a probe asks each client once without an installation, and its rows settle a doubtful pair', async () => {
  platform.faultsByPath.set('/v1/erath/bodies', status(403));
  platform.requests.length = 0;
  const probed = await run<readonly Probed[]>('probe', 'registry', '--rows', rows, ...COUNTY);
  platform.faultsByPath.clear();
  expect(probed.map(({ platform: name, client, evidence, answer }) => [name, client, evidence, answer.result])).toEqual(
    [
      ['legistar', CLIENT, 'seen', 'answered'],
      ['civicclerk', CLIENT, 'seen', 'answered'],
      ['legistar', 'nobody', 'seen', 'gone'],
      ['civicweb', CLIENT, 'seen', 'answered'],
      ['legistar', 'erath', 'listed', 'refused'],
      ['legistar', 'erath-tx', 'listed', 'gone'],
    ],
  );
  expect(platform.requests.filter((path) => path.includes('/bodies')).length).toBe(4);
  expect(probed[0]!.answer).toMatchObject({ bodies: 2, newestMeeting: expect.any(String) });

  const settled = probed.map((row) => (row.client === 'erath' ? { ...row, evidence: 'seen' } : row));
  const path = join(installation.folder, 'settled.json');
  writeFileSync(path, JSON.stringify(settled));
  const results = await run<readonly Printed[]>('add', 'registry', '--rows', path, '--place', 'erath-county');
  expect(results).toMatchObject([
    { client: 'erath', outcome: 'left out', reason: expect.stringContaining('does not know the client') },
    { client: 'erath-tx', outcome: 'left out', reason: 'erath was seen instead' },
  ]);
});

test('the table of a probe has one line for each client with its result', async () => {
  const { stdout } = await installation.civicHere(['sources', 'probe', 'registry', '--rows', rows, ...COUNTY]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(1 + 6);
  expect(lines[0]).toMatch(/^source +client +jurisdiction +result +bodies +newestMeeting +newestAgenda/);
  expect(lines.find((line) => line.includes('erath-tx'))).toMatch(/gone .*does not know the client/);
});

test('a place that the catalogue does not have, and rows that are none, are refused without a change', async () => {
  const unknown = await installation.civicHere(['sources', 'add', 'registry', '--place', 'atlantis']);
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toContain('no place atlantis');
  writeFileSync(rows, '[{"jurisdictionSlug": "dublin"}]');
  const broken = await installation.civicHere(['sources', 'add', 'registry', '--rows', rows]);
  expect(broken).toMatchObject({ exitCode: 1, stdout: '' });
  expect(broken.stderr).toContain('contains no rows of the registry');
});
