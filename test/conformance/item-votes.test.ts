import { afterAll, beforeAll, expect, test } from 'vitest';
import { councilOfDallas, item, meeting, pageRecordId } from '../support/page-records.ts';
import { pageOf, type ServedCivic, serveNewCivic } from '../support/served-civic.ts';
import { askTools, currentRequest } from '../support/tool-requests.ts';

const HOSTILE = `Member <1> "X" & 'Y'`;
const ESCAPED = 'Member &lt;1&gt; &quot;X&quot; &amp; &#39;Y&#39;';
const FILE = { matterFile: 'Z 26-0001' };
const VOTES = {
  mover: 'Member A',
  seconder: HOSTILE,
  tally: '2:1',
  members: [
    { name: 'Member A', vote: 'Aye' },
    { name: HOSTILE, vote: 'Nay <excused>' },
  ],
};

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  await served.civic.writer.write(
    [
      ...councilOfDallas(),
      meeting('first', -14, { status: 'held' }),
      meeting('second', -7, { status: 'held' }),
      meeting('third', 7),
      item('hearing', 'first', { ...FILE, title: 'Hold a hearing', actionText: 'Member A moved to lay over; 2-1' }),
      item('vote', 'second', {
        ...FILE,
        title: 'Adopt it',
        votes: VOTES,
        actionText: 'Adopted as amended',
        outcome: 'approved',
        actions: [
          { text: `Amended by ${HOSTILE}`, outcome: null },
          { text: 'Adopted as amended', outcome: 'approved' },
        ],
      }),
      item('later', 'third', { matterFile: 'z26-0001', title: 'Report on it' }),
      item('alone', 'third', {
        sequence: 2,
        matterFile: 'Z 26-0002',
        title: 'A fence',
        votes: { ...VOTES, members: [] },
      }),
    ],
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
});
afterAll(async () => served?.close());

const idOf = (name: string): string => pageRecordId('agenda_items', name);
const itemText = (name: string): Promise<string> => pageOf(served, `/items/${idOf(name)}`);
const meetingText = (name: string): Promise<string> => pageOf(served, `/meetings/${pageRecordId('meetings', name)}`);

test('an item shows mover, seconder, tally and votes by member as text of the source', async () => {
  const text = await itemText('vote');
  expect(text).toContain('<dt>Moved by</dt><dd>Member A</dd>');
  expect(text).toContain(`<dt>Seconded by</dt><dd>${ESCAPED}</dd>`);
  expect(text).toContain('<dt>Tally</dt><dd>2:1</dd>');
  expect(text).toContain('<tr><th scope="row">Member A</th><td>Aye</td></tr>');
  expect(text).toContain(`<tr><th scope="row">${ESCAPED}</th><td>Nay &lt;excused&gt;</td></tr>`);
  expect(text).not.toContain(HOSTILE);
});

test('an item without votes by member has no table of them, and one without a vote no mover', async () => {
  expect(await itemText('alone')).toContain('<dt>Moved by</dt>');
  expect(await itemText('alone')).not.toContain('<table');
  expect(await itemText('later')).not.toContain('Moved by');
});

test('an item lists the other agendas with its file, oldest first, with the outcome or the words of the source', async () => {
  const text = await itemText('later');
  const list = text.slice(text.indexOf('id="appearances"'));
  const places = ['Hold a hearing', 'Member A moved to lay over; 2-1', idOf('vote'), 'Adopt it'].map((each) =>
    list.indexOf(each),
  );
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  expect(list).toContain(`<a href="/items/${idOf('hearing')}">Wednesday, December 17, 2025</a>`);
  expect(list).toContain('City Council');
  expect(list).toMatch(/December 24, 2025.*held.*approved/);
  expect(list).not.toContain(idOf('later'));
});

test('a meeting leads from an item to its other agendas, and from no other item', async () => {
  const text = await meetingText('third');
  expect(text).toContain(`href="/items/${idOf('later')}#appearances"`);
  expect(text).not.toContain(`href="/items/${idOf('alone')}#appearances"`);
  expect(await itemText('alone')).not.toContain('id="appearances"');
});

test('an item without an outcome shows the words of the source, on its page and on that of the meeting', async () => {
  for (const text of [await itemText('hearing'), await meetingText('first')]) {
    expect(text).toContain('Member A moved to lay over; 2-1');
    expect(text.slice(0, text.indexOf('id="appearances"'))).not.toContain('class="tag">approved');
  }
});

test('an item shows each action of the source in order', async () => {
  const text = await itemText('vote');
  expect(text).toMatch(
    /<li>Amended by Member &lt;1&gt;.*<\/li><li>Adopted as amended <span class="tag">approved<\/span><\/li>/s,
  );
  expect(await itemText('hearing')).not.toContain('id="actions"');
});

async function toolData(name: string): Promise<unknown> {
  const { secret } = await served.issueKey(await served.openAccount(), { scopes: ['mcp:read'] });
  const sending = currentRequest('tools/call', {
    params: { name: 'get_agenda_item', arguments: { itemId: idOf(name) } },
  });
  const { messages } = await askTools({ url: served.baseUrl, key: secret, ...sending });
  return (messages[0]!.result!['structuredContent'] as { readonly data: unknown }).data;
}

test('get_agenda_item answers with the vote, the actions and the other agendas', async () => {
  expect(await toolData('vote')).toMatchObject({
    truncated: false,
    item: {
      votes: VOTES,
      actions: [
        { text: `Amended by ${HOSTILE}`, outcome: null },
        { text: 'Adopted as amended', outcome: 'approved' },
      ],
      appearances: [
        { itemId: idOf('hearing'), actionText: 'Member A moved to lay over; 2-1' },
        { itemId: idOf('later') },
      ],
      appearanceCount: 2,
    },
  });
});

test('the erasure of a member reaches the page, the other agendas and get_agenda_item', async () => {
  const answers = async () => [
    await itemText('vote'),
    await itemText('later'),
    JSON.stringify(await toolData('vote')),
    await meetingText('first'),
  ];
  for (const text of await answers()) expect(text).toContain('Member A');
  const streams = ['vote', 'hearing'].map((name) => ({ stream: `agenda_items-${idOf(name)}` }));
  const erasing = { path: null, literal: 'Member A', replacement: '[removed]' };
  const { position } = await served.civic.erasing.erase({
    streams,
    erasing,
    reason: 'personal_data',
    by: 'a test',
    dryRun: false,
  });
  await served.civic.caughtUp(position!);
  served.clock.time += 2_000;
  for (const text of await answers()) {
    expect(text).toContain('[removed]');
    expect(text).not.toContain('Member A');
  }
});
