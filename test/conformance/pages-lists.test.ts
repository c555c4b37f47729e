import { afterAll, beforeAll, expect, test } from 'vitest';
import { councilOfDallas, hit, item, meeting, pageRecord, pageRecordId } from '../support/page-records.ts';
import { pageOf, type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

const BEGINNING = 'Authorize a contract with Acme for the first part of a wall';
const TITLE = `${BEGINNING} ${'and for another part of it '.repeat(8)}on Main Street; Adopt an ordinance`;
const ITEM = `/items/${pageRecordId('agenda_items', 'wall')}`;
const MEETING = `/meetings/${pageRecordId('meetings', 'next')}`;
const MAX_HEADING = 200;
const COMMENT = 'LOCATION CHANGED: <Will Rogers Center>, 3401 W Lancaster';

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  const topicId = pageRecordId('topics', 'housing');
  await served.civic.writer.write(
    [
      ...councilOfDallas(),
      pageRecord('topics', 'housing', {
        slug: 'housing',
        name: 'Housing',
        publicLabel: 'housing',
        description: 'Homes.',
        keywords: [],
        negativeKeywords: [],
        selectable: true,
        classificationActive: true,
        taxonomyManaged: false,
      }),
      meeting('next', 7, { title: 'CITY COUNCIL work session' }),
      item('wall', 'next', { title: TITLE, text: null }),
      meeting('last', -7, { status: 'held', comment: COMMENT }),
      item('bridge', 'last', { actionText: 'Approve the bridge' }),
      item('tower', 'last', { sequence: 2, actionText: 'Held' }),
      hit('wall', 'wall', { summary: `${TITLE}. Up for a vote March 31, 2026 · file 26-1`, evidenceQuote: TITLE }),
      hit('home', 'wall', {
        topicId,
        summary: `${TITLE}. Up for a vote March 31, 2026 · file 26-1`,
        evidenceQuote: `${TITLE.slice(0, TITLE.indexOf(' on Main'))} …`,
      }),
    ],
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
});
afterAll(async () => served?.close());

const textOf = (markup: string): string => markup.replaceAll(/<[^>]+>/g, '');
const count = (text: string, words: string): number => text.split(words).length - 1;

/** The longest entry of the item in the lists of a page, and its heading. */
async function entryOf(path: string) {
  const entries = (await pageOf(served, path)).split('<li>').filter((each) => each.includes(ITEM));
  const [markup] = entries
    .map((each) => each.slice(0, each.indexOf('</li>')))
    .toSorted((one, other) => other.length - one.length);
  return { markup: markup!, heading: textOf(new RegExp(`<a href="${ITEM}">(.*?)</a>`).exec(markup!)![1]!) };
}

test.each(['/', '/topics/zoning', '/jurisdictions/dallas', MEETING, '/search?q=wall'])(
  'an entry of %s has a heading cut at a word, and each statement once',
  async (path) => {
    const { markup, heading } = await entryOf(path);
    expect(heading).toMatch(/^Authorize a contract .*\w …$/);
    if (path !== MEETING) expect(markup).toContain(`aria-label="Official record: ${BEGINNING}`);
    expect(heading.length).toBeLessThanOrEqual(MAX_HEADING + 2);
    expect(TITLE.split(' ')).toContain(heading.split(' ').at(-2));
    expect(count(textOf(markup), BEGINNING)).toBe(1);
    expect(count(textOf(markup), 'Main Street')).toBeLessThanOrEqual(1);
    expect(count(textOf(markup), 'Up for a vote March 31, 2026 · file 26-1')).toBe(
      /search|meetings/.test(path) ? 0 : 1,
    );
    if (path !== '/search?q=wall')
      expect(markup).toMatch(/<(?:p|blockquote)>… <mark>.* on Main Street; Adopt an ordinance<\/mark>/);
  },
);

test('a quote of several topics is shown once on the page of its meeting, with all of them', async () => {
  const { markup } = await entryOf(MEETING);
  expect([count(markup, '<blockquote>'), count(markup, 'class="topic"')]).toEqual([1, 2]);
});

test('the page of an item has its whole title', async () => {
  expect(textOf(await pageOf(served, ITEM)).replaceAll(/\s+/g, ' ')).toContain(TITLE);
});

test('a title that names the body stands alone before the day of the meeting', async () => {
  expect(await pageOf(served, MEETING)).toContain('<h1>CITY COUNCIL work session, Wednesday, January 7, 2026</h1>');
});

test('an action that may only be proposed is not shown as one that was taken', async () => {
  const textAt = async (path: string) =>
    textOf((await pageOf(served, path)).replaceAll('</dt>', ': ')).replaceAll(/\s+/g, ' ');
  const list = await textAt(`/meetings/${pageRecordId('meetings', 'last')}`);
  expect(list).toContain('Action, proposed or taken: Approve the bridge');
  expect(list).toContain('Action: Held');
  expect(await textAt(`/items/${pageRecordId('agenda_items', 'bridge')}`)).toContain(
    'Action, proposed or taken: Approve the bridge',
  );
});

test('the page of a meeting and the calendar have the comment of the source', async () => {
  const escaped = COMMENT.replace('<', '&lt;').replace('>', '&gt;');
  expect(await pageOf(served, `/meetings/${pageRecordId('meetings', 'last')}`)).toContain(
    `<dt>Comment</dt><dd>${escaped}</dd>`,
  );
  expect(await pageOf(served, MEETING)).not.toContain('<dt>Comment</dt>');
  const answer = await fetch(`${served.baseUrl}/jurisdictions/dallas/bodies/city-council/calendar.ics`);
  const calendar = (await answer.text()).replaceAll(/\r\n[ \t]/g, '');
  expect(calendar.match(/^DESCRIPTION:.*$/gm)?.map((line) => line.trimEnd())).toEqual([
    `DESCRIPTION:${COMMENT.replace(',', '\\,')}\\nOfficial record: https://example.org/m/last`,
    'DESCRIPTION:Official record: https://example.org/m/next',
  ]);
});

test('a list of meetings that is not whole says how many it has', async () => {
  const [place, body] = ['/jurisdictions/dallas', '/jurisdictions/dallas/bodies/city-council'];
  for (const path of [place, body]) expect(await pageOf(served, path)).not.toContain('are listed;');
  const days = Array.from({ length: 20 }, (_, number) => number + 10);
  await served.civic.writer.write(
    [...days, ...days.map((day) => -day)].map((day) => meeting(`day ${day}`, day)),
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
  expect(count(await pageOf(served, place), 'Only 20 are listed; the pages of the bodies list their own.')).toBe(1);
  expect(count(await pageOf(served, body), 'Only 20 are listed; the calendar has more.')).toBe(2);
});
