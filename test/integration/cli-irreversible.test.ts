import { join } from 'node:path';
import { Client } from 'pg';
import { untilTrue } from '../support/until-reached.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOURCES } from '../../src/sources/sources.ts';
import { leaves, programAlone } from '../support/commands.ts';
import { type Installation, MAIN } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { HAS_TERMINAL, inTerminal } from '../support/terminal.ts';
import { readRecording, startReplayServer } from './agendas/replay-server.ts';

const TITLE = 'Agenda for Jane Roe';
const IDS = ['0d0a6c1e-5d0c-4a4f-9a7a-5a4e6c1b2d3f', '1d0a6c1e-5d0c-4a4f-9a7a-5a4e6c1b2d3f'];

let installation: Installation;
let platform: Awaited<ReturnType<typeof startReplayServer>>;
let keyId: string;
let copy: Installation;

async function json<Value>(args: readonly string[], input?: string): Promise<Value> {
  const { exitCode, stdout, stderr } = await installation.civicHere(
    [...args, '--json'],
    input === undefined ? {} : { input },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Value;
}
const backup = () => join(installation.folder, 'whole.gz');

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-irreversible-');
  copy = await makeSharedInstallation('civic-irreversible-copy-');
  platform = await startReplayServer('example', await readRecording('fortworthgov'));
  const service = await installation.start({ sample: 'on' });
  const paid = ['--channel', 'subscription', '--tier', 'pro', '--paid-until', '2099-01-01T00:00:00Z'];
  const { accountId } = await json<{ accountId: string }>(['accounts', 'open', '--name', 'A customer', ...paid]);
  const issued = await json<{ keyId: string; key: string }>([
    'keys',
    'issue',
    '--account',
    accountId,
    '--scope',
    'civic:read',
  ]);
  keyId = issued.keyId;
  // Neither this key nor the one below reads the feed: this one lacks the scope.
  const other = await json<{ accountId: string }>(['accounts', 'open', '--name', 'Another']);
  await json(['keys', 'issue', '--account', other.accountId, '--scope', 'mcp:read']);
  const created = await fetch(`${service.baseUrl}/api/v1/data/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${issued.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'all' }),
  });
  if (created.status !== 201) throw new Error(await created.text());
  const documents = IDS.map((id) => ({
    op: 'upsert',
    resource: 'documents',
    id,
    data: { kind: 'agenda', title: TITLE, url: 'https://example.org/a.pdf' },
  }));
  await json(['records', 'import', '-'], documents.map((change) => `${JSON.stringify(change)}\n`).join(''));
  const place = [
    '--client',
    'example',
    '--jurisdiction',
    'example-city',
    '--name',
    'Example',
    '--time-zone',
    'America/Chicago',
  ];
  await json(['sources', 'add', 'legistar', ...place, '--base-url', platform.baseUrl]);
  await json(['sources', 'sync', 'legistar', '--client', 'example']);
  await json(['projections', 'rebuild', 'record_keys']);
  // Background work of the service would be counted as changes of the commands.
  await service.stop();
  const expiresAt = Date.now() + 6_000;
  const expiring = ['--scope', 'civic:read', '--expires', new Date(expiresAt).toISOString()];
  await json(['keys', 'issue', '--account', accountId, ...expiring]);
  await json(['backup', '--to', backup()]);
  await untilTrue('the key has expired', () => Date.now() > expiresAt);
});
afterAll(async () => {
  await platform.close();
  await installation.close();
  await copy.close();
});

const erase = (...ids: readonly string[]) => [
  'erase',
  'record',
  ...ids,
  '--text',
  'Jane Roe',
  '--with',
  '[x]',
  '--reason',
  'personal_data',
];

/** Each with what it states about this service. */
const COMMANDS: Readonly<Record<string, { readonly args: () => readonly string[]; readonly states: RegExp }>> = {
  'feed renew': {
    args: () => ['feed', 'renew', '--reason', 'a trial'],
    states: /customers of 2 keys and 1 subscription take a new snapshot/,
  },
  'keys revoke': {
    args: () => ['keys', 'revoke', '--key', keyId],
    states: /revokes 1 key and ends its 1 polling subscription; .* has 0 other keys that can be used/,
  },
  'sample remove': { args: () => ['sample', 'remove'], states: /removes 0 sample records from the feed/ },
  'sources remove legistar': {
    args: () => ['sources', 'remove', 'legistar', '--client', 'example', '--records'],
    states: /removes [1-9][\d,]* records of legistar:example/,
  },
  'projections drop': {
    args: () => ['projections', 'drop', 'record_keys'],
    states: /removes 1 generation of record_keys: [1-9] tables? with [1-9][\d,]* folded events/,
  },
  'erase record': { args: () => erase(...IDS), states: /erases 2 texts in 2 events of 2 records/ },
  restore: {
    args: () => ['restore', backup()],
    states: /fills the database with [1-9][\d,]* events of [1-9][\d,]* streams .* lets 4 keys work/,
  },
};

/** Commands that ask in the code of one of the above. */
const LIKE_ANOTHER = [
  'erase report',
  'erase account',
  ...Object.keys(SOURCES)
    .filter((kind) => kind !== 'legistar')
    .map((kind) => `sources remove ${kind}`),
];

async function events(): Promise<number> {
  const client = new Client(installation.environment()['DATABASE_URL']);
  await client.connect();
  const { rowCount } = await client.query('select from civic.events');
  await client.end();
  return rowCount!;
}

describe('a command that cannot be undone', () => {
  test('has --yes, and no other command has it', async () => {
    const asking = leaves(await programAlone()).filter(({ command }) =>
      command.options.some(({ long }) => long === '--yes'),
    );
    expect(asking.map(({ words }) => words.join(' ')).toSorted()).toEqual(
      [...Object.keys(COMMANDS), ...LIKE_ANOTHER].toSorted(),
    );
  });

  test.each(Object.entries(COMMANDS))(
    '%s states in numbers what it will do, and refuses without a terminal and --yes',
    async (_, { args, states }) => {
      const before = await events();
      const { exitCode, stdout, stderr } = await (args()[0] === 'restore' ? copy : installation).civicHere(args());
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^civic: this [^\n]+; it cannot be undone: repeat it with --yes; nothing was changed\n$/);
      expect(stderr).toMatch(states);
      expect(await events()).toBe(before);
    },
  );

  test.skipIf(!HAS_TERMINAL).each([
    ['yes', 0, 'erasures'],
    ['y', 1, 'nothing was changed'],
    ['\u0004', 1, 'nothing was changed'],
  ])('asks on a terminal; the answer %j ends with status %i', async (answer, exitCode, message) => {
    const screen = await inTerminal([process.execPath, MAIN, ...erase(IDS[0]!)], {
      columns: 120,
      cwd: installation.folder,
      env: installation.environment({ TERM: 'xterm' }),
      typed: { after: 'Type yes to continue: ', text: answer === '\u0004' ? answer : `${answer}\n` },
    });
    expect(screen.exitCode).toBe(exitCode);
    expect(screen.screen.join('\n')).toContain('erases 1 text in 1 event of 1 record');
    expect(screen.screen.join('\n')).toContain(message);
    await json(
      ['records', 'import', '-'],
      `${JSON.stringify({ op: 'upsert', resource: 'documents', id: IDS[0], data: { kind: 'agenda', title: TITLE, url: 'https://example.org/a.pdf' } })}\n`,
    );
  });

  test('erase takes several targets, all of which must exist', async () => {
    const missing = await installation.civicHere([...erase(IDS[1]!, '2d0a6c1e-5d0c-4a4f-9a7a-5a4e6c1b2d3f'), '--yes']);
    expect(missing).toMatchObject({
      exitCode: 1,
      stderr: 'civic: there is no record 2d0a6c1e-5d0c-4a4f-9a7a-5a4e6c1b2d3f\n',
    });
    const findStreams = () => json<readonly { stream: string }[]>(['erase', 'find', 'Jane Roe']);
    expect(new Set((await findStreams()).map(({ stream }) => stream)).size).toBe(2);
    expect(await json([...erase(...IDS), '--yes'])).toMatchObject({ remaining: [] });
    expect(await findStreams()).toEqual([]);
  });
});
