import { describe, expect, test } from 'vitest';
import { decide, type RecordState } from '../../commands/records/record-decider.ts';
import { checkChange } from '../../commands/records/write-records.ts';
import {
  FACTS_VERSION,
  hasOutdatedFacts,
  lostFactPaths,
  MAX_FACT_BYTES,
  withFacts,
  withTrueFacts,
} from '../../domain/agenda/item-facts.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { FACT_LISTS, MAX_FACTS } from '../../domain/records/fact-schemas.ts';
import type { NormalizedContent, RecordContent, RecordData } from '../../domain/records/resources.ts';
import { agendaId } from '../support/agenda-events.ts';

const ID = agendaId('agenda_items', 'one');
const TITLE =
  'Authorize a contract with Example Paving, LLC at 12 Example Street in Council District 7, not to exceed $1,250.00';
const item = (content: Partial<RecordContent<'agenda_items'>> = {}): RecordContent<'agenda_items'> => ({
  meetingId: agendaId('meetings', 'one'),
  sequence: 1,
  title: TITLE,
  sourceUrl: 'https://example.org/items/1',
  ...content,
});

type Item = NormalizedContent<'agenda_items'>;

/** Returns the content that the writer publishes, or the reason for a rejection. */
function written(content: Partial<RecordContent<'agenda_items'>> = {}): Item | string {
  const checked = checkChange({ op: 'upsert', resource: 'agenda_items', id: ID, content: item(content) });
  if (checked.kind === 'rejected') return checked.reason;
  return checked.intent.type === 'PublishRecord' ? (checked.intent.content as Item) : 'no publication';
}
const published = (content: Partial<RecordContent<'agenda_items'>> = {}): Item => {
  const result = written(content);
  if (typeof result === 'string') throw new Error(result);
  return result;
};
type Quotation = Pick<NonNullable<Item['districts']>[number], 'field' | 'offset' | 'sourceText'>;
const factsOf = (content: Item) =>
  FACT_LISTS.flatMap((list) => (content[list] as readonly Quotation[] | undefined) ?? []);

describe('an item without facts of its own', () => {
  test('is published with the facts that its title states, under the version of the rules', () => {
    expect(published()).toMatchObject({
      amounts: [{ value: 1250, currency: 'USD', role: 'not_to_exceed', unit: null, field: 'title' }],
      parties: [{ name: 'Example Paving, LLC', role: 'vendor' }],
      places: [{ kind: 'street_address', use: 'affected', sourceText: '12 Example Street' }],
      districts: [{ district: '7' }],
      factsVersion: FACTS_VERSION,
    });
  });

  test.each([
    ['a long title', { title: `  ${TITLE}\n${'x '.repeat(50)}` }],
    ['decomposed letters', { title: `Cafe\u0301 ${TITLE}` }],
    ['a text', { title: 'Street work', text: `𝔘 Staff recommends: ${TITLE}. ${TITLE}` }],
  ])('quotes each fact from its offset: %s', (_, content) => {
    const result = published(content);
    expect(factsOf(result).length).toBeGreaterThan(3);
    for (const { field, offset, sourceText } of factsOf(result))
      expect(result[field]!.slice(offset, offset + sourceText.length)).toBe(sourceText);
  });

  test('has no key for a list without facts, and no version without facts', () => {
    expect(Object.keys(published())).not.toContain('caseNumbers');
    const keys = Object.keys(published({ title: 'Roll call' }));
    expect([...FACT_LISTS, 'factsVersion'].filter((key) => keys.includes(key))).toEqual([]);
  });

  test('has no fact that ends near or behind the part of a long text that is read', () => {
    const at = (offset: number) =>
      published({ title: 'Streets', text: `${'x '.repeat(offset / 2)}for $1,250.00 ${'x '.repeat(900)}` });
    expect(at(7_000).amounts).toMatchObject([{ value: 1250 }]);
    for (const offset of [7_900, 7_990, 8_000, 9_000]) expect(at(offset).amounts).toBeUndefined();
  });

  test.each(['heading', 'procedural'] as const)('has no facts if it is of the kind %s', (kind) => {
    expect(factsOf(published({ kind }))).toEqual([]);
  });

  test('has the facts of its new title after a change', () => {
    const later = published({ ...published(), title: 'Authorize a contract with Other Paving, LLC for $70.00' });
    expect(later.parties).toMatchObject([{ name: 'Other Paving, LLC' }]);
    expect(later.districts).toBeUndefined();
  });

  test.each([
    ['many amounts', Array.from({ length: 500 }, (_, nth) => `$${nth + 1}.00 to`).join(' ')],
    ['long names', `contract with ${'Éxample '.repeat(60)}LLC for $5.00`],
    ['many streets', Array.from({ length: 300 }, (_, nth) => `${nth + 1} Éxample Street,`).join(' ')],
    ['many of each', Array.from({ length: 200 }, (_, nth) => `${TITLE.replace('12', String(nth + 1))}.`).join(' ')],
  ])('has at most the allowed facts: %s', (_, text) => {
    const result = published({ title: TITLE, text });
    for (const list of FACT_LISTS) expect(result[list]?.length ?? 0).toBeLessThanOrEqual(MAX_FACTS);
    expect(factsOf(result).length).toBeGreaterThan(0);
    const facts = Object.fromEntries(FACT_LISTS.map((list) => [list, result[list]]));
    expect(Buffer.byteLength(JSON.stringify(facts))).toBeLessThan(MAX_FACT_BYTES + 500);
  });
});

describe('an item with facts of its own', () => {
  const own = {
    amounts: [{ value: 9, currency: 'EUR', role: 'total', field: 'title', offset: 0, sourceText: 'Nine' }],
  };
  const title = 'Nine euros for example, in Council District 3';

  test('keeps them, without those of the service', () => {
    const result = published({ title, ...own } as Partial<RecordContent<'agenda_items'>>);
    expect(result.amounts).toMatchObject([{ value: 9, currency: 'EUR', unit: null }]);
    expect([result.districts, result.factsVersion]).toEqual([undefined, undefined]);
    expect(hasOutdatedFacts(result)).toBe(false);
  });

  test('can state that there are none', () => {
    const result = published({ amounts: [] });
    expect(factsOf(result)).toEqual([]);
    expect(hasOutdatedFacts(result)).toBe(false);
  });

  test.each([
    ['elsewhere in the title', { offset: 1 }],
    ['not in the title', { sourceText: 'Ten' }],
    ['in a text that it lacks', { field: 'text' }],
  ])('is refused if its words are %s', (_, change) => {
    const amounts = [{ ...own.amounts[0]!, ...change }];
    expect(written({ title, amounts } as Partial<RecordContent<'agenda_items'>>)).toMatch(/^amounts\.0: sourceText/);
  });

  test('is refused if they are larger than those of the service can be', () => {
    const text = 'x'.repeat(300);
    const parties = Array.from({ length: MAX_FACTS }, () => ({
      name: text,
      role: 'vendor' as const,
      field: 'title' as const,
      offset: 0,
      sourceText: text,
    }));
    expect(written({ title: text, parties })).toMatch(/the facts have \d+ bytes; 8000 are allowed/);
  });
});

describe('the facts of a published item', () => {
  const at = '2026-01-02T00:00:00.000Z';
  const stored = (content: object): RecordState => {
    const data = { ...content, id: ID, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
    return { kind: 'published', createdAt: data.createdAt, updatedAt: data.updatedAt, data: canonicalJson(data) };
  };
  const renewed = (content: object) => {
    const decision = decide({ type: 'RenewFacts', at }, stored(content)) as readonly { readonly data: string }[];
    return decision.map(({ data }) => JSON.parse(data) as RecordData<'agenda_items'>);
  };
  const { amounts: _a, parties: _p, places: _l, districts: _d, factsVersion: _v, ...before } = published();

  test('are added to an item of an earlier version of the service, and nothing else changes', () => {
    expect(renewed(before)).toEqual([{ ...published(), id: ID, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: at }]);
  });

  test('are read again if they are those of other rules, also if there are none now', () => {
    expect(renewed({ ...published(), districts: undefined, factsVersion: 99 })).toMatchObject([
      { districts: [{ district: '7' }], factsVersion: FACTS_VERSION },
    ]);
    const [emptied] = renewed({ ...published(), title: 'Roll call', factsVersion: 99 });
    expect(factsOf(emptied!)).toEqual([]);
  });

  test('do not change if they are current, came with the import or the item has none', () => {
    const own = { ...before, amounts: [] };
    for (const content of [published(), own, { ...before, title: 'Roll call' }, { ...before, kind: 'heading' }])
      expect(renewed(content)).toEqual([]);
  });

  test('are lost with their words, and others stay', () => {
    const erased = { ...published(), title: TITLE.replace('LLC at 12', '[removed]') };
    expect(lostFactPaths(erased).map((path) => path.join('/'))).toEqual([
      'parties/0/sourceText',
      'parties/0/name',
      'places/0/sourceText',
    ]);
    expect(lostFactPaths(published())).toEqual([]);
  });

  test('of an import stay after an erasure where their words stand', () => {
    const own = { ...published(), factsVersion: undefined };
    const { amounts, parties, districts } = withTrueFacts({ ...own, title: TITLE.replace('12 Example', '[removed]') });
    expect([amounts, parties, districts]).toEqual([[], own.parties, []]);
  });
});

test('an item with facts is the same after each further reading', () => {
  expect(withFacts(withFacts(published()))).toEqual(published());
});
