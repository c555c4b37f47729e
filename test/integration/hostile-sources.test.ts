import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { openCivic } from '../../src/app/composition.ts';
import { readSettings } from '../../src/app/settings.ts';
import { writeReferenceRecords } from '../../src/sources/first-run.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { longestTurn } from '../support/longest-turn.ts';
import type { Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { testRuns } from '../support/test-runs.ts';
import { untilReached } from '../support/until-reached.ts';
import { watchAnswers } from '../support/watch-answers.ts';

/**
 * 99 of 100 answers come within this time. An idle machine answers in 20 ms; this one also runs other tests, PostgreSQL
 * and the hostile sources. A request without these limits waited between 17 s and several minutes, or forever.
 */
const PATIENCE_MS = 1_000;

/** The promise is 50 ms; the collector of memory has its turns too. */
const TURN_MS = 100;

let installation: Installation;
let service: Service;
let platform: Server;
let baseUrl: string;
let key: string;

/** A day that is further ahead cannot be meant. */
const NEXT_YEAR = new Date().getFullYear() + 1;

const event = (EventId: number) => ({
  EventId,
  EventBodyId: 1,
  EventBodyName: 'Council',
  EventDate: `${NEXT_YEAR}-04-14T00:00:00`,
  EventTime: '6:00 PM',
  EventInSiteURL: `https://example.legistar.com/MeetingDetail.aspx?ID=${EventId}`,
  EventAgendaLastPublishedUTC: '2026-04-10T00:00:00',
});
const item = (EventItemId: number, more: object = {}) => ({
  EventItemId,
  EventItemAgendaSequence: EventItemId,
  EventItemTitle: `Rezoning of lot ${EventItemId}`,
  EventItemMatterFile: `Z-${EventItemId}`,
  ...more,
});
const listOf = (length: number, row: (id: number) => unknown) =>
  Buffer.from(JSON.stringify(Array.from({ length }, (_, n) => row(n + 1))));
const lastOf = (list: Buffer, skip: number) => (skip === 0 ? list : Buffer.from('[]'));

/** The nightly run has the whole of it. */
const partOf = (whole: number): number => Math.min(whole, testRuns(Math.ceil(whole / 8)));

const ONE = listOf(1, event);
const SEMICOLONS = '; '.repeat(60_000);

interface HostileClient {
  readonly events: (skip: number) => Buffer;
  readonly items?: Buffer;
  /** Null for a client that is read as a whole. */
  readonly failure: RegExp | null;
}

/** Each of these once stopped the service or blocked all of its requests. */
const CLIENTS: Readonly<Record<string, HostileClient>> = {
  'ignores-skip': { events: listOf.bind(null, 1000, event), failure: /^page 2 of the list at events has no row/ },
  'one-page': {
    events: lastOf.bind(null, listOf(Math.max(80_000, partOf(300_000)), event)),
    failure: /more than 500000 values|more than 100000 rows|over \d+ bytes/,
  },
  'many-items': {
    events: lastOf.bind(null, ONE),
    items: listOf(partOf(100_000), item),
    failure: /more than 5000 rows|more than 500000 values/,
  },
  'long-answer': {
    events: lastOf.bind(
      null,
      listOf(1, (id) => ({ ...event(id), EventComment: 'x'.repeat(34_000_000) })),
    ),
    failure: /over \d+ bytes/,
  },
  'long-text': {
    events: lastOf.bind(
      null,
      listOf(1, (id) => ({ ...event(id), EventComment: 'word\n'.repeat(partOf(5_000_000)) })),
    ),
    failure: null,
  },
  'long-names': {
    events: lastOf.bind(null, ONE),
    items: listOf(partOf(20), (id) => item(id, { EventItemMatterName: SEMICOLONS, EventItemActionText: SEMICOLONS })),
    failure: null,
  },
  'many-texts': {
    events: lastOf.bind(null, ONE),
    items: listOf(partOf(900), (id) =>
      item(id, { EventItemTitle: `Rezoning ${'of lots and streets '.repeat(400)}${id}` }),
    ),
    failure: null,
  },
  'many-items-read': { events: lastOf.bind(null, ONE), items: listOf(partOf(999), item), failure: null },
  'longest-texts': {
    events: lastOf.bind(null, ONE),
    items: listOf(partOf(199), (id) =>
      item(id, { EventItemTitle: `Rezoning ${'of lots and streets '.repeat(3_500)}${id}` }),
    ),
    failure: null,
  },
  good: { events: lastOf.bind(null, ONE), items: listOf(3, item), failure: null },
};

beforeAll(async () => {
  platform = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://platform');
    const [, , name = '', ...path] = url.pathname.split('/');
    const client = CLIENTS[name];
    const list = path.at(-1);
    if (client === undefined) return response.writeHead(404).end();
    if (list === 'bodies') return response.end(JSON.stringify([{ BodyId: 1, BodyName: 'Council' }]));
    if (list === 'events') return response.end(client.events(Number(url.searchParams.get('$skip'))));
    return list === 'eventitems' ? response.end(client.items ?? '[]') : response.writeHead(404).end();
  });
  platform.listen(0, '127.0.0.1');
  await once(platform, 'listening');
  installation = await makeSharedInstallation('civic-hostile-sources-', { CIVIC_PUBLIC_LIMIT: '1000000/60' });
  // Makes the installation; sources are polled at its start.
  key = await installation.openAccount();
  baseUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}/v1`;
  for (const client of Object.keys(CLIENTS)) {
    const place = ['--jurisdiction', client, '--name', client, '--time-zone', 'America/Chicago'];
    const added = await installation.civicHere([
      'sources',
      'add',
      'legistar',
      '--client',
      client,
      ...place,
      '--base-url',
      baseUrl,
    ]);
    if (added.exitCode !== 0) throw new Error(added.stderr);
  }
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
  platform.closeAllConnections();
  platform.close();
});

interface SourceHealth {
  readonly jurisdictionSlug: string;
  readonly lastCheckedAt?: string;
  readonly lastCheckFailure?: string;
}

test('a service of all roles answers while hostile sources are polled, states why each failed, and reads the others', async () => {
  service = await installation.start();
  let hasEnded = false;
  void service.ended.then(() => (hasEnded = true));
  const stop = watchAnswers([
    `${service.opsUrl}/livez`,
    `${service.baseUrl}/api/v1/public/source-status`,
    `${service.baseUrl}/`,
  ]);
  onTestFinished(async () => void (await stop()));
  const health = async () => {
    const answer = await service.fetch('/api/v1/data/health', { key });
    const { data } = (await answer.json()) as { readonly data: { readonly sources: readonly SourceHealth[] } };
    return new Map(
      data.sources
        .filter(({ jurisdictionSlug }) => jurisdictionSlug in CLIENTS)
        .map((each) => [each.jurisdictionSlug, each]),
    );
  };
  await untilReached('the number of polled sources', Object.keys(CLIENTS).length, async () => {
    const checked = [...(await health()).values()].filter(({ lastCheckedAt }) => lastCheckedAt !== undefined);
    return checked.length;
  });
  const { p99Ms, statuses } = await stop();
  expect(statuses).toEqual([200]);
  expect(p99Ms).toBeLessThan(PATIENCE_MS);
  expect(hasEnded).toBe(false);

  const sources = await health();
  for (const [client, { failure }] of Object.entries(CLIENTS)) {
    const reason = sources.get(client)?.lastCheckFailure;
    if (failure === null) expect([client, reason]).toEqual([client, undefined]);
    else expect(reason).toMatch(failure);
  }
  const { stdout } = await installation.civicHere(['sources', 'status', '--json']);
  const states = JSON.parse(stdout) as readonly {
    readonly client: string;
    readonly status: string;
    readonly failure: string | null;
  }[];
  const readable = Object.keys(CLIENTS).filter((client) => CLIENTS[client]!.failure === null);
  const read = states
    .filter(({ status, failure }) => status === 'healthy' && failure === null)
    .map(({ client }) => client);
  expect(read.toSorted()).toEqual(readable.toSorted());
});

nightlyTest.each(['many-items-read', 'many-texts', 'longest-texts'])(
  'no turn of the event loop is long while a source is synced and folded: %s',
  async (client) => {
    const database = await startTestDatabase();
    const { settings } = readSettings({ DATABASE_URL: database.url, CIVIC_LOG_LEVEL: 'silent' });
    const civic = await openCivic(settings, 'command', []);
    try {
      civic.startProjector();
      await writeReferenceRecords(civic);
      await civic.caughtUp(await civic.log.head());
      const { result, longestMs } = await longestTurn(async () => {
        const report = await civic.syncSource('legistar', { client, options: { baseUrl, jurisdiction: 'addison' } });
        await civic.caughtUp(await civic.log.head());
        return report;
      });
      expect(result).toMatchObject({ failure: null, failedEvents: 0, rejected: [] });
      expect(longestMs).toBeLessThan(TURN_MS);
    } finally {
      await civic.close();
      await database.close();
    }
  },
);
