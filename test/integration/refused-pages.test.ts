import { beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../domain/durations.ts';
import type { Connectors } from '../../src/sources/added-sources.ts';
import { stateOf } from '../../src/sources/added-sources.ts';
import { agendaConnector } from '../../src/sources/agendas/sync.ts';
import { catalogueRecords } from '../../src/sources/catalogue/catalogue-records.ts';
import { listedReader } from '../../src/sources/listed/listed-reader.ts';
import { type Answer, openWeb, page, redirect, sleepingClock, startSite, status } from '../support/web-site.ts';
import { MemoryRecords } from './agendas/memory-records.ts';

const ROWS = [1, 2, 3].map((id) => ({
  EventId: id,
  EventBodyId: 7,
  EventBodyName: 'Commissioners Court',
  EventTitle: 'Regular Meeting',
  EventDate: `2026-03-0${id}`,
  EventTime: '10:00 AM',
  EventInSiteURL: `https://www.example.gov/AgendaCenter/${id}`,
}));
const LIST = page(JSON.stringify(ROWS));
const items = (id: number) =>
  page(JSON.stringify([{ EventItemId: id, EventItemAgendaSequence: 1, EventItemTitle: 'Adopt the budget' }]));
const PLACE = { slug: 'ellis-county', name: 'Ellis County', timezone: 'America/Chicago' };

let answers: Record<string, Answer>;
let records: MemoryRecords;
let clock: ReturnType<typeof sleepingClock>;
let url: string;

beforeEach(async () => {
  const good = { '/list': LIST, '/1': items(1), '/2': items(2), '/3': items(3) };
  answers = { ...good };
  const paths = ['/robots.txt', '/login', ...Object.keys(good)];
  const site = await startSite(
    Object.fromEntries(
      paths.map((path): [string, Answer] => [path, (...both) => (answers[path] ?? status(404))(...both)]),
    ),
  );
  ({ url } = site);
  records = new MemoryRecords();
  await records.write(catalogueRecords());
  clock = sleepingClock();
});

/** Syncs a platform whose list and items are pages. */
function openConnector() {
  const open = openWeb({ clock });
  return agendaConnector(({ options }) => {
    const web = open({ baseUrl: url, ignoresRobots: options['ignoreRobots'] !== undefined });
    const read = async (path: string) => JSON.parse((await web.page(`${url}${path}`)).text) as never[];
    return listedReader({
      platform: { sourceType: 'other', label: 'Pages' },
      list: () => read('/list'),
      eventItems: (id) => read(`/${id}`),
    });
  }, 'civicplus:');
}

async function syncTwice(changed: Record<string, Answer>) {
  const connector = openConnector();
  const target = { writer: records, known: records, clock };
  const sync = (options = {}) => connector.sync({ client: 'www-example-gov', place: PLACE, options }, target);
  expect(await sync()).toMatchObject({ failure: null, failedEvents: 0, read: { events: 3 } });
  const published = () => ['meetings', 'agenda_items'].map((name) => records.all(name as never).length);
  expect(published()).toEqual([3, 3]);
  answers = { ...answers, ...changed };
  // A robots.txt is read again after an hour.
  clock.move(HOUR_MS);
  const report = await sync({ since: '2026-01-01' });
  const statusOfSource = () =>
    stateOf({ civicplus: connector } as Partial<Connectors> as Connectors, records, {
      added: { source: 'civicplus', client: 'www-example-gov', jurisdiction: PLACE, isPublic: false },
      now: clock.now(),
    });
  return { sync, report, published, statusOfSource };
}

const disallow = status(200, {}, 'User-agent: *\nDisallow: /list');
const AKAMAI = '<TITLE>Access Denied</TITLE> errors&#46;edgesuite&#46;net';

describe('a list that cannot be read', () => {
  test.each<[string, Record<string, Answer>, RegExp]>([
    ['refused by robots.txt', { '/robots.txt': disallow }, /^refused by robots\.txt: \/list$/],
    ['without a readable robots.txt', { '/robots.txt': status(500) }, /robots\.txt could not be read: status 500/],
    ['status 403 of Akamai', { '/list': status(403, {}, AKAMAI) }, /status 403 \(Akamai refuses automated requests\)/],
    ['a script page with status 200', { '/list': page('<a href="/?bm-verify=AAQ">') }, /a page of Akamai/],
    ['a redirect to a login page', { '/list': redirect('/login') }, /redirects to a login page/],
    ['a redirect to metadata', { '/list': redirect('http://169.254.169.254/') }, /169\.254\.169\.254 is not a public/],
    ['a redirect to loopback', { '/list': redirect('http://127.0.0.1:1/') }, /127\.0\.0\.1:1 is not a public host/],
    ['a document in its place', { '/list': status(200, { 'content-type': 'application/pdf' }) }, /not a page/],
    ['status 404', { '/list': status(404) }, /is gone \(status 404\)/],
    ['an empty list', { '/list': page('[]') }, /the list of meetings is empty/],
  ])('is a failure in the status, and removes nothing: %s', async (_, changed, reason) => {
    const { sync, report, published, statusOfSource } = await syncTwice(changed);
    expect(report).toMatchObject({ failure: expect.stringMatching(reason) as unknown, removed: 0 });
    expect(published()).toEqual([3, 3]);
    expect(await statusOfSource()).toMatchObject({
      status: 'failing',
      consecutiveFailures: 1,
      failure: expect.stringMatching(reason) as unknown,
    });
    Object.assign(answers, { '/list': LIST, '/robots.txt': status(404) });
    clock.move(HOUR_MS);
    expect(await sync({ since: '2026-01-01' })).toMatchObject({ failure: null, removed: 0 });
    expect(await statusOfSource()).toMatchObject({ status: 'healthy', consecutiveFailures: 0, failure: null });
  });

  test('because of robots.txt is read if the operator decided so for the source', async () => {
    const { sync, report } = await syncTwice({ '/robots.txt': disallow });
    expect(report.failure).toMatch(/^refused by robots\.txt/);
    expect(await sync({ ignoreRobots: 'true' })).toMatchObject({ failure: null, read: { events: 3 } });
  });
});

test('a refused page of one event is a failed event, whose records stay', async () => {
  const { report, published, statusOfSource } = await syncTwice({ '/2': redirect('/login') });
  expect(report).toMatchObject({ failure: null, failedEvents: 1, removed: 0 });
  expect(report.skipped).toMatchObject([
    { what: 'event', id: '2', reason: expect.stringMatching(/^could not be read: .* login page/) as unknown },
  ]);
  expect(published()).toEqual([3, 3]);
  expect((await statusOfSource()).failure).toMatch(/login page/);
});
