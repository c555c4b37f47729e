import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nightlyDescribe } from '../support/nightly-test.ts';
import { withNightly } from '../support/test-runs.ts';
import { createProgram } from '../../src/cli/program.ts';
import { makeKeySecret } from '../../domain/key-secret.ts';
import { leaves, NO_CONTEXT, programAlone } from '../support/commands.ts';
import { leavingNothingOpen } from '../support/left-open.ts';
import { readRecording, startReplayServer, status } from './agendas/replay-server.ts';
import type { Answered, Environment, Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

const COMMANDS = leaves(await programAlone()).map(({ words }) => words);

/** A secret that belongs to no key. */
const SECRET = makeKeySecret(randomBytes);
const ID = '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11';
const CLIENT = ['--client', 'fortworthgov', '--from', new URL('../fixtures/legistar/', import.meta.url).pathname];
const ADDED = [
  '--client',
  'othercity',
  '--jurisdiction',
  'new-york',
  '--name',
  'New York',
  '--time-zone',
  'America/New_York',
];
const EXAMPLE_CITY = ['--jurisdiction', 'example-city', '--name', 'Example City', '--time-zone', 'America/New_York'];
/** A client of each platform that is read in the form of Legistar. */
const LISTED = {
  civicweb: 'example',
  techshare: `example-${ID}`,
  opencities: ID,
  civicclerk: 'example',
  civicplus: 'www.example.gov',
  'civicplus-archive': 'www.example.gov',
  swagit: 'example',
};
/** Options that a platform requires. */
const ownOf = (kind: string): readonly string[] => (kind === 'civicplus-archive' ? ['--amid', '53'] : []);
/** Arguments with which each command succeeds; `ACCOUNT`, `KEY` and `RECORD` stand for ones that exist, `BASE` and `READER` for the service and a key of it. */
const WORKING: Readonly<Record<string, readonly string[]>> = {
  'accounts open': ['--name', 'Another'],
  'accounts period': ['--account', 'ACCOUNT', '--tier', 'ultra', '--paid-until', '2031-01-01T00:00:00Z'],
  'accounts channel': ['--account', 'ACCOUNT', '--channel', 'subscription'],
  'accounts payment': ['--account', 'ACCOUNT', '--at', '2026-01-01T00:00:00Z'],
  'accounts suspend': ['--account', 'ACCOUNT'],
  'accounts resume': ['--account', 'ACCOUNT'],
  'accounts list': [],
  'keys issue': ['--account', 'ACCOUNT', '--scope', 'civic:read', '--label', 'a trial'],
  'keys label': ['--key', 'KEY', '--label', 'nightly export'],
  'keys rotate': ['--key', 'KEY', '--old-valid-for', 'PT24H'],
  'keys list': ['--account', 'ACCOUNT'],
  'keys revoke': ['--key', 'KEY', '--yes'],
  audit: ['--account', 'ACCOUNT'],
  'records import': ['-'],
  'records export': ['--resource', 'public_bodies'],
  'records history': ['RECORD'],
  'cursor explain': ['nothing'],
  doctor: [],
  replicate: ['--base-url', 'BASE', '--key', 'READER', '--to', 'mirror', '--once'],
  'sources sync legistar': CLIENT,
  'sources try legistar': ['--client', 'example', '--base-url', 'PLATFORM'],
  'sources add legistar': ['--client', 'example', ...EXAMPLE_CITY, '--base-url', 'PLATFORM'],
  ...Object.fromEntries(
    Object.entries(LISTED).flatMap(([kind, client]) => [
      [
        `sources sync ${kind}`,
        ['--client', client, '--jurisdiction', 'addison', '--base-url', 'PLATFORM', ...ownOf(kind)],
      ],
      [`sources try ${kind}`, ['--client', client, '--base-url', 'PLATFORM', ...ownOf(kind)]],
      [`sources add ${kind}`, ['--client', client, ...EXAMPLE_CITY, '--base-url', 'PLATFORM', ...ownOf(kind)]],
      [`sources remove ${kind}`, ['--client', client]],
    ]),
  ),
  'sources add registry': ['--place', 'erath-county'],
  'sources probe registry': ['--place', 'erath-county'],
  'sources list': [],
  'sources status': [],
  'sources parse': [new URL('../fixtures/agenda.html', import.meta.url).pathname],
  'sources remove legistar': ['--client', 'example', '--records', '--yes'],
  'projections list': [],
  'projections rebuild': ['subscriptions'],
  'projections verify': ['subscriptions'],
  'reactors list': [],
  'reactors unclassified': [],
  'reports list': [],
  'reports work': ['--once'],
  'reports pause': ['worker'],
  'reports resume': ['worker'],
  'payments list': [],
  'payments wallet': [`0x${'a'.repeat(40)}`, '--bar'],
  backup: ['--to', 'whole.backup.gz'],
  'erase find': ['no such words anywhere'],
  'feed renew': ['--reason', 'a trial', '--yes'],
  'feed keep': [],
  'feed acknowledge': [],
  'sample remove': ['--yes'],
};
/** Their commands differ from those of one platform in the platform alone. */
const OTHER_PLATFORMS = [
  'civicweb',
  'techshare',
  'opencities',
  'civicplus',
  'civicplus-archive',
  'swagit',
] satisfies (keyof typeof LISTED)[];
const isOfOtherPlatform = (words: string): boolean => OTHER_PLATFORMS.some((kind) => words.endsWith(` ${kind}`));
const ANSWERING = withNightly(
  Object.keys(WORKING).filter((words) => !isOfOtherPlatform(words)),
  Object.keys(WORKING).filter(isOfOtherPlatform),
);
/** Commands that cannot succeed in this state of the service; their refusal is checked. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'projections pause': ['record_history'],
  'projections resume': ['record_history'],
  'projections cancel': ['record_history'],
  'projections compare': ['record_history'],
  'projections switch': ['record_history'],
  'projections switch-back': ['everything'],
  'projections drop': ['everything'],
  'projections retry': ['record_history'],
  'projections skip': ['record_history', '--event', ID, '--reason', 'a reason'],
  'reactors retry': ['classification'],
  'payments show': [ID],
  'payments reconcile': [ID, '--failed', 'not on the chain'],
  'log copy': ['--to', 'postgresql'],
  'backup verify': ['nothing.gz'],
  restore: ['nothing.gz'],
  'erase record': [ID, '--text', 'a', '--with', 'b', '--reason', 'other'],
  'erase report': [ID, '--text', 'a', '--with', 'b', '--reason', 'other'],
  'erase account': [ID, '--text', 'a', '--with', 'b', '--reason', 'other'],
  'reports show': [ID],
  'reports lease': [ID, '--holder', 'somebody'],
  'reports move': [ID, '--holder', 'somebody', '--to', 'investigating'],
  'reports note': [ID, '--holder', 'somebody', '--text', 'a note'],
};

let installation: Installation;
let service: Service;
let platform: Awaited<ReturnType<typeof startReplayServer>>;
const at = { ACCOUNT: '', KEY: '', RECORD: '', BASE: '', READER: '', PLATFORM: '' };

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-words-');
  platform = await startReplayServer('example', await readRecording('fortworthgov'));
  at.PLATFORM = platform.baseUrl;
  service = await installation.start({ sample: 'on' });
  const json = async <Value>(args: readonly string[]) => JSON.parse((await civic([...args, '--json'])).stdout) as Value;
  at.ACCOUNT = (await json<{ accountId: string }>(['accounts', 'open', '--name', 'Words'])).accountId;
  at.BASE = service.baseUrl;
  at.READER = await installation.openAccount();
  at.RECORD = (await json<{ id: string }[]>(['records', 'export', '--resource', 'topics']))[0]!.id;
  at.KEY = (await json<{ keyId: string }>(['keys', 'issue', '--account', at.ACCOUNT, '--scope', 'civic:read'])).keyId;
});

afterAll(async () => {
  await service.stop();
  await platform.close();
  await installation.close();
});

/** Runs in this process to save time; a test below compares it with separate processes. */
const civic = (args: readonly string[]): Promise<Answered> =>
  leavingNothingOpen(async () => {
    const answered = await installation.civicHere(args);
    platform.closeIdle();
    return answered;
  });
const resolveArgs = (args: readonly string[]): readonly string[] =>
  args.map((arg) => at[arg as keyof typeof at] ?? arg);

function expectOneLine({ stdout, stderr }: Answered): void {
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^(civic|error): [^\n]{10,600}\n$/);
  expect(stderr).not.toMatch(/\bat \S+ \(|node:internal|Error:/);
}

test('every command is tried here or is the service itself', () => {
  const exercised = new Set([...Object.keys(WORKING), ...Object.keys(REFUSED), 'serve', 'sandbox']);
  expect(COMMANDS.map((words) => words.join(' ')).filter((words) => !exercised.has(words))).toEqual([]);
});

describe('help', () => {
  test.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
    '`civic %s --help` says how it is used',
    async (_, words) => {
      const output = { stdout: '', stderr: '' };
      const listening = (name: keyof typeof output) =>
        ({ write: (text: string) => (output[name] += text) }) as unknown as NodeJS.WriteStream;
      const program = await createProgram({ ...NO_CONTEXT, stdout: listening('stdout'), stderr: listening('stderr') });
      await expect(program.parseAsync([...words, '--help'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
      expect(output.stderr).toBe('');
      expect(output.stdout).toContain(`Usage: civic ${words.join(' ')}`);
    },
  );

  test('lists every command; a call without a command prints the list as an error', async () => {
    expect((await civic(['--help'])).stdout).toContain('projections');
    const nothing = await civic([]);
    expect(nothing.exitCode).toBe(2);
    expect(nothing.stderr).toContain('Usage: civic');
  });
});

test('`--base-url` of CivicClerk can be a host without a path', async () => {
  const { origin } = new URL(at.PLATFORM);
  const answer = await civic(['sources', 'try', 'civicclerk', '--client', 'example', '--base-url', origin, '--json']);
  expect(JSON.parse(answer.stdout)).toMatchObject({ meetings: [{}], failure: null });
});

describe('--json', () => {
  test.each(ANSWERING)('`civic %s --json` prints one JSON value and nothing else', async (words) => {
    const answer = await civic([...words.split(' '), ...resolveArgs(WORKING[words]!), '--json']);
    expect({ exitCode: answer.exitCode, stderr: answer.stderr }).toEqual({ exitCode: 0, stderr: '' });
    const value: unknown = JSON.parse(answer.stdout);
    expect(typeof value).toBe('object');
  });

  test.each(Object.keys(REFUSED))(
    '`civic %s --json` that is refused prints no output and one line of reason',
    async (words) => {
      const answer = await civic([...words.split(' '), ...resolveArgs(REFUSED[words]!), '--json']);
      expect(answer.exitCode).toBe(REFUSED[words]!.includes('everything') ? 2 : 1);
      expectOneLine(answer);
    },
  );
});

describe('a sync that fails in part', () => {
  const sync = (...more: string[]) =>
    civic([
      ...['sources', 'sync', 'legistar', '--client', 'example', '--jurisdiction', 'addison', '--base-url', at.PLATFORM],
      ...more,
    ]);
  const removeEvents = (ids: readonly number[]) => {
    platform.faultsByPath.clear();
    for (const id of ids) platform.faultsByPath.set(`/v1/example/events/${id}/eventitems`, status(403));
  };

  test('ends with status 1 and the number of events that failed', async () => {
    removeEvents([9001, 9002, 9003, 9006]);
    const answer = await sync();
    expect(answer.exitCode).toBe(1);
    expect(answer.stdout).toContain('skipped event 9001: could not be read');
    expect(answer.stderr).toMatch(
      /^civic: 4 of 6 events of example failed; the first one could not be read: [^\n]*status 403\n$/,
    );
    removeEvents([9001]);
    const json = await sync('--json');
    expect(json.exitCode).toBe(1);
    expect(json.stderr).toMatch(
      /^civic: 1 of 6 events of example failed; the first one could not be read: [^\n]*status 403\n$/,
    );
    expect(JSON.parse(json.stdout)).toMatchObject({ failedEvents: 1, failure: null });
    removeEvents([]);
    expect(await sync()).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('a client that needs a token', () => {
  const sync = (env: Environment, ...more: string[]) =>
    installation.civicHere(
      [
        ...[
          'sources',
          'sync',
          'legistar',
          '--client',
          'example',
          '--jurisdiction',
          'addison',
          '--base-url',
          at.PLATFORM,
        ],
        ...more,
      ],
      { env: { CIVIC_LOG_LEVEL: 'trace', ...env } },
    );

  test('has it from the setting, and no output shows it', async () => {
    const bodies = '/v1/example/bodies';
    platform.faultsByPath.clear();
    platform.requests.length = 0;
    const tokens = 'legistar:other=s3cret-other,example=s3cret';
    const answers = [
      await sync({ CIVIC_SOURCE_TOKENS: tokens }),
      await sync({ CIVIC_SOURCE_TOKENS: tokens }, '--json'),
    ];
    expect(answers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(platform.requests.filter((path) => !path.endsWith('token=s3cret'))).toEqual([]);
    platform.faultsByPath.set(bodies, status(403));
    const refused = await sync({ CIVIC_SOURCE_TOKENS: tokens });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the token was refused') as string });
    expect((await sync({})).stderr).toContain(
      'this client needs a token: set it in CIVIC_SOURCE_TOKENS (legistar:example=TOKEN)',
    );
    const report = await installation.civicHere(['doctor', '--json'], { env: { CIVIC_SOURCE_TOKENS: tokens } });
    for (const { stdout, stderr } of [...answers, refused, report]) expect(stdout + stderr).not.toContain('s3cret');
    platform.faultsByPath.clear();
  });
});

describe('mistakes', () => {
  test.each([
    ['an unknown command', ['nonsense'], 2, 'nonsense'],
    ['an unknown option', ['records', 'export', '--wrong'], 2, '--wrong'],
    ['a missing option', ['accounts', 'open'], 2, '--name'],
    ['a missing argument', ['records', 'import'], 2, 'file'],
    ['a role that there is none of', ['serve', '--role', 'cook'], 2, 'projector'],
    ['an account that is no uuid', ['accounts', 'suspend', '--account', 'x'], 2, 'a uuid'],
    ['an account that nobody opened', ['accounts', 'suspend', '--account', ID], 1, 'account'],
    ['a scope that there is none of', ['keys', 'issue', '--account', ID, '--scope', 'civic:write'], 2, 'civic:read'],
    ['a time that is none', ['accounts', 'payment', '--account', ID, '--at', 'today'], 2, 'ISO 8601'],
    ['a tier that there is none of', ['accounts', 'open', '--name', 'N', '--tier', 'gold'], 2, 'ultra'],
    [
      'a time that is past',
      ['keys', 'issue', '--account', ID, '--scope', 'civic:read', '--expires', '2020-01-01T00:00:00Z'],
      2,
      'a time in the future',
    ],
    ['the keys of an account that nobody opened', ['keys', 'list', '--account', ID], 1, 'there is no account'],
    ['a label that holds a key', ['keys', 'label', '--key', ID, '--label', SECRET], 2, 'the text contains an API key'],
    [
      'a rotation beyond the allowed time',
      ['keys', 'rotate', '--key', ID, '--old-valid-for', 'P1Y'],
      2,
      'P90D at most',
    ],
    ['a key that nobody issued', ['keys', 'revoke', '--key', ID], 1, ID],
    ['a read model that there is none of', ['projections', 'rebuild', 'everything'], 2, 'record_history'],
    ['a backup to no place', ['backup'], 2, '--to FILE'],
    ['a resource that there is none of', ['records', 'export', '--resource', 'laws'], 2, 'agenda_items'],
    ['a record that there never was', ['records', 'history', ID], 1, ID],
    ['a record id that is no uuid', ['records', 'history', 'x'], 2, 'a uuid'],
    ['a mirror without a key', ['replicate', '--base-url', 'http://127.0.0.1:1', '--to', 'x'], 2, '--key-file'],
    [
      'a mirror of a resource that there is none of',
      ['replicate', '--base-url', 'u', '--key', 'k', '--to', 'x', '--resource', 'laws'],
      2,
      'agenda_items',
    ],
    ['a cursor that is none', ['records', 'export', '--at', 'here'], 1, 'cursor'],
    ['a client without a place', ['sources', 'sync', 'legistar', '--client', 'othercity'], 2, '--jurisdiction'],
    [
      'two sources at once',
      ['sources', 'sync', 'legistar', ...CLIENT, '--base-url', 'http://127.0.0.1:1/v1'],
      2,
      'not both',
    ],
    [
      'a place that cannot be a slug',
      ['sources', 'add', 'legistar', ...ADDED, '--jurisdiction', 'New York'],
      2,
      'lower-case letters',
    ],
    [
      'a time zone that there is none of',
      ['sources', 'add', 'legistar', ...ADDED, '--time-zone', 'Eastern'],
      2,
      'America/New_York',
    ],
    [
      'a client name that is none',
      ['sources', 'add', 'legistar', ...ADDED, '--client', 'NYC'],
      2,
      'lower-case letters',
    ],
    [
      'a place of the catalogue under another name',
      ['sources', 'add', 'legistar', ...ADDED, '--jurisdiction', 'addison'],
      2,
      '"Addison"',
    ],
    [
      'a shipped client elsewhere',
      ['sources', 'add', 'legistar', ...ADDED, '--client', 'cityofdallas'],
      2,
      'belongs to dallas',
    ],
    [
      'an address with a password',
      ['sources', 'add', 'legistar', ...ADDED, '--base-url', 'https://a:b@example.org/v1'],
      2,
      'without user',
    ],
    ['a source that was never added', ['sources', 'remove', 'legistar', '--client', 'othercity'], 1, 'sources list'],
    ['a date that is none', ['sources', 'sync', 'legistar', ...CLIENT, '--since', 'yesterday'], 2, 'YYYY-MM-DD'],
  ] as const)('%s is one line that names the allowed values', async (_, args, exitCode, message) => {
    const answer = await civic(args);
    expect(answer.exitCode).toBe(exitCode);
    expectOneLine(answer);
    expect(answer.stderr).toContain(message);
  });
});

nightlyDescribe('a separate process', () => {
  test.each([
    ['an answer', ['keys', 'list', '--account', 'ACCOUNT', '--json']],
    ['an answer for a person', ['accounts', 'list']],
    ['a warning beside the answer', ['reports', 'list'], { CIVIC_HTTP_PROT: '1' }],
    ['an answer without a database', ['payments', 'wallet', `0x${'a'.repeat(40)}`, '--bar', '--json']],
    ['a refusal', ['reports', 'show', ID, '--json']],
    ['a refusal that needs nothing opened', ['restore', 'nothing.gz']],
    ['a misuse', ['records', 'export', '--wrong']],
    ['no command at all', []],
  ] as const)('answers like this process: %s', async (_, args, env: Environment = {}) => {
    const withoutTimes = (answer: Answered): Answered => ({
      ...answer,
      stderr: answer.stderr.replaceAll(/"time":\d+/g, ''),
    });
    const here = await installation.civicHere(resolveArgs(args), { env });
    expect(withoutTimes(here)).toEqual(withoutTimes(await installation.civic(resolveArgs(args), { env })));
  });
});
