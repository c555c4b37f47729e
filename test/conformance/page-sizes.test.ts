import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { councilOfDallas, document, hit, inDays, item, meeting, pageRecordId } from '../support/page-records.ts';
import { pageOf, type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

const MAX_BYTES = 100_000;
/** Three bytes a character, and six as markup. */
const [WIDE, QUOTES] = ['漢', '"'].map((character) => character.repeat(5_000)) as [string, string];
const LONG_ADDRESS = `https://example.org/${'a'.repeat(5_000)}`;
const [BODIES, TOPICS, ITEMS] = [250, 30, 40];

let served: ServedCivic;

const upsert = (resource: Resource, id: string, content: object): RecordChange => ({
  op: 'upsert',
  resource,
  id,
  content,
});
const contentOf = (change: object): object => (change as { readonly content: object }).content;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  const long = (number: number): string => `flats ${number} ${number % 2 === 0 ? WIDE : QUOTES}`;
  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);
  const more: Readonly<Record<string, object>> = {
    jurisdictions: { name: long(1) },
    public_bodies: { name: long(1) },
    sources: { sourceTypeLabel: long(1), officialSourceUrl: LONG_ADDRESS },
    topics: { publicLabel: long(1), description: long(1) },
  };
  const reference = councilOfDallas().map((change) => ({
    ...change,
    content: { ...contentOf(change), ...more[change.resource] },
  }));
  const [, body, source, topic] = reference.map(contentOf);
  const address = { sourceUrl: LONG_ADDRESS };
  const changes = [
    ...reference,
    ...numbers(BODIES).flatMap((number) => {
      const id = pageRecordId('public_bodies', `${number}`);
      return [
        upsert('public_bodies', id, { ...body, slug: `body-${number}`, name: `Body ${number} ${QUOTES}` }),
        upsert('sources', pageRecordId('sources', `${number}`), { ...source, publicBodyId: id }),
      ];
    }),
    ...numbers(TOPICS).map((number) =>
      upsert('topics', pageRecordId('topics', `${number}`), { ...topic, slug: `topic-${number}` }),
    ),
    ...numbers(20).flatMap((number) =>
      [number + 1, -number - 1].map((days) =>
        meeting(`of day ${days}`, days, {
          title: long(number),
          location: long(number),
          startTime: { status: 'not_stated', sourceText: long(number) },
          ...address,
        }),
      ),
    ),
    ...numbers(ITEMS).map((number) =>
      item(`${number}`, 'of day 3', {
        sequence: number,
        title: long(number),
        actionText: long(number),
        text: long(number).repeat(3),
        matterFile: '26-0001',
        actions: numbers(3).map(() => ({ text: long(number), outcome: null })),
        votes: {
          mover: long(number),
          seconder: long(number),
          tally: long(number),
          members: numbers(500).map((nth) => ({
            name: (number % 2 === 0 ? WIDE : QUOTES).slice(0, 120 + (nth % 2)),
            vote: QUOTES.slice(0, 120),
          })),
        },
        ...address,
      }),
    ),
    ...numbers(ITEMS).map((number) =>
      hit(`${number}`, `${number}`, { summary: long(number), evidenceQuote: long(number) }),
    ),
    ...numbers(TOPICS).map((number) =>
      hit(`of topic ${number}`, '1', {
        topicId: pageRecordId('topics', `${number}`),
        summary: QUOTES,
        evidenceQuote: QUOTES,
      }),
    ),
    ...numbers(40).flatMap((number) => [
      document(`of meeting ${number}`, {
        meetingId: pageRecordId('meetings', 'of day 3'),
        title: long(number),
        url: LONG_ADDRESS,
      }),
      document(`of item ${number}`, { agendaItemId: pageRecordId('agenda_items', '1'), title: QUOTES }),
    ]),
  ];
  for (let at = 0; at < changes.length; at += 100) await served.civic.writer.write(changes.slice(at, at + 100), {});
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
});
afterAll(async () => served?.close());

test.each([
  '/',
  '/search?q=flats',
  '/topics/zoning',
  '/jurisdictions/dallas',
  '/jurisdictions/dallas/bodies/city-council',
  `/meetings/${pageRecordId('meetings', 'of day 3')}`,
  `/items/${pageRecordId('agenda_items', '0')}`,
  `/items/${pageRecordId('agenda_items', '1')}`,
  '/topics/zoning/atom.xml',
  '/jurisdictions/dallas/atom.xml',
  '/search/atom.xml?q=flats',
])('%s has less than 100,000 bytes where all texts, names and addresses are long', async (path) => {
  const page = await pageOf(served, path);
  expect(page).toMatch(/[漢"]|&quot;/);
  expect(Buffer.byteLength(page)).toBeLessThan(MAX_BYTES);
});

test.each(['/jurisdictions/dallas/atom.xml', '/topics/zoning/atom.xml'])(
  'the pages of %s lead to each item with hits once, newest first',
  async (path) => {
    const ids: string[] = [];
    const times: string[] = [];
    let next: string | undefined = path;
    for (let pages = 0; next !== undefined && pages < ITEMS; pages += 1) {
      const text: string = await pageOf(served, next);
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES);
      ids.push(...[...text.matchAll(/href="[^"]*\/items\/([0-9a-f-]+)"/g)].map(([, id]) => id!));
      times.push(...[...text.matchAll(/<entry>.*?<updated>([^<]+)/gs)].map(([, time]) => time!));
      const address: string | undefined = /rel="next"[^>]*href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      next = address?.slice(served.baseUrl.length);
    }
    const items = Array.from({ length: ITEMS }, (_, number) => pageRecordId('agenda_items', `${number}`));
    expect(ids.toSorted()).toEqual(items.toSorted());
    expect(times).toEqual(times.toSorted().toReversed());
  },
);

test('the entry of an item keeps the id of its first hit when others follow and when it is classified again', async () => {
  const [id, later] = [pageRecordId('agenda_hits', '7'), pageRecordId('agenda_hits', 'later')];
  const feed = async () => await pageOf(served, '/jurisdictions/dallas/atom.xml');
  await served.civic.writer.write(
    [hit('later', '7', { topicId: pageRecordId('topics', '1'), classifiedAt: inDays(1) })],
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
  expect(await feed()).toContain(`<entry>\n<id>urn:uuid:${id}</id>`);
  expect(await feed()).not.toContain(later);
  await served.civic.writer.write([hit('7', '7', { classifiedAt: inDays(2), evidenceQuote: 'Another quote' })], {});
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
  expect(await feed()).toContain(`<entry>\n<id>urn:uuid:${id}</id>`);
  expect(await feed()).not.toContain(later);
});

test('the front page links to the feed of a covered city', async () => {
  expect(await pageOf(served, '/')).toContain('href="/jurisdictions/dallas/atom.xml"');
});

test('a long address is named and no link, and the record is shown', async () => {
  const page = await pageOf(served, `/items/${pageRecordId('agenda_items', '1')}`);
  expect(page).not.toContain('aaaa');
  expect(page).toContain('Official record');
});

test('the pages of a jurisdiction lead to each of its bodies once', async () => {
  const ids: string[] = [];
  let next: string | undefined = '/jurisdictions/dallas';
  for (let pages = 0; next !== undefined && pages < 100; pages++) {
    const page: string = (await pageOf(served, next)).replace(/<h2 id="meetings">[\s\S]*/, '');
    ids.push(...[...page.matchAll(/href="[^"]*\/bodies\/([^"]+)"/g)].map(([, slug]) => slug!));
    next = /rel="next" href="([^"]+)"/.exec(page)?.[1];
  }
  expect(ids).toHaveLength(BODIES + 1);
  expect(new Set(ids).size).toBe(BODIES + 1);
});
