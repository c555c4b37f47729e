import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAudit } from '../../queries/accounts/account-lists.ts';
import { ACCOUNT_EVENTS } from '../../domain/events/account-events.ts';
import { audit, auditRow } from '../../projections/audit/projection.ts';
import { ACCOUNT_REPORT_EVENTS } from '../../domain/events/report-events.ts';
import { startFoldedDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';
import { makeInstallation } from '../support/service.ts';
import { createFeed, newFeed, revokeFeed } from '../support/subscription-requests.ts';

let database: TestDatabase;
let served: ServedCivic;

beforeAll(async () => {
  database = await startFoldedDatabase();
  served = await serveCivic(database.url);
});
afterAll(async () => {
  await served?.close();
  await database?.close();
});

test('the writes of a customer are listed with key, request and time, newest last', async () => {
  const account = await served.openAccount();
  const [first, second] = [await served.issueKey(account), await served.issueKey(account)];
  const expected: object[] = [
    { action: 'AccountOpened', subject: account, keyId: null, requestId: null },
    { action: 'KeyIssued', subject: first.keyId, keyId: null, requestId: null },
    { action: 'KeyIssued', subject: second.keyId, keyId: null, requestId: null },
  ];
  const at = () => new Date(served.clock.now()).toISOString();
  for (const entry of expected) Object.assign(entry, { at: at() });
  const wrote = (response: Response, action: string, subject: string, keyId: string) =>
    expected.push({ at: at(), action, subject, keyId, requestId: response.headers.get('x-request-id') });

  served.clock.advance(1_000);
  const snapshot = await served.ask('POST', '/snapshots', first.secret);
  const { data } = (await snapshot.json()) as { data: { snapshotId: string } };
  wrote(snapshot, 'SnapshotTaken', data.snapshotId, first.keyId);
  served.clock.advance(1_000);
  const created = await createFeed(served, second.secret, { name: 'a' });
  const feed = ((await created.json()) as { data: { id: string } }).data.id;
  wrote(created, 'FeedSubscriptionCreated', feed, second.keyId);
  // A request that changes nothing is not a write.
  await createFeed(served, second.secret, { name: 'a' });
  await createFeed(served, second.secret, { name: 'a', resource: 'topics' });
  await revokeFeed(served, first.secret, feed);
  await served.ask('GET', '/changes', first.secret);
  served.clock.advance(1_000);
  wrote(await revokeFeed(served, second.secret, feed), 'FeedSubscriptionRevoked', feed, second.keyId);
  await revokeFeed(served, second.secret, feed);
  await served.command(account, { type: 'RevokeKey', keyId: second.keyId });
  expected.push({ at: at(), action: 'KeyRevoked', subject: second.keyId, keyId: null, requestId: null });

  expect(await listAudit(served.civic.reads, account)).toEqual(expected);
});

test('an account has only its own entries, and an unknown account has none', async () => {
  const [mine, theirs] = [await served.openAccount(), await served.openAccount()];
  const key = await served.issueKey(theirs);
  await newFeed(served, key.secret, 'a');
  await served.ask('POST', '/snapshots', key.secret);
  expect((await listAudit(served.civic.reads, mine)).map(({ action }) => action)).toEqual(['AccountOpened']);
  expect(await listAudit(served.civic.reads, served.civic.identifiers.next())).toEqual([]);
});

test('every event of an account and every receipt of a report is recorded', () => {
  for (const type of [...Object.keys(ACCOUNT_EVENTS), 'SnapshotTaken', 'DataReportSubmitted'])
    expect(audit.handles).toContain(type);
  expect(Object.keys(ACCOUNT_REPORT_EVENTS)).toContain('DataReportSubmitted');
  const [account, report, key] = [1, 2, 3].map(() => served.civic.identifiers.next()) as [string, string, string];
  const stored = {
    position: '7' as never,
    stream: `account_reports-${account}`,
    revision: 0,
    id: report,
    type: 'DataReportSubmitted',
    schemaVersion: 1,
    data: JSON.stringify({ reportId: report, input: { sourceUrl: 'https://example.org/a' } }),
    metadata: JSON.stringify({ commandId: report, accountId: account, keyId: key, requestId: 'r' }),
    time: 5,
  };
  expect(auditRow(stored)).toEqual({
    account_id: account,
    position: '7',
    at: 5,
    action: 'DataReportSubmitted',
    subject: report,
    key_id: key,
    request_id: 'r',
  });
});

test('an entry has the named key as its subject, or the account if the event names none', () => {
  const account = served.civic.identifiers.next();
  const ids = { keyId: 'the key', paymentId: 'the payment' };
  const subjects = Object.entries(ACCOUNT_EVENTS).map(([type, schema]) => {
    const named = Object.keys(schema.shape).find((field) => field.endsWith('Id'));
    const stored = { stream: `account-${account}`, type, data: JSON.stringify(ids), metadata: '{"commandId":"c"}' };
    return {
      type,
      named,
      subject: auditRow({ ...stored, position: '1' as never, revision: 0, id: 'e', schemaVersion: 1, time: 0 }).subject,
    };
  });
  for (const { type, named, subject } of subjects) {
    expect({ type, subject }).toEqual({
      type,
      subject: named === undefined ? account : ids[named as keyof typeof ids],
    });
  }
});

test('the table contains no secret of a key and nothing that leads to one', async () => {
  const account = await served.openAccount();
  const { secret } = await served.issueKey(account);
  await newFeed(served, secret, 'a');
  const text = JSON.stringify(await listAudit(served.civic.reads, account));
  expect(text).not.toContain(secret.slice(4, 30));
  expect(text).not.toMatch(/[0-9a-f]{64}/);
});

test('civic audit prints a table or one JSON value, and reports an unknown account', async () => {
  const installation = makeInstallation('civic-audit-', { DATABASE_URL: database.url });
  const civicAudit = (...args: readonly string[]) => installation.civicHere(['audit', '--account', ...args]);
  try {
    const account = await served.openAccount();
    const key = await served.issueKey(account);
    const response = await served.ask('POST', '/snapshots', key.secret);
    const { snapshotId } = ((await response.json()) as { data: { snapshotId: string } }).data;
    const requestId = response.headers.get('x-request-id');
    const entries = JSON.parse((await civicAudit(account, '--json')).stdout) as { at: string; action: string }[];
    expect(entries.map(({ action }) => action)).toEqual(['AccountOpened', 'KeyIssued', 'SnapshotTaken']);
    const last = { action: 'SnapshotTaken', subject: snapshotId, keyId: key.keyId, requestId };
    expect(entries.at(-1)).toMatchObject(last);
    const plain = (await civicAudit(account)).stdout.trimEnd().split('\n');
    expect(plain[0]!.split(/ +/)).toEqual(['at', 'action', 'subject', 'keyId', 'requestId']);
    expect(plain.at(-1)!.split(/ +/)).toEqual([entries.at(-1)!.at, ...Object.values(last)]);
    const none = await civicAudit('0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11');
    expect([none.exitCode, none.stdout, none.stderr]).toEqual([
      1,
      '',
      'civic: there is no account 0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11\n',
    ]);
  } finally {
    await installation.close();
  }
});
