import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { createCivicClient } from '../../client/api/index.ts';
import { installClientPackage, oldestNode } from '../support/client-package.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { type Installation, makeInstallation, plainEnvironment, runProgram, type Service } from '../support/service.ts';

let installation: Installation;
let service: Service;
let customer: string;

beforeAll(async () => {
  installation = makeInstallation('civic-client-');
  customer = installClientPackage(installation.folder);
  service = await installation.start({ sample: 'on' });
});

afterAll(async () => {
  await service.stop();
  await installation.close();
});

function runOfCustomer(node: string, text: string) {
  writeFileSync(join(customer, 'program.mjs'), text);
  const env = { ...plainEnvironment(), BASE: service.baseUrl, CIVIC_API_KEY: service.key ?? '' };
  return runProgram([node, 'program.mjs'], { cwd: customer, env }).ended;
}

async function programOfCustomer(node: string, text: string): Promise<unknown> {
  const { exitCode, stdout, stderr } = await runOfCustomer(node, text);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

test('the package consists of itself: no other package is installed, and its interface imports none and nothing of Node', () => {
  expect(globSync('node_modules/{@*/*,[!@.]*}', { cwd: customer })).toEqual(['node_modules/@civic-records/client']);
  const files = globSync('node_modules/@civic-records/client/dist/{api,generated}/*.js', { cwd: customer });
  expect(files.length).toBeGreaterThan(5);
  const imports = files.flatMap((file) => [
    ...readFileSync(join(customer, file), 'utf8').matchAll(/(?:from|import)\s*\(?['"]([^'"]+)/g),
  ]);
  expect(imports.map(([, name]) => name!).filter((name) => !name.startsWith('.'))).toEqual([]);
  expect(imports.length).toBeGreaterThan(5);
});

test('a program on Node 20 iterates over feed, snapshot and search, and receives refusals by code', async () => {
  const output = await programOfCustomer(
    oldestNode(),
    `import { CivicError, createCivicClient } from '@civic-records/client';
const { BASE: baseUrl, CIVIC_API_KEY: key } = process.env;
const civic = createCivicClient({ baseUrl, key });
const count = async (items) => { let sum = 0; for await (const _ of items) sum += 1; return sum; };
const refusal = (promise) => promise.then(() => null, (error) => error instanceof CivicError && [error.code, error.status, typeof error.requestId]);
const { data: snapshot } = await civic.createCivicSnapshot();
const copied = {};
for (const resource of Object.keys(snapshot.counts)) copied[resource] = await count(civic.snapshotRecords({ snapshotId: snapshot.snapshotId, resource, pageSize: 7 }));
const pages = [];
for await (const { data } of civic.changePages({ resource: 'agenda_items', pageSize: 2 })) pages.push(data.items.length);
process.stdout.write(JSON.stringify({
  same: JSON.stringify(copied) === JSON.stringify(snapshot.counts),
  topics: copied.topics,
  pages,
  results: await count(civic.searchResults({ query: 'zoning OR data OR budget', pageSize: 1 })),
  refusals: [
    await refusal(civic.readCivicChanges({ query: { cursor: 'x' } })),
    await refusal(createCivicClient({ baseUrl, key: 'crs_wrong' }).readCivicHealth()),
    await refusal(civic.callTool('search_agenda', { query: 'zoning', cursor: 'x' })),
  ],
}));
`,
  );
  expect(output).toMatchObject({
    same: true,
    topics: expect.toSatisfy((count: number) => count > 7) as unknown,
    pages: expect.toSatisfy((counts: number[]) => counts.length > 1 && counts.every((items) => items <= 2)) as unknown,
    results: expect.toSatisfy((count: number) => count > 1) as unknown,
    refusals: [
      ['invalid_parameter', 400, 'string'],
      ['unauthorized', 401, 'string'],
      ['invalid_cursor', 200, 'object'],
    ],
  });
});

test('the example of docs/developers/clients.md works as written', async () => {
  const [, example = ''] = /^```js run\n([\s\S]*?)^```$/m.exec(
    readFileSync(join(CHECKOUT, 'docs/developers/clients.md'), 'utf8'),
  )!;
  const { exitCode, stdout, stderr } = await runOfCustomer(oldestNode(), example);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^\d+ sources\n(\d{4}-\d\d-\d\d .+\n)+(upsert [0-9a-f-]{36}\n)+$/);
});

test('the types of the package refuse wrong operations, inputs and codes, with and without the resolution of Node', () => {
  const use = `import { type CivicError, createCivicClient, type Topic } from '@civic-records/client';
const civic = createCivicClient({ baseUrl: 'https://records.test' });
export const slugOf = (topic: Topic): string => topic.slug;
const page = await civic.readCivicChanges({ query: { resource: 'topics' } });
export const slugs: string[] = page.data.items.flatMap((item) => (item.operation === 'upsert' && item.resource === 'topics' ? [item.data.slug] : []));
const { results } = await civic.callTool('search_agenda', { query: 'x' });
export const title: string | undefined = results[0]?.title;
for await (const { data } of civic.snapshotPages({ snapshotId: 'x', resource: 'topics' })) slugs.push(...data.items.map(({ slug }) => slug));
for await (const { startsAt } of civic.snapshotRecords({ snapshotId: 'x', resource: 'meetings' })) slugs.push(startsAt);
for await (const change of civic.changes({ resource: 'topics' })) slugs.push(change.operation === 'upsert' ? change.data.slug : change.resource);
for await (const change of civic.changes({ cursor: 'x' })) slugs.push(change.operation === 'upsert' && change.resource === 'agendas' ? change.data.stage : change.resource);
for await (const { data } of civic.changePages({ resource: 'topics' })) for (const { resource } of data.items) resource satisfies 'topics';
const { signal } = new AbortController();
await civic.readCivicHealth({}, { signal });
// @ts-expect-error: the signal is not the second argument
await civic.readCivicHealth({ signal });
// @ts-expect-error: the signal is not the second argument
await civic.readCivicChanges({ signal });
// @ts-expect-error: a meeting has no slug
for await (const { slug } of civic.snapshotRecords({ snapshotId: 'x', resource: 'meetings' })) slugs.push(slug);
// @ts-expect-error: a part is missing
await civic.getAgendaHit();
// @ts-expect-error: no such resource
await civic.readCivicChanges({ query: { resource: 'nothing' } });
// @ts-expect-error: a wrong argument of a tool
await civic.callTool('search_agenda', { query: 1 });
// @ts-expect-error: no such code
export const wrong = ({ code }: CivicError): boolean => code === 'no_such_code';
`;
  writeFileSync(join(customer, 'use.mts'), use);
  const strict = [
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    '--types',
    '',
    'use.mts',
  ];
  for (const resolution of [['nodenext'], ['esnext', '--moduleResolution', 'bundler']]) {
    const command = [join(CHECKOUT, 'node_modules/typescript/bin/tsc'), ...strict, '--module', ...resolution];
    const { status, stdout } = spawnSync(process.execPath, command, { cwd: customer, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  }
});

const deno = spawnSync('deno', ['--version']).status === 0;

test.skipIf(!deno)(
  'a program on Deno is checked with the types of the package, and may use nothing but the network (needs deno)',
  () => {
    const program = `import { createCivicClient, type PublicSourceStatus } from '@civic-records/client';
const { data }: { data: readonly PublicSourceStatus[] } = await createCivicClient({ baseUrl: '${service.baseUrl}' }).listPublicSourceStatuses();
await Deno.stdout.write(new TextEncoder().encode(String(data.length > 0)));
`;
    writeFileSync(join(customer, 'program.ts'), program);
    const args = [
      'run',
      '--check',
      '--quiet',
      '--no-prompt',
      '--node-modules-dir=manual',
      '--allow-net=127.0.0.1',
      'program.ts',
    ];
    const { status, stdout, stderr } = spawnSync('deno', args, {
      cwd: customer,
      env: plainEnvironment(),
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'true', stderr: '' });
  },
);

test('a bundle for browsers needs nothing that only Node has', async () => {
  writeFileSync(join(customer, 'page.mjs'), "export * from '@civic-records/client';\n");
  const warnings: string[] = [];
  const onLog = (_: string, { message }: { readonly message: string }) => void warnings.push(message);
  const bundle = await rolldown({ cwd: customer, input: 'page.mjs', platform: 'browser', onLog });
  const { output } = await bundle.generate({ format: 'iife', name: 'civic' });
  await bundle.close();
  expect({ files: output.length, warnings, imports: output[0].imports }).toEqual({
    files: 1,
    warnings: [],
    imports: [],
  });
  const browser = { fetch, URL, URLSearchParams, AbortSignal, TextDecoder, setTimeout, clearTimeout };
  const { civic } = runInContext(`${output[0].code}; ({ civic })`, createContext({ ...browser })) as {
    civic: { createCivicClient: typeof createCivicClient };
  };
  const { data } = await civic.createCivicClient({ baseUrl: service.baseUrl }).listPublicSourceStatuses();
  expect(data.length).toBeGreaterThan(0);
});
