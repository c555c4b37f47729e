import { XMLParser, XMLValidator } from 'fast-xml-parser';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { councilOfDallas, document, hit, inDays, item, meeting, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

const MAX_BYTES = 100_000;
const HOSTILE = `<x-example onclick=alert(1)></x-example>"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;`;
const SECRET = 'Zebulona Quixworth';
const QUOTE = 'The plan allows 40 flats & a café.';

let served: ServedCivic;
/** The front page before any source was read. */
let unread: string;
const STATED = { matterType: 'ZONE', matterStatus: 'Held', actionText: 'Delayed' };
beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60', CIVIC_CONTACT: 'records@example.org' });
  unread = await textOf('/');
  await write(
    ...councilOfDallas(),
    meeting('next', 7, { title: 'Council of March', location: 'Room 6' }),
    meeting('off', 9, { title: 'Workshop', status: 'cancelled' }),
    meeting('last', -7, { title: 'Council of December', status: 'held' }),
    item('flats', 'next', {
      sequence: 2,
      agendaNumber: '2.',
      title: 'Plan for flats',
      text: `First words. ${QUOTE} Last words.`,
    }),
    item('opening', 'next', { sequence: 1, agendaNumber: '1.', title: 'Call to order' }),
    item('fence', 'last', { title: 'A fence', outcome: 'approved', matterFile: 'Z-12', ...STATED }),
    hit('flats', 'flats', { summary: 'Flats may be built.', evidenceQuote: QUOTE }),
    document('agenda', { meetingId: pageRecordId('meetings', 'next'), title: 'The whole agenda' }),
    document('map', { agendaItemId: pageRecordId('agenda_items', 'flats'), kind: 'exhibit', title: 'A map' }),
  );
});
afterAll(async () => served?.close());

async function write(...changes: readonly RecordChange[]): Promise<void> {
  await served.civic.writer.write(changes, {});
  await served.civic.caughtUp(await served.civic.log.head());
  // An answer from before is out of date at once, as after a second.
  served.clock.time += 2_000;
}

const ask = (path: string, accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8') =>
  fetch(`${served.baseUrl}${path}`, { headers: { accept } });

async function textOf(path: string, type = 'text/html'): Promise<string> {
  const answer = await ask(path);
  const text = await answer.text();
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, `${type}; charset=utf-8`]);
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES);
  return text;
}

const path = {
  meeting: (name: string) => `/meetings/${pageRecordId('meetings', name)}`,
  item: (name: string) => `/items/${pageRecordId('agenda_items', name)}`,
};
const PAGES = () => [
  '/',
  '/search?q=flats',
  '/topics/zoning',
  '/jurisdictions/dallas',
  '/jurisdictions/dallas/bodies/city-council',
  path.meeting('next'),
  path.item('flats'),
];
const ATOM = ['/topics/zoning/atom.xml', '/jurisdictions/dallas/atom.xml', '/search/atom.xml?q=flats'];
const CALENDAR = '/jurisdictions/dallas/bodies/city-council/calendar.ics';

describe('pages', () => {
  test('the front page has the search, upcoming hits with quotes, changed meetings and every county', async () => {
    const page = await textOf('/');
    for (const part of [
      'name="q"',
      'zoning and land use',
      '40 flats &amp; a café.',
      'Palo Pinto County',
      'Legistar of Dallas',
    ])
      expect(page).toContain(part);
    expect(page.match(/<path /g)).toHaveLength(16);
    // Dallas, which is read, has a part in five.
    expect(page.match(/class="read"/g)).toHaveLength(5);
    expect(page).toContain(path.meeting('off'));
    expect(page).toContain('mailto:records@example.org');
    expect([
      unread.includes('civic -- sources sync legistar --client cityofdallas'),
      page.includes('sources sync'),
    ]).toEqual([true, false]);
  });

  test('the front page answers programs with addresses, and says that it depends on Accept', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const answer = await ask('/', accept);
      expect([answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
        'application/json; charset=utf-8',
        expect.stringContaining('Accept'),
      ]);
      expect(await answer.json()).toMatchObject({
        openApi: `${served.baseUrl}/api/openapi.json`,
        tools: `${served.baseUrl}/api/v1/mcp`,
      });
    }
    const page = await ask('/');
    expect([page.headers.get('content-type'), page.headers.get('vary')]).toEqual([
      'text/html; charset=utf-8',
      'Accept-Encoding, Accept',
    ]);
    expect(page.headers.get('cache-control')).toBe('public, s-maxage=60, stale-while-revalidate=300');
  });

  test('a meeting shows its items in order, the quote marked in the text, documents, source and freshness', async () => {
    const page = await textOf(path.meeting('next'));
    expect(page.indexOf('Call to order')).toBeLessThan(page.indexOf('Plan for flats'));
    expect(page).toContain('First words. <mark>The plan allows 40 flats &amp; a café.</mark> Last words.');
    for (const part of [
      'The whole agenda',
      'aria-label="A map: 2. Plan for flats">A map<',
      'Room 6',
      'https://example.org/m/next',
      'Legistar of Dallas',
      'Last successful check: ',
    ])
      expect(page).toContain(part);
    expect(page).toContain('January 7, 2026 at 6:00 PM CST');
  });

  test('a start after the last item leads to the first one, and does not say that the meeting has no items', async () => {
    const page = await textOf(`${path.meeting('next')}?start=2`);
    expect(page).toContain('The agenda has no item 3');
    expect(page).toContain(`href="${path.meeting('next')}"`);
    expect(page).not.toContain('No agenda item of this meeting is known');
    expect(await textOf(path.meeting('off'))).toContain('No agenda item of this meeting is known');
  });

  test('an item shows its text with the quote marked, its meeting, outcome and official record', async () => {
    const page = await textOf(path.item('flats'));
    expect(page).toContain('First words. <mark>The plan allows 40 flats &amp; a café.</mark> Last words.');
    for (const part of ['Flats may be built.', path.meeting('next'), 'A map', 'https://example.org/i/flats'])
      expect(page).toContain(part);
    expect(await textOf(path.item('fence'))).toMatch(
      /Z-12[\s\S]*>ZONE<[\s\S]*of the file<\/dt><dd>Held<[\s\S]*>Delayed<[\s\S]*approved/,
    );
  });

  test('an item whose title the heading cuts shows the whole of it, once', async () => {
    const title = `Plan ${'for a hall '.repeat(40)}with a roof`;
    await write(
      item('long', 'last', { title, text: null }),
      item('text', 'last', { title, text: `${title}. The end.` }),
    );
    for (const name of ['long', 'text'])
      expect((await textOf(path.item(name))).split('with a roof').length - 1).toBe(1);
    expect(await textOf(path.item('fence'))).not.toContain('Whole title');
  });

  test('a meeting is named by its body and local day in its heading and in a list of windows, and its record is named once', async () => {
    const page = await textOf(path.meeting('next'));
    expect(page).toContain('<h1>City Council: Council of March, Wednesday, January 7, 2026</h1>');
    expect(page).toContain('<title>City Council: Council of March, Wednesday, January 7, 2026, Dallas · ');
    for (const each of [page, await textOf(path.item('flats'))])
      expect(each.split(/>Official record</)).toHaveLength(2);
  });

  test('a body lists past and future meetings, the cancelled one marked', async () => {
    const page = await textOf('/jurisdictions/dallas/bodies/city-council');
    const [next, off, last] = ['next', 'off', 'last'].map((name) => page.indexOf(path.meeting(name)));
    expect([next! > 0, next! < off!, off! < last!]).toEqual([true, true, true]);
    expect(page.slice(off)).toMatch(/^[^\n]*cancelled/);
  });

  test('a search finds an item and keeps the question; other parameters are ignored', async () => {
    const page = await textOf('/search?q=flats&fbclid=abc');
    expect(page).toContain(path.item('flats'));
    expect(page).toContain('value="flats"');
    expect(page).not.toContain(path.item('fence'));
    expect(await textOf('/search?q=')).toContain('Give words');
    expect((await ask('/search?q=flats&from=2026-02-30')).status).toBe(400);
    expect((await ask('/search?q=flats&cursor=x')).status).toBe(400);
    expect((await ask('/search?q=flats&x=y&x=z')).status).toBe(400);
  });

  test('a jurisdiction without records shows what research located', async () => {
    expect(await textOf('/topics/zoning')).toContain('What may be built where.');
    expect(await textOf('/jurisdictions/dallas')).toContain('council agendas');
    expect((await ask('/jurisdictions/nowhere')).status).toBe(404);
  });

  test.each([
    '/topics/none',
    '/jurisdictions/none',
    '/jurisdictions/dallas/bodies/none',
    '/jurisdictions/%00/bodies/x',
    '/meetings/x',
    `/meetings/${pageRecordId('meetings', 'none')}`,
    `/items/${pageRecordId('agenda_items', 'none')}`,
    '/topics/none/atom.xml',
    '/nothing',
  ])('%s is a page that says so with status 404, and an envelope for programs', async (unknown) => {
    const answer = await ask(unknown);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).toContain('There is nothing at this address');
    expect(text).toContain(answer.headers.get('x-request-id'));
    const forPrograms = await ask(unknown, '*/*');
    expect([forPrograms.status, await forPrograms.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
  });

  test('an error of the interface is an envelope also for a browser', async () => {
    for (const wrong of ['/api/nothing', '/api/v1/public/coverage?x=1', '/api/v1/data/changes'])
      expect((await ask(wrong)).headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('no page has a script, an inline style or a source elsewhere, and its policy forbids them', async () => {
    for (const each of PAGES()) {
      const answer = await ask(each);
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(await answer.text()).not.toMatch(/<script|<style| style=| on\w+=|src=/);
    }
    expect((await ask('/pages/style.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await (await ask('/robots.txt')).text()).toContain('Disallow: /api/');
  });
});

describe('feeds and calendars', () => {
  interface Atom {
    readonly feed: {
      readonly id: string;
      readonly updated: string;
      readonly entry: readonly {
        readonly id: string;
        readonly title: string;
        readonly updated: string;
        readonly summary: string;
      }[];
    };
  }
  const atomOf = async (feed: string): Promise<Atom['feed']> => {
    const text = await textOf(feed, 'application/atom+xml');
    expect(XMLValidator.validate(text)).toBe(true);
    return (new XMLParser({ isArray: (name) => name === 'entry' }).parse(text) as Atom).feed;
  };

  test.each(ATOM)('%s is an Atom feed of its hits', async (feed) => {
    const { id, updated, entry } = await atomOf(feed);
    expect(id).toBe(`${served.baseUrl}${feed}`);
    expect(entry.map(({ title }) => title).join()).toMatch(
      /^Dallas, City Council, \w+day, \w+ \d+, \d{4}: Plan for flats$/,
    );
    expect([entry[0]!.id, updated]).toEqual([expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/), entry[0]!.updated]);
    expect(entry[0]!.summary).toContain('40 flats');
  });

  test('a feed without entries is valid', async () => {
    expect(await atomOf('/search/atom.xml?q=nothinglikethis')).toMatchObject({ updated: '1970-01-01T00:00:00.000Z' });
  });

  test('the calendar of a body has its meetings, the cancelled one marked, and stays equal while nothing changes', async () => {
    const text = await textOf(CALENDAR, 'text/calendar');
    served.clock.time += 2_000;
    expect(await textOf(CALENDAR, 'text/calendar')).toBe(text);
    expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    const events = new ICAL.Component(ICAL.parse(text) as never)
      .getAllSubcomponents('vevent')
      .map((event) => new ICAL.Event(event));
    const entries = events.map((event) => [
      event.uid,
      event.summary,
      event.startDate.toJSDate().toISOString(),
      event.component.getFirstPropertyValue('status'),
    ]);
    expect(entries).toEqual([
      [pageRecordId('meetings', 'last'), 'Council of December', inDays(-7), 'CONFIRMED'],
      [pageRecordId('meetings', 'next'), 'Council of March', inDays(7), 'CONFIRMED'],
      [pageRecordId('meetings', 'off'), 'Cancelled: Workshop', inDays(9), 'CANCELLED'],
    ]);
    expect(events[1]!.location).toBe('Room 6');
  });
});

describe('hostile and long records', () => {
  beforeAll(async () => {
    const long = `${HOSTILE}${'"quoted" & <long> '.repeat(3_000)}`;
    await write(
      meeting('hostile', 8, { title: `${HOSTILE}\u0001`, location: `${HOSTILE}\nEND:VEVENT` }),
      ...Array.from({ length: 250 }, (_, number) =>
        item(`long-${number}`, 'hostile', {
          sequence: number,
          title: `flats number-${number}- ${long}`,
          text: number < 60 ? long : null,
        }),
      ),
      ...Array.from({ length: 60 }, (_, number) =>
        hit(`long-${number}`, `long-${number}`, { summary: long, evidenceQuote: HOSTILE, classifiedAt: inDays(-2) }),
      ),
      document('hostile', { meetingId: pageRecordId('meetings', 'hostile'), title: long }),
    );
  });

  test('a hostile text is text on every page, feed and calendar, each under 100,000 bytes', async () => {
    for (const each of [...PAGES(), path.meeting('hostile'), path.item('long-0')]) {
      const page = await textOf(each);
      expect(page).not.toContain('<img');
      expect(page).not.toMatch(/<script|<x-example|onerror=alert\(1\)>/);
    }
    expect(await textOf(path.item('long-0'))).toContain('<mark>&lt;x-example onclick');
    for (const feed of ATOM) {
      const text = await textOf(feed, 'application/atom+xml');
      expect([feed, XMLValidator.validate(text)]).toEqual([feed, true]);
      expect(text).not.toMatch(/<script|<x-example|<img/);
      expect(text).not.toContain('\u0001');
    }
    const calendar = await textOf(CALENDAR, 'text/calendar');
    expect(ICAL.parse(calendar)).toBeDefined();
    expect(calendar.match(/^END:VEVENT/gm)).toHaveLength(4);
  });

  test('the pages of a long meeting lead to each of its items once, in order', async () => {
    const ids: string[] = [];
    let next: string | undefined = path.meeting('hostile');
    for (let pages = 0; next !== undefined && pages < 100; pages++) {
      const page: string = await textOf(next.replaceAll('&amp;', '&'));
      ids.push(...[...page.matchAll(/href="(\/items\/[0-9a-f-]+)"/g)].map(([, address]) => address!));
      expect(page).toContain(`to ${ids.length} of 250.`);
      next = /rel="next" href="([^"]+)"/.exec(page)?.[1];
    }
    expect(ids).toEqual(Array.from({ length: 250 }, (_, number) => path.item(`long-${number}`)));
  });
});

test('an erasure reaches every page, feed and calendar', async () => {
  await write(
    meeting('erased', 2, { title: `Hearing of ${SECRET}`, location: `Room of ${SECRET}` }),
    item('erased', 'erased', { title: `Request of ${SECRET}`, text: `${SECRET} asks for flats.` }),
    hit('erased', 'erased', {
      summary: `${SECRET} asks.`,
      evidenceQuote: `${SECRET} asks for flats.`,
      classifiedAt: inDays(0),
    }),
    document('erased', { meetingId: pageRecordId('meetings', 'erased'), title: `Letter of ${SECRET}` }),
  );
  const everything = [
    ...PAGES(),
    path.meeting('erased'),
    path.item('erased'),
    ...ATOM,
    CALENDAR,
    '/search?q=asks',
    '/search/atom.xml?q=asks',
  ];
  const holders = async () => {
    const texts: string[] = [];
    // One after another: a process runs one search of the pages at once.
    for (const each of everything) texts.push(await (await ask(each)).text());
    // Lines of a calendar are folded.
    return everything.filter((_, number) => texts[number]!.replaceAll('\r\n ', '').includes(SECRET));
  };
  const others = [
    path.meeting('next'),
    path.item('flats'),
    '/search?q=flats',
    '/search/atom.xml?q=flats',
    '/jurisdictions/dallas/bodies/city-council',
  ];
  expect(await holders()).toEqual(everything.filter((each) => !others.includes(each)));
  const streams = (['meetings', 'agenda_items', 'agenda_hits', 'documents'] as const).map((resource) => ({
    stream: `${resource}-${pageRecordId(resource, 'erased')}`,
  }));
  const erasing = { path: null, literal: SECRET, replacement: '[removed]' };
  const { position } = await served.civic.erasing.erase({
    streams,
    erasing,
    reason: 'personal_data',
    by: 'a test',
    dryRun: false,
  });
  await served.civic.caughtUp(position!);
  served.clock.time += 1_000;
  expect(await holders()).toEqual([]);
  expect(await textOf(path.item('erased'))).toContain('[removed] asks for flats.');
});

describe('the lists of accepted values', () => {
  const listed = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(served.baseUrl + path, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    return { answer, data: ((await answer.json()) as { data: readonly Record<string, string>[] }).data };
  };

  test('names each topic that has public hits, and no other, without a key', async () => {
    const { answer, data } = await listed('/topics.json', { origin: 'https://other.example' });
    expect(data).toEqual([{ slug: 'zoning', label: 'zoning and land use', description: 'What may be built where.' }]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    for (const { slug } of data)
      expect((await ask(`/api/v1/public/upcoming-agenda-hits?topicSlug=${slug}`)).status).toBe(200);
  });

  test('names each pair that has a cadence, each once, with an address that answers', async () => {
    const { data } = await listed('/cadences.json');
    expect(data).toContainEqual(expect.objectContaining({ jurisdictionSlug: 'dallas', bodySlug: 'city-council' }));
    expect(new Set(data.map(({ url }) => url)).size).toBe(data.length);
    for (const { url } of data) expect([url, (await fetch(url!)).status]).toEqual([url, 200]);
  });

  test('are where the index of the service says', async () => {
    const index = (await (await ask('/', 'application/json')).json()) as Readonly<Record<string, string>>;
    expect([index['topics'], index['cadences']]).toEqual([
      `${served.baseUrl}/topics.json`,
      `${served.baseUrl}/cadences.json`,
    ]);
  });
});

test('a hit shows its title, its summary and its quote once each', async () => {
  await write(
    item('pool', 'bath', { title: 'A pool of 25 metres' }),
    item('hall', 'bath', { title: 'A hall', text: 'Plans: it has a roof of glass, and doors.' }),
    meeting('bath', 8),
    hit('pool', 'pool', { summary: 'A pool of 25 metres. It opens in May.', evidenceQuote: 'pool of 25 metres' }),
    hit('hall', 'hall', { summary: 'The hall is new.', evidenceQuote: 'it has a roof of glass' }),
  );
  const counts = (html: string) => {
    const text = html.replaceAll(/<\/?mark>| aria-label="[^"]*"/g, '');
    return ['pool of 25 metres', 'It opens in May', 'it has a roof of glass', 'The hall is new'].map(
      (words) => text.split(words).length - 1,
    );
  };
  const main = async (page: string) => /<main[\s\S]*<\/main>/.exec(await textOf(page))![0];
  for (const page of ['/', '/topics/zoning']) {
    const entries = (await main(page)).split('<li>');
    const entry = (name: string) =>
      entries.find((each) => each.includes(path.item(name)) && each.includes('</blockquote>')) ?? '';
    const other = entries.find((each) => each.includes(path.item('pool')) && each.includes('opens'));
    expect([page, counts(other ?? ''), counts(entry('hall'))]).toEqual([page, [1, 1, 0, 0], [0, 0, 1, 1]]);
  }
  expect(counts(await main(path.meeting('bath')))).toEqual([1, 0, 1, 0]);
  expect(counts(await main(path.item('pool')))).toEqual([1, 1, 0, 0]);
  expect(counts(await main(path.item('hall')))).toEqual([0, 0, 1, 1]);
});

test('a long title marks a quote that the classifier cut, which is not repeated beside it', async () => {
  await write(
    item('plan', 'bath', { title: `Plan ${'for a hall '.repeat(40)}with a roof`, text: null }),
    meeting('bath', 8),
    hit('plan', 'plan', { summary: 'A hall.', evidenceQuote: 'Plan for a hall for …' }),
  );
  const page = await textOf(path.item('plan'));
  expect([page.split('<mark>Plan for a hall for</mark>').length - 1, page.includes('<blockquote>')]).toEqual([
    2,
    false,
  ]);
});

describe('addresses of hosts that are not public', () => {
  const [PRIVATE, META] = ['http://127.0.0.1:5432/', 'http://169.254.169.254/latest'];
  beforeAll(async () => {
    await write(
      meeting('private', 30, { sourceUrl: PRIVATE }),
      item('private', 'private', { title: 'Private address', sourceUrl: PRIVATE }),
      hit('private', 'private', { summary: 'Private.' }),
      document('private', { meetingId: pageRecordId('meetings', 'private'), title: 'Private file', url: META }),
    );
  });

  test('no page or feed links to them, and the labels remain', async () => {
    for (const page of [path.meeting('private'), path.item('private'), '/search?q=private', '/topics/zoning'])
      expect(await textOf(page)).not.toMatch(/127\.0\.0\.1:5432|169\.254/);
    for (const feed of ['/topics/zoning/atom.xml', '/search/atom.xml?q=private'])
      expect(await textOf(feed, 'application/atom+xml')).not.toMatch(/127\.0\.0\.1:5432|169\.254/);
    const page = await textOf(path.meeting('private'));
    expect(page).toContain('<p>Official record</p>');
    expect(page).toContain('<li>Private file ');
  });
});
