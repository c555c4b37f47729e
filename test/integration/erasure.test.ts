import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withNightly } from '../support/test-runs.ts';
import { addDigest, canonicalJson, digestText, recordDigest } from '../../domain/digests.ts';
import { untilTrue } from '../support/civic.ts';
import { recordId } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { catchUp, FeedMirror } from '../support/feed-mirror.ts';
import { bodyOf } from '../support/feed-reader.ts';
import { type KurrentPeer, startKurrentPeer } from '../support/kurrent-peer.ts';
import { MISSING_RECORD } from '../support/missing-record.ts';
import { newReport } from '../support/report-requests.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { askTools, currentRequest } from '../support/tool-requests.ts';
import { tablesWith, wholeDatabase } from '../support/whole-database.ts';

/** Two words that occur nowhere else, also used to query a search index. */
const NAME = 'Zebulona Quixworth';
const WORDS = ['zebulona', 'quixworth'];
const REPLACED = '[removed]';
const ERASE = ['--with', REPLACED, '--reason', 'personal_data'];

interface FoundStream {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly pointers: readonly string[];
  readonly erasable: boolean;
}
interface Page {
  readonly data: { readonly items: readonly ({ readonly id: string } & Record<string, unknown>)[] };
  readonly meta: { readonly nextCursor: string | null; readonly hasMore: boolean; readonly digest?: string };
}
interface Snapshot {
  readonly snapshotId: string;
  readonly digests: Readonly<Record<string, string>>;
}

const STORES = withNightly(['PostgreSQL'] as const, ['KurrentDB'] as const);

describe.each(STORES)('with the log on %s', (store) => {
  let database: TestDatabase;
  let peer: KurrentPeer | undefined;
  let installation: Installation;
  let service: Service;
  let key: string;
  let accountId: string;
  let itemId: string;

  beforeAll(async () => {
    database = await startTestDatabase();
    peer = store === 'KurrentDB' ? await startKurrentPeer() : undefined;
    const settings = {
      DATABASE_URL: database.url,
      CIVIC_REPORT_CLIENT_LIMIT: '1000000/60',
      ...(peer === undefined ? {} : { EVENTSTORE_URL: peer.url }),
    };
    installation = makeInstallation('civic-erasure-', settings);
    service = await installation.start({ sample: 'on' });
    const paid = ['--channel', 'subscription', '--tier', 'pro', '--paid-until', '2099-01-01T00:00:00Z'];
    accountId = (await json<{ accountId: string }>('accounts', 'open', '--name', `Office of ${NAME}`, ...paid))
      .accountId;
    key = (
      await json<{ key: string }>(
        'keys',
        'issue',
        '--account',
        accountId,
        '--scope',
        'civic:read,civic:export,mcp:read',
      )
    ).key;
    if (peer === undefined) await json('reports', 'pause', 'worker');
    itemId = (await json<{ id: string }[]>('records', 'export', '--resource', 'agenda_items'))[0]!.id;
  });

  afterAll(async () => {
    await service?.stop();
    await installation?.close();
    await peer?.stop();
    await database?.close();
  });

  const json = async <Value>(...args: string[]): Promise<Value> => {
    const { exitCode, stdout, stderr } = await installation.civicHere([...args, '--json']);
    expect({ exitCode, stderr, args }).toEqual({ exitCode: 0, stderr: '', args });
    return JSON.parse(stdout) as Value;
  };
  const importing = async (...lines: object[]): Promise<void> => {
    const input = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    const { exitCode, stderr, stdout } = await installation.civicHere(['records', 'import', '-', '--json'], { input });
    expect({ exitCode, stderr, appended: (JSON.parse(stdout) as { appended: number }).appended }).toEqual({
      exitCode: 0,
      stderr: '',
      appended: lines.length,
    });
  };
  const item = async () => {
    const lines = await json<{ id: string; data: Record<string, unknown> }[]>(
      'records',
      'export',
      '--resource',
      'agenda_items',
    );
    const {
      id: _id,
      createdAt: _createdAt,
      updatedAt: _updatedAt,
      ...content
    } = lines.find(({ id }) => id === itemId)!.data;
    return content;
  };
  const document = (title: string) => ({
    op: 'upsert',
    resource: 'documents',
    id: recordId('documents', 1),
    data: { meetingId: null, agendaItemId: null, kind: 'other', title, url: 'https://example.org/d' },
  });
  const ask = (path: string, options?: { readonly method?: string }) => service.fetch(path, { ...options, key });
  const findName = (): Promise<FoundStream[]> => json('erase', 'find', NAME);
  const take = async (): Promise<Snapshot> =>
    (await bodyOf<{ data: Snapshot }>(await ask('/api/v1/data/snapshots', { method: 'POST' }))).data;
  const pageOf = (snapshot: string, resource: string, query: string) =>
    ask(`/api/v1/data/snapshots/${snapshot}/${resource}?${query}`);
  const sumOf = (resource: string, items: Page['data']['items']): string =>
    digestText(items.reduce((sum, data) => addDigest(sum, recordDigest(resource, data.id, canonicalJson(data))), 0n));
  const whole = () => wholeDatabase(database.url);
  const headDigests = async () =>
    (
      await bodyOf<{ data: { pipeline: { head: { digests: Record<string, string> } } } }>(
        await ask('/api/v1/data/health'),
      )
    ).data.pipeline.head.digests;
  const tool = async (name: string, input: object): Promise<string> =>
    (
      await askTools({
        url: service.baseUrl,
        key,
        ...currentRequest('tools/call', { params: { name, arguments: input } }),
      })
    ).text;
  const search = (query: string) => tool('search_agenda', { query });
  const asText = async (path: string, requests?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = requests === undefined ? {} : { method: 'POST', body: JSON.stringify(requests) };
    const answer = await fetch(`${service.baseUrl}${path}`, { headers, ...body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const command = async (...args: string[]) => JSON.stringify(await json(...args));
  /** The texts as customers, agents and operators see them. */
  const answersFor = async (reportId: string): Promise<Readonly<Record<string, string>>> => ({
    batch: await asText('/api/v1/data/batch', { requests: [{ resource: 'agenda_items', ids: [itemId] }] }),
    'an item': await tool('get_agenda_item', { itemId }),
    subscriptions: await asText('/api/v1/data/subscriptions'),
    'public hits': await asText('/api/v1/public/agenda-hits'),
    history: await command('records', 'history', itemId),
    'a report, to operators': await command('reports', 'show', reportId),
    accounts: await command('accounts', 'list'),
    export: await command('records', 'export', '--resource', 'agenda_items'),
    audit: await command('audit', '--account', accountId),
  });
  /** None of the sample's public hits belongs to the item, and the audit contains only ids. */
  const WITHOUT = ['public hits', 'audit'];

  test('an erased name is in no table, event, answer or file, and every check passes', async () => {
    const before = await item();
    const upsert = { op: 'upsert', resource: 'agenda_items', id: itemId };
    await importing(
      { ...upsert, data: { ...before, title: `${String(before['title'])} asked by ${NAME}` } },
      {
        ...upsert,
        data: {
          ...before,
          title: `${NAME} asks`,
          text: `As ${NAME} said: "${NAME}" is a name.`,
          actions: [{ text: `Moved by ${NAME}`, outcome: null }],
          votes: { mover: NAME, seconder: null, tally: null, members: [{ name: NAME, vote: 'Aye' }] },
        },
      },
      document(`A letter of ${NAME}`),
      document(`Letters of ${NAME}`),
      { op: 'remove', resource: 'documents', id: recordId('documents', 1), reason: `withdrawn for ${NAME}` },
    );
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: `Feed of ${NAME}` });
    expect(
      (await fetch(`${service.baseUrl}/api/v1/data/subscriptions`, { method: 'POST', headers, body })).status,
    ).toBe(201);
    const report =
      peer === undefined
        ? await newReport(service, key, 'a-token', { ...MISSING_RECORD, expectedRecord: `What ${NAME} wrote` })
        : undefined;
    if (report !== undefined) {
      await json('reports', 'lease', report.reportId, '--holder', 'somebody', '--while-paused');
      await json('reports', 'note', report.reportId, '--holder', 'somebody', '--text', `${NAME} called`);
    }
    const snapshot = await take();
    const early = await bodyOf<Page>(await pageOf(snapshot.snapshotId, 'agenda_items', 'limit=1'));
    const follower = new FeedMirror();
    await catchUp(follower, ask, () => 100);
    expect(JSON.stringify(follower.changes)).toContain(NAME);
    expect(await search('Quixworth')).toContain(itemId);
    expect(tablesWith(await whole(), 'quixworth').length).toBeGreaterThan(peer === undefined ? 7 : 5);

    const shows = report === undefined ? {} : await answersFor(report.reportId);
    for (const [where, text] of Object.entries(shows)) {
      expect([where, text.includes('Quixworth')]).toEqual([where, !WITHOUT.includes(where)]);
    }
    const all = await findName();
    expect(new Set(all.map(({ type }) => type))).toEqual(
      new Set([
        ...['AccountOpened', 'RecordPublished', 'RecordWithdrawn', 'FeedSubscriptionCreated'],
        ...(report === undefined ? [] : ['DataReportSubmitted', 'DataReportNoted']),
      ]),
    );
    expect(all.every(({ erasable }) => erasable)).toBe(true);
    expect(JSON.stringify(all)).not.toContain('said');

    if (peer === undefined) {
      const dry = await json<{ events: unknown[]; erasures: unknown[] }>(
        'erase',
        'record',
        itemId,
        '--text',
        NAME,
        ...ERASE,
        '--dry-run',
      );
      expect(dry.events.length).toBeGreaterThan(1);
      expect(await findName()).toEqual(all);
    }

    const records = new Set(
      all.filter(({ type }) => type.startsWith('Record')).map(({ stream }) => stream.slice(stream.indexOf('-') + 1)),
    );
    const erased: { changes: number; erasures: string[] }[] = [];
    // One run is enough.
    const HOUSEKEEPING = peer === undefined ? [] : ['--no-vacuum'];
    const erase = async (...subject: string[]) => {
      const { exitCode, stdout } = await installation.civicHere([
        'erase',
        ...subject,
        '--text',
        NAME,
        ...ERASE,
        ...HOUSEKEEPING,
        '--yes',
        '--json',
      ]);
      expect(exitCode).toBe(0);
      erased.push(JSON.parse(stdout) as (typeof erased)[number]);
    };
    for (const id of records) await erase('record', id);
    if (report !== undefined) await erase('report', report.reportId);
    await erase('account', accountId);
    expect(erased.every(({ erasures }) => erasures.length === 1)).toBe(true);
    // Copies of the text that were made in between, such as a hit that quotes it.
    let remaining = await findName();
    for (; remaining.length > 0; remaining = await findName())
      await erase('record', remaining[0]!.stream.replace(/^[a-z_]+-/, ''));

    for (const word of WORDS) {
      await untilTrue(`no table holds ${word}`, async () => tablesWith(await whole(), word).length === 0);
      expect(tablesWith(await whole(), word)).toEqual([]);
      expect(await search(word)).not.toContain(itemId);
    }
    for (const [where, text] of Object.entries(report === undefined ? {} : await answersFor(report.reportId))) {
      for (const word of WORDS) expect([where, text.toLowerCase().includes(word)]).toEqual([where, false]);
    }
    // KurrentDB keeps the old bytes, as the page states.
    if (peer !== undefined)
      expect(peer.store.records.some(({ data }) => Buffer.from(data).toString().includes(NAME))).toBe(true);

    const anew = new FeedMirror();
    await catchUp(anew, ask, () => 100);
    await catchUp(follower, ask, () => 100);
    expect(JSON.stringify(anew.changes)).not.toContain('Quixworth');
    expect(anew.position).toBe(follower.position);
    // Positions, versions and times are unchanged; only the erased content differs.
    const outline = (changes: readonly string[]) =>
      changes.map((text) => ({ ...(JSON.parse(text) as object), data: null }));
    expect(outline(anew.changes)).toEqual(outline(follower.changes));
    const digests = await headDigests();
    expect(anew.digests()).toEqual(digests);
    expect(follower.digests()).toEqual(digests);
    expect([...follower.records.values()].join('')).not.toContain('Quixworth');

    // The pages of one read are consistent; a read from before the erasure starts again.
    const late = await pageOf(snapshot.snapshotId, 'agenda_items', `limit=1&cursor=${early.meta.nextCursor!}`);
    expect(late.status).toBe(410);
    expect(await late.json()).toMatchObject({ error: { code: 'cursor_expired' } });
    const items: Page['data']['items'][number][] = [];
    let cursor: string | null = null;
    let last: Page;
    do {
      last = await bodyOf<Page>(
        await pageOf(snapshot.snapshotId, 'agenda_items', `limit=3${cursor === null ? '' : `&cursor=${cursor}`}`),
      );
      items.push(...last.data.items);
      cursor = last.meta.nextCursor;
    } while (last.meta.hasMore);
    expect(JSON.stringify(items)).not.toContain('Quixworth');
    expect(items.find(({ id }) => id === itemId)).toMatchObject({
      title: `${REPLACED} asks`,
      text: `As ${REPLACED} said: "${REPLACED}" is a name.`,
    });
    expect(last.meta.digest).toBe(sumOf('agenda_items', items));
    expect(last.meta.digest).not.toBe(snapshot.digests['agenda_items']);
    // A resource without an erasure is unchanged and has no notice about its digest.
    const topics = await bodyOf<Page>(await pageOf(snapshot.snapshotId, 'topics', 'limit=500'));
    expect([topics.meta.digest, sumOf('topics', topics.data.items)]).toEqual([undefined, snapshot.digests['topics']]);

    const tables = async () =>
      [...(await whole())]
        .filter(([name]) => /_g\d+$/.test(name))
        .map(([name, lines]) => [name.replace(/_g\d+$/, ''), lines] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
    const once = async () => {
      await untilTrue('one build of each', async () => {
        const names = (await tables()).map(([name]) => name);
        return new Set(names).size === names.length;
      });
      return tables();
    };
    const live = await once();
    // All on one store: a fold of an erasure does not depend on the store.
    if (peer === undefined) await json('projections', 'rebuild', '--all');
    else await json('projections', 'rebuild', 'record_history');
    const verified = await json<{ equal: boolean }[]>('projections', 'verify', 'record_history');
    expect(verified.filter(({ equal }) => !equal)).toEqual([]);
    // Kept for a switch back; an erasure drops them.
    await erase('account', accountId);
    expect(await once()).toEqual(live);
    const again = await bodyOf<Page>(await pageOf(snapshot.snapshotId, 'agenda_items', 'limit=500'));
    expect(again.meta.digest).toBe(last.meta.digest);
    expect(again.data.items).toEqual(items);
  });
});
