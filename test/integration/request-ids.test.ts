import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOG_START, type StoredEvent } from '../../domain/ports/event-log.ts';
import { WHOLE_MISSING_RECORD } from '../support/missing-record.ts';
import { MANY_CLIENTS, submitReport } from '../support/report-requests.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';
import { createFeed, feedOf, revokeFeed } from '../support/subscription-requests.ts';
import { askTools, currentRequest } from '../support/tool-requests.ts';

let served: ServedCivic;
let account: string;
let key: IssuedKey;

beforeAll(async () => {
  served = await serveNewCivic(MANY_CLIENTS);
  account = await served.openAccount();
  key = await served.issueKey(account, { scopes: ['civic:read', 'civic:export', 'mcp:read'] });
});
afterAll(async () => served?.close());

/** The events that were appended during the call, and the request id of its answer. */
async function caused(ask: () => Promise<unknown>): Promise<readonly Pick<StoredEvent, 'type' | 'metadata'>[]> {
  const after = await served.civic.log.head();
  await ask();
  return (await served.civic.log.readAll({ after, limit: 100 })).events;
}
const metadataOf = ({ metadata }: Pick<StoredEvent, 'metadata'>) => JSON.parse(metadata) as Record<string, unknown>;

test('every event of a request, over HTTP or by a tool, has the id of its answer, its account and key', async () => {
  let subscription = '';
  let id: string | null | undefined;
  const over = (answered: () => Promise<Response>) => async () => {
    const answer = await answered();
    id = answer.headers.get('x-request-id');
    const text = await answer.text();
    expect([answer.status < 300, text]).toEqual([true, text]);
  };
  const commands: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['SnapshotTaken', over(() => served.ask('POST', '/snapshots', key.secret))],
    [
      'FeedSubscriptionCreated',
      async () => {
        const answer = await createFeed(served, key.secret, { name: 'a feed' });
        id = answer.headers.get('x-request-id');
        subscription = (await feedOf(answer)).id;
      },
    ],
    ['FeedSubscriptionRevoked', over(() => revokeFeed(served, key.secret, subscription))],
    ['DataReportSubmitted', over(() => submitReport(served, key.secret, 'over-http', WHOLE_MISSING_RECORD))],
    [
      'DataReportSubmitted',
      async () => {
        const call = {
          name: 'report_missing_data',
          arguments: { ...WHOLE_MISSING_RECORD, idempotencyToken: 'by-a-tool' },
        };
        const answer = await askTools({
          url: served.baseUrl,
          key: key.secret,
          ...currentRequest('tools/call', { params: call }),
        });
        id = answer.headers['x-request-id'] as string | undefined;
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('reportId')]);
      },
    ],
  ];
  const ids = new Set<unknown>();
  for (const [type, ask] of commands) {
    const events = await caused(ask);
    expect(events.map((event) => event.type)).toEqual([type]);
    expect([type, metadataOf(events[0]!)]).toEqual([
      type,
      expect.objectContaining({ accountId: account, keyId: key.keyId, requestId: id }) as unknown,
    ]);
    expect(id).toMatch(/-\d+$/);
    ids.add(id);
  }
  expect(ids.size).toBe(commands.length);
});

test('every answer has an id of its own in any outcome, and never one of the caller', async () => {
  const idHeaders = { 'x-request-id': 'mine', 'request-id': 'mine' };
  const requests: readonly (readonly [string, RequestInit, number])[] = [
    ['/api/v1/data/health', { headers: { ...idHeaders, authorization: `Bearer ${key.secret}` } }, 200],
    ['/api/v1/data/health', { headers: idHeaders }, 401],
    ['/api/v1/data/changes?limit=x', { headers: { ...idHeaders, authorization: `Bearer ${key.secret}` } }, 400],
    ['/api/v1/public/coverage', { headers: idHeaders }, 200],
    ['/nothing/here', { headers: idHeaders }, 404],
    ['/api/v1/data/health', { method: 'DELETE', headers: idHeaders }, 405],
    ['/api/v1/mcp', { method: 'POST', headers: idHeaders, body: '{}' }, 401],
  ];
  const ids: (string | null)[] = [];
  for (const [path, init, status] of requests) {
    const answer = await fetch(`${served.baseUrl}${path}`, init);
    await answer.text();
    expect([path, answer.status]).toEqual([path, status]);
    ids.push(answer.headers.get('x-request-id'));
  }
  expect(ids.filter((each) => each === null || !/^[0-9a-f-]{36}-\d+$/.test(each))).toEqual([]);
  expect(new Set(ids).size).toBe(requests.length);
  expect(
    (await served.civic.log.readAll({ after: LOG_START, limit: 1_000 })).events.every(
      ({ metadata }) => !metadata.includes('"mine"'),
    ),
  ).toBe(true);
});
