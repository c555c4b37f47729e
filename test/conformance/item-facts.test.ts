import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ToolData } from '../../src/edge/mcp/run-tool.ts';
import type { TOOLS } from '../../contract/tools/tools.ts';
import { MAX_TOOL_BYTES } from '../../contract/tools/tool.ts';
import type { RecordContent } from '../../domain/records/resources.ts';
import { councilOfDallas, item, meeting, pageRecordId } from '../support/page-records.ts';
import { pageOf, type ServedCivic, serveNewCivic } from '../support/served-civic.ts';
import { askTools, currentRequest } from '../support/tool-requests.ts';

const TITLE =
  'Authorize a contract with Example Paving, LLC at 12 Example Street in Council District 7, not to exceed $1,250.00';
const HOSTILE = `Jo <b>"X"</b> & 'Y'`;
const own = (value: number, title: string): NonNullable<RecordContent<'agenda_items'>['amounts']> => [
  { value, currency: 'USD', role: 'per_unit', unit: '<per> hour', field: 'title', offset: 0, sourceText: title },
];

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  await served.civic.writer.write(
    [
      ...councilOfDallas(),
      meeting('first', 7),
      item('contract', 'first', { title: TITLE }),
      item('plain', 'first', { sequence: 2, title: 'Hear a report on parks' }),
      item('hostile', 'first', {
        sequence: 3,
        title: HOSTILE,
        amounts: own(0.5, HOSTILE),
        parties: [{ name: HOSTILE, role: 'owner', field: 'title', offset: 0, sourceText: HOSTILE }],
      }),
      ...Array.from({ length: 30 }, (_, nth) =>
        item(`typical ${nth}`, 'first', {
          sequence: 10 + nth,
          matterFile: `26-${nth}`,
          title: `Approve a typical service agreement with Example Company ${nth}, Inc. for the maintenance of traffic signals in an amount not to exceed $${nth + 1},000.00 for the Department of Transportation, with two renewals`,
        }),
      ),
    ],
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
});
afterAll(async () => served?.close());

const idOf = (name: string): string => pageRecordId('agenda_items', name);
const itemText = (name: string): Promise<string> => pageOf(served, `/items/${idOf(name)}`);
async function toolData<Name extends keyof typeof TOOLS>(name: Name, args: object): Promise<ToolData<Name>> {
  const { secret } = await served.issueKey(await served.openAccount(), { scopes: ['mcp:read'] });
  const sending = currentRequest('tools/call', { params: { name, arguments: args } });
  const { messages } = await askTools({ url: served.baseUrl, key: secret, ...sending });
  return (messages[0]!.result!['structuredContent'] as { readonly data: ToolData<Name> }).data;
}

test('the page of an item has its facts as a table, and none without facts', async () => {
  const text = await itemText('contract');
  const rows = [...text.matchAll(/<tr><th scope="row">([^<]*)<\/th><td>([^<]*)<\/td><\/tr>/g)].map(([, ...row]) => row);
  expect(rows).toEqual([
    ['Not to exceed', '$1,250.00'],
    ['Vendor', 'Example Paving, LLC'],
    ['Place', '12 Example Street'],
    ['District', '7'],
  ]);
  expect(await itemText('plain')).not.toContain('id="facts"');
});

test('facts that an import sent are shown as text', async () => {
  const text = await itemText('hostile');
  expect(text).toContain('<th scope="row">Owner</th><td>Jo &quot;X&quot; &amp; &#39;Y&#39;</td>');
  expect(text).not.toContain('<per>');
  expect(await pageOf(served, '/search?q=Jo')).toContain('Price $0.50');
});

test('a result of the search page has its first amounts and parties', async () => {
  expect(await pageOf(served, '/search?q=%22Example%20Paving%22')).toContain(
    '<p class="quiet">Not to exceed $1,250 · Vendor Example Paving, LLC</p>',
  );
  expect(await pageOf(served, '/search?q=parks')).not.toMatch(/Amount \$|Vendor/);
});

test('get_agenda_item has the facts with the words of the source', async () => {
  const { item: shown } = await toolData('get_agenda_item', { itemId: idOf('contract') });
  expect(shown).toMatchObject({
    amounts: [{ value: 1250, currency: 'USD', role: 'not_to_exceed', unit: null, sourceText: '$1,250.00' }],
    parties: [{ name: 'Example Paving, LLC', role: 'vendor', sourceText: 'Example Paving, LLC' }],
    places: [{ kind: 'street_address', use: 'affected', name: null, sourceText: '12 Example Street' }],
    districts: [{ district: '7', sourceText: '7' }],
  });
  const { item: plain } = await toolData('get_agenda_item', { itemId: idOf('plain') });
  expect(Object.keys(plain)).not.toContain('amounts');
});

test('search_agenda has amounts and parties, and 20 typical results in one answer', async () => {
  const data = await toolData('search_agenda', { query: 'traffic signals', limit: 20 });
  expect([data.results.length, data.truncated]).toEqual([20, false]);
  const withFacts = data.results.filter(({ amounts }) => amounts !== undefined);
  expect(withFacts).toEqual(data.results.slice(0, withFacts.length));
  expect(withFacts.length).toBeGreaterThanOrEqual(5);
  for (const { amounts, parties } of withFacts) {
    expect(amounts).toEqual([
      { value: expect.any(Number) as number, currency: 'USD', role: 'not_to_exceed', unit: null },
    ]);
    expect(parties).toEqual([{ name: 'Example Company', role: 'vendor' }]);
  }
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(MAX_TOOL_BYTES);
});

test('the search page filters by amount, and its other links keep the amounts', async () => {
  const titlesWith = async (filter: string): Promise<readonly string[]> => {
    const text = await pageOf(served, `/search?q=traffic+signals${filter}`);
    return [...text.matchAll(/Not to exceed (\$[\d,]+) /g)].map(([, amount]) => amount!).toSorted();
  };
  expect(await titlesWith('&min=3000&max=4000')).toEqual(['$3,000', '$4,000']);
  expect(await titlesWith('&max=1000')).toEqual(['$1,000']);
  expect(await titlesWith('&min=30000&max=')).toEqual(['$30,000']);
  expect((await titlesWith('')).length).toBeGreaterThan(4);
  const text = await pageOf(served, '/search?q=traffic+signals&min=3000');
  expect(text).toContain('/search/atom.xml?q=traffic+signals&amp;min=3000');
  expect(text).toMatch(/name="min"[^>]* value="3000"/);
});
