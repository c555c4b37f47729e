import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DataReport } from '../../contract/data-report.ts';
import type { Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

let installation: Installation;
let service: Service;
let key: string;

/** The service without its worker; the test moves reports by commands. */
beforeAll(async () => {
  installation = await makeSharedInstallation('civic-cli-reports-');
  service = await installation.start({ sample: 'on' });
  expectDone(await civic('pause', 'worker', '--by', 'ann', '--reason', 'a trial'));
});
/** A separate account: an account may send five reports a minute. */
beforeEach(async () => {
  key = await installation.openAccount();
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
});

const civic = (...args: readonly string[]) => installation.civicHere(['reports', ...args]);
function expectDone({ exitCode, stderr }: { exitCode: number | null; stderr: string }): void {
  if (exitCode !== 0) throw new Error(`exit status ${exitCode}: ${stderr}`);
}
async function json<Value>(...args: readonly string[]): Promise<Value> {
  const answer = await civic(...args, '--json');
  expectDone(answer);
  return JSON.parse(answer.stdout) as Value;
}
async function refusedWith(status: number, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await civic(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: status, stdout: '' });
  return stderr.replace(/^civic: /, '').trim();
}
const refusal = (...args: readonly string[]): Promise<string> => refusedWith(1, args);
const misuse = (...args: readonly string[]): Promise<string> => refusedWith(2, args);
let submissions = 0;
async function submit(more: object = {}): Promise<string> {
  submissions += 1;
  const answer = await fetch(`${service.baseUrl}/api/v1/data-reports`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `cli-${submissions}`,
    },
    body: JSON.stringify({
      sourceUrl: `https://example.org/${submissions}`,
      expectedRecord: `Record ${submissions}`,
      ...more,
    }),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { data: { reportId: string } }).data.reportId;
}
const readReport = async (reportId: string): Promise<DataReport> =>
  ((await (await service.fetch(`/api/v1/data-reports/${reportId}`, { key })).json()) as { data: DataReport }).data;

test('an investigator takes a report from receipt to closing, and the customer sees each step', async () => {
  const id = await submit({ jurisdictionSlug: 'dallas' });
  expect(await refusal('lease', id, '--holder', 'ann')).toMatch(/^worker_paused: /);
  expect(await refusal('work', '--once')).toMatch(/^worker_paused: /);
  const lease = await json<{ token: number; status: string }>('lease', id, '--holder', 'ann', '--while-paused');
  expect(lease).toMatchObject({ token: 1, status: 'received' });
  expect(await refusal('lease', id, '--holder', 'bob', '--while-paused')).toMatch(
    /^lease_conflict: ann has leased the report until /,
  );
  expect(await refusal('move', id, '--holder', 'bob', '--to', 'investigating')).toMatch(
    /^lease_conflict: ann has the lease/,
  );
  expect(await refusal('move', id, '--holder', 'ann', '--token', '2', '--to', 'investigating')).toMatch(
    /^lease_conflict: /,
  );
  expect(await refusal('move', id, '--holder', 'ann', '--to', 'resolved')).toMatch(
    /^invalid_transition: a report moves from received to /,
  );

  expect(await json('move', id, '--holder', 'ann', '--to', 'investigating')).toMatchObject({ status: 'investigating' });
  expect(await refusal('move', id, '--holder', 'ann', '--to', 'gap_confirmed', '--revision', '0')).toMatch(
    /^state_conflict: /,
  );
  await json('note', id, '--holder', 'ann', '--text', 'asked the clerk');
  const gap = [
    '--to',
    'gap_confirmed',
    '--reason',
    'connector_failure',
    '--finding',
    'The page lists it.',
    '--next-action',
    'We take it over.',
  ];
  await json('move', id, '--holder', 'ann', ...gap, '--next-check', '2099-01-01T00:00:00Z');
  expect(await readReport(id)).toMatchObject({
    status: 'gap_confirmed',
    reasonCode: 'connector_failure',
    finding: 'The page lists it.',
    nextAction: 'We take it over.',
    nextCheckAt: '2099-01-01T00:00:00.000Z',
    verifiedRecords: [],
  });
  expect(await refusal('move', id, '--holder', 'ann', '--to', 'resolved', '--finding', 'Done.')).toMatch(
    /^resolution_incomplete: /,
  );
  expect(
    await refusal('move', id, '--holder', 'ann', '--to', 'resolved', '--finding', 'Done.', '--record', id),
  ).toContain('is no meeting');
  const exported = await installation.civicHere(['records', 'export', '--resource', 'agenda_items']);
  const item = JSON.parse(exported.stdout.split('\n')[0]!) as {
    id: string;
    data: { title: string; sourceUrl: string };
  };
  await json('move', id, '--holder', 'ann', '--to', 'resolved', '--finding', 'Published now.', '--record', item.id);
  const closed = await readReport(id);
  expect(closed).toMatchObject({
    status: 'resolved',
    finding: 'Published now.',
    verifiedRecords: [{ itemId: item.id, sourceUrl: item.data.sourceUrl, title: item.data.title }],
  });
  expect(closed.closedAt).toBe(closed.updatedAt);
  expect(closed).not.toHaveProperty('nextCheckAt');
  expect(await refusal('lease', id, '--holder', 'ann', '--while-paused')).toMatch(
    /^invalid_transition: the report is closed as resolved/,
  );

  const { history } = await json<{ history: { what: string; by: string | null }[] }>('show', id);
  expect(history.map(({ what, by }) => `${what} ${by ?? ''}`.trim())).toEqual([
    'received',
    'leased ann (lease 1)',
    'received -> investigating ann (lease 1)',
    'noted ann (lease 1)',
    'investigating -> gap_confirmed ann (lease 1)',
    'gap_confirmed -> resolved ann (lease 1)',
  ]);
  const output = (await civic('show', id)).stdout;
  for (const text of ['asked the clerk', 'finding: Published now.', `record: ${item.id}`, 'expectedRecord', 'dallas'])
    expect(output).toContain(text);
});

test('reports are listed by status, place, age, holder and account, as a plain table or as JSON', async () => {
  const [mine, other] = [await submit({ jurisdictionSlug: 'fort-worth' }), await submit()];
  await json('lease', mine, '--holder', 'carl', '--while-paused', '--for', 'PT5M');
  const ids = async (...args: readonly string[]) =>
    (await json<{ reportId: string }[]>('list', ...args)).map(({ reportId }) => reportId);
  expect(await ids()).toEqual([mine, other]);
  expect(await ids('--jurisdiction', 'fort-worth')).toEqual([mine]);
  expect(await ids('--holder', 'carl')).toEqual([mine]);
  expect(await ids('--holder', 'nobody')).toEqual([]);
  expect(await ids('--status', 'received, investigating')).toEqual([mine, other]);
  expect(await ids('--status', 'resolved')).toHaveLength(1);
  expect(await ids('--all')).toHaveLength(3);
  expect(await ids('--limit', '1')).toEqual([mine]);
  expect(await ids('--older-than', 'P1D')).toEqual([]);
  const [{ accountId } = { accountId: '' }] = await json<{ accountId: string }[]>('list');
  expect(await ids('--account', accountId)).toEqual([mine, other]);
  expect(await ids('--account', mine)).toEqual([]);
  const [heading, ...rows] = (await civic('list')).stdout.trim().split('\n');
  expect(heading).toMatch(/^reportId +accountId +status +/);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain('carl');
  for (const bad of [
    ['--status', 'lost'],
    ['--older-than', 'soon'],
    ['--limit', '0'],
    ['--account', 'x'],
  ]) {
    expect(await misuse('list', ...bad)).toContain('allowed is');
  }
});

test('the text of a customer neither controls the terminal nor looks like lines of the history', async () => {
  const forged = '2026-01-01T00:00:00.000Z  investigating -> resolved  by ann (lease 9)';
  const hostile = `Evil \u001b[2J \u009b31m \u202egnol \u2028 \ud83d\ude00\n${forged}`;
  const id = await submit({
    expectedRecord: hostile,
    queryContext: { surface: { kind: 'mcp', tool: 'search_agenda' }, searchTerms: '\u009b2J' },
  });
  const [listed, details] = [(await civic('list')).stdout, (await civic('show', id)).stdout];
  for (const text of [listed, details]) {
    expect(text).toContain('Evil \\u001b[2J \\u009b31m \\u202egnol');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(text.split('\n').filter((line) => line.startsWith(forged))).toEqual([]);
  }
  expect(details).toContain(`\u{1f600}\\n${forged}`);
  expect(details).toMatch(/^verifiedRecords +-$/m);
  expect((await json<{ input: { expectedRecord: string } }>('show', id)).input.expectedRecord).toBe(hostile);
  expectDone(await civic('lease', id, '--holder', 'dora', '--while-paused'));
  expectDone(await civic('note', id, '--holder', 'dora', '--text', `\u001b]0;title\u0007\n${forged}`));
  expect((await civic('show', id)).stdout).toContain(`    \\u001b]0;title\\u0007\n    ${forged}\n`);
});

test('text that could not be read back is refused and changes nothing', async () => {
  const id = await submit();
  const tooLong = 'x'.repeat(501);
  expect(await refusal('pause', 'intake', '--reason', tooLong)).toMatch(/^invalid_input: reason: [^\n]+$/);
  expect(await refusal('resume', 'worker', '--reason', '')).toMatch(/^invalid_input: reason: [^\n]+$/);
  await submit();
  for (const bad of ['P10000Y', 'P31D']) {
    expect(await misuse('lease', id, '--holder', 'ann', '--while-paused', '--for', bad)).toContain('P30D at most');
  }
  expect(await json('lease', id, '--holder', 'bob', '--while-paused', '--for', 'PT1M0.0005S')).toMatchObject({
    token: 1,
  });
  const toCome = 'allowed is an ISO 8601 time that is to come';
  expect(
    await misuse('note', id, '--holder', 'bob', '--text', 'x', '--next-check', '9999-12-31T23:59:59-12:00'),
  ).toContain(toCome);
  expect(
    await misuse('move', id, '--holder', 'bob', '--to', 'investigating', '--next-check', '2020-01-01T00:00:00Z'),
  ).toContain(toCome);
  expect(await json('move', id, '--holder', ' bob ', '--to', 'investigating')).toMatchObject({
    status: 'investigating',
  });
  expect(await json('list', '--holder', ' bob ')).toMatchObject([{ reportId: id }]);
});

test('the worker of the service works once it is resumed, and a paused intake refuses reports', async () => {
  expect(await json('resume', 'worker')).toEqual({ intake: 'running', worker: 'running' });
  expect(await json<{ stopped: null }>('work', '--once')).toMatchObject({ stopped: null, failed: [] });
  expect(await json('pause', 'intake')).toEqual({ intake: 'paused', worker: 'running' });
  const refused = await fetch(`${service.baseUrl}/api/v1/data-reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'cli-paused' },
    body: JSON.stringify({ sourceUrl: 'https://example.org/x', expectedRecord: 'A record' }),
  });
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'intake_paused' } }]);
  expect(await json('resume', 'intake')).toEqual({ intake: 'running', worker: 'running' });
  expect(await misuse('pause', 'everything')).toContain('intake or worker');
});
