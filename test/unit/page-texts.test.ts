import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { COUNTIES } from '../../src/sources/catalogue/catalogue-records.ts';
import { countiesOf, countyList } from '../../src/edge/pages/county-map.ts';
import { clipped, fitting, html, printable } from '../../src/edge/pages/html.ts';
import { markedText, quoteInText } from '../../src/edge/pages/marked-text.ts';
import { beyondHeading, hasName, headingOf, hitTexts, summaryAfterTitle } from '../../src/edge/pages/quote-texts.ts';

describe('a marked text', () => {
  const marked = (text: string, ...quotes: readonly string[]) => markedText(text, quotes).toString();

  test.each([
    ['one two three', ['two'], 'one <mark>two</mark> three'],
    ['one two three', ['four'], 'one two three'],
    ['one two three', ['one two', 'two three'], '<mark>one two three</mark>'],
    ['one two three', ['three', 'one'], '<mark>one</mark> two <mark>three</mark>'],
    ['a <b> c', ['<b>'], 'a <mark>&lt;b&gt;</mark> c'],
    ['one', [''], 'one'],
  ])('of %j with %j is %s', (text, quotes, expected) => {
    expect(marked(text, ...quotes)).toBe(expected);
  });

  test('a quote stands between what is around it, and alone where the text does not have it', () => {
    const text = `${'x'.repeat(500)} the quote ${'y'.repeat(500)}`;
    expect(quoteInText(text, 'the quote').toString()).toMatch(/^… x{159} <mark>the quote<\/mark> y{159} …$/);
    expect(quoteInText(text, 'another').toString()).toBe('<mark>another</mark>');
    expect(quoteInText(null, 'z'.repeat(500)).toString()).toBe(`<mark>${'z'.repeat(400)}</mark> …`);
  });
});

// U+202E overrides the direction until U+202C, U+2067 isolates until U+2069.
test.each([
  ['\u202egnp.exe', '\u202egnp.exe\u202c'],
  ['a \u202eb\u202c c', 'a \u202eb\u202c c'],
  ['\u2067\u202aa', '\u2067\u202aa\u202c\u2069'],
  ['\u2067\u202aa\u2069', '\u2067\u202aa\u2069'],
  ['\u202e\u2067a\u202c', '\u202e\u2067a\u202c\u2069\u202c'],
  ['\u202ea\u2069\u202c\u202c', '\u202ea\u2069\u202c\u202c'],
])('the direction that the text %j begins ends with it', (text, expected) => {
  expect([clipped(text, 99), headingOf(text, 99)]).toEqual([expected, expected]);
  expect(clipped(`${text} ${'b'.repeat(99)}`, text.length)).toBe(`${expected} …`);
  expect(clipped(expected, 99)).toBe(expected);
});

test.each([
  ['A plan for flats', 'A plan for flats.', 'A plan for flats', '<mark>A plan for flats</mark>', null, null],
  ['Z-1', 'Z-1. Place: Main Street.', 'plans 40 flats', 'Z-1', 'Place: Main Street.', '<mark>plans 40 flats</mark>'],
  [
    'Z-1',
    'Flats on\n Main Street. Approved.',
    '… Flats on Main Street …',
    'Z-1',
    '<mark>Flats on Main Street</mark>. Approved.',
    null,
  ],
  [
    'Z-1',
    'Flats on Main Street.',
    'The plan: Flats on Main Street.',
    'Z-1',
    null,
    '<mark>The plan: Flats on Main Street.</mark>',
  ],
  ['Plan', 'Plan of 40 flats.', 'flats', 'Plan', 'Plan of 40 <mark>flats</mark>.', null],
  [
    'Plan of flats',
    'Plan for flats of two rooms.',
    'flats',
    'Plan of <mark>flats</mark>',
    'Plan for flats of two rooms.',
    null,
  ],
  ['Wall; fence of wood', 'Fence of wood. Cut.', 'oak', 'Wall; …', 'Fence of wood. Cut.', '<mark>oak</mark>'],
  [
    'A fence of wood',
    'A fence of wood.',
    'A fence of wood. Painted.',
    '<mark>A fence</mark> …',
    null,
    '… <mark>of wood. Painted.</mark>',
  ],
  ['A fence of wood', 'Cut.', 'wood', 'A fence …', 'Cut.', '<mark>wood</mark>'],
])('title %j, summary %j and quote %j show each fact once', (title, summary, evidenceQuote, ...expected) => {
  const texts = hitTexts({ title, summary, evidenceQuote }, { title: title.includes('fence') ? 7 : 100, summary: 100 });
  expect([texts.title, texts.summary, texts.quote].map((text) => text && text.toString())).toEqual(expected);
});

const SPEECH = 'Authorize Execution of a Contract with Acme, Inc. in the Amount of $5,000.00 for a Wall of Stone';
test.each([
  // The sentence of the summary that is the title with fewer words or another form of the verb.
  [
    '(CD 3) Authorize Execution of a Contract with Acme, Inc.',
    'Authorize Contract with Acme, Inc. Place: CD 3.',
    'Place: CD 3.',
  ],
  ['Adopt Ordinance Vacating a Street', 'Vacate a Street. Approved.', 'Approved.'],
  ['Plan for flats', 'PLAN FOR FLATS.', ''],
  [SPEECH, `${SPEECH}. Listed.`, 'Listed.'],
  // A summary that begins within a sentence is shown whole.
  [
    SPEECH,
    'Authorize Contract with Acme, Inc. in the Amount of $6,000.00.',
    'Authorize Contract with Acme, Inc. in the Amount of $6,000.00.',
  ],
  [
    'Approve contract with Acme; deny contract with Beta',
    'Approve contract with Beta. Listed.',
    'Approve contract with Beta. Listed.',
  ],
  ['Approve contract with Acme', 'Approved. The vote was 5 to 2.', 'Approved. The vote was 5 to 2.'],
  ['Contract for $5.25 million', 'Contract for $5. Listed.', 'Contract for $5. Listed.'],
  ['Flats are built', 'Built flats.', 'Built flats.'],
  [
    'Authorize Amendment No. 2 to the Agreement (CSJ No. 0918) with Acme',
    'Authorize Amendment No. 2 to the Agreement with Acme. Listed.',
    'Authorize Amendment No. 2 to the Agreement with Acme. Listed.',
  ],
  [
    'Sell an alley to K. Carter',
    'Sell an alley to K. Carter and others. Listed.',
    'Sell an alley to K. Carter and others. Listed.',
  ],
  ['Lease to Acme, Inc.', 'Lease to Acme, Inc. (a café) of flats.', 'Lease to Acme, Inc. (a café) of flats.'],
  ['Approve the plan', 'Deny the plan. Approve the plan.', 'Deny the plan. Approve the plan.'],
])('after the title %j the summary %j says %j', (title, summary, further) => {
  expect(summaryAfterTitle(summary, title)).toBe(further);
});

test('a summary is shown where the quote that has it is cut before it', () => {
  const texts = { title: 'Z-1', summary: 'Flats.', evidenceQuote: `${'Stone '.repeat(100)}Flats.` };
  expect(hitTexts(texts, { title: 100, summary: 100 }).summary?.toString()).toBe('Flats.');
});

test('of long texts only the beginning is compared', () => {
  expect(summaryAfterTitle('A b. '.repeat(20_000), 'c').length).toBeLessThan(3_010);
  expect(summaryAfterTitle('B.', `${'a '.repeat(5_000)}b`)).toBe('B.');
});

test.each([
  ['Contract for $5', 'Contract for $5,250,000', '', 'Contract for $5,250,000'],
  ['Contract for $5', 'Contract for $5.25 million', '', 'Contract for $5.25 million'],
  ['Contract for 5', 'Contract for 5% of it', '', 'Contract for 5% of it'],
  ['Plan', 'Planning of flats', '', 'Planning of flats'],
  ['A wall of stone', 'wall', 'wall', ''],
  ['A wall of …', 'A wall of stone', 'A wall of', 'stone'],
  ['Z-1, a long wall of stones …', 'a long wall of stones and wood', 'a long wall of stones', 'and wood'],
  ['A wall', 'A wall.', 'A wall', ''],
  ['A wall', 'all of it', '', 'all of it'],
  ['A long wall of stone', 'wall of stone', 'wall of stone', ''],
  ['', 'wall', '', 'wall'],
])('of %j the quote %j repeats %j and adds %j', (heading, quote, overlap, rest) => {
  expect(beyondHeading(heading, quote)).toEqual({ overlap, rest });
});

test.each([
  ['CITY COUNCIL work session', 'City Council', true],
  ["Councilors' retreat", 'Council', false],
  ['Parks Boardwalk Study', 'Parks Board', false],
  ['Regular meeting', '—', false],
  ['…', '—', false],
])('the title %j has the name %j: %j', (title, name, expected) => {
  expect(hasName(title, name)).toBe(expected);
});

test('a long title is cut at a word, and its summary continues where the title was cut', () => {
  const summary = `${SPEECH}. Listed.`;
  const texts = hitTexts(
    { title: SPEECH, summary, evidenceQuote: `${SPEECH.slice(0, 80)} …` },
    { title: 60, summary: 100 },
  );
  expect([texts.title, texts.quote, texts.summary].map((text) => text && text.toString())).toEqual([
    '<mark>Authorize Execution of a Contract with Acme, Inc. in the</mark> …',
    null,
    '… <mark>Amount of $5,000.00 for</mark> a Wall of Stone. Listed.',
  ]);
  expect(headingOf(SPEECH, 85)).toBe(SPEECH);
});

test('every value of a template is escaped, and its own markup is not', () => {
  const inner = html`<b>${`<'">&`}</b>`;
  expect(html`${inner}${['<', [null, false, 1]]}`.toString()).toBe('<b>&lt;&#39;&quot;&gt;&amp;</b>&lt;1');
});

test('a long text is cut between characters, and a list at its size in bytes but after one row', () => {
  expect([clipped(' a\n b ', 9), clipped('abc', 2), clipped('a𝔘b', 2)]).toEqual(['a b', 'ab …', 'a …']);
  const rows = (size: number) => fitting(['aa', 'bb', 'cc'], size, (row) => html`${row}`).length;
  expect([rows(1), rows(4), rows(100)]).toEqual([1, 2, 3]);
  expect(fitting(['漢', '字'], 5, (row) => html`${row}`)).toHaveLength(1);
});

test('a printable text has no characters that XML forbids', () => {
  expect(printable('a\u0000\u0001b\tc\n\ud800\uffff')).toBe('ab\tc\n\ufffd');
});

test.each([
  [['dallas-county', 'dallas'], '2 municipalities, covered and read: the county and 1 municipality'],
  [['dallas-county'], '2 municipalities, covered and read: the county<'],
  [['dallas', 'plano'], '2 municipalities, covered and read: 2 municipalities'],
  [[], '2 municipalities, covered and read: none'],
])('where %j were read, a county of two municipalities has "%s"', (read, expected) => {
  const place = (slug: string, level: 'city' | 'county') =>
    ({
      jurisdictionSlug: slug,
      jurisdictionName: slug,
      level,
      kind: level,
      countySlugs: ['dallas'],
      active: true,
      families: [],
    }) as const;
  const counties = countiesOf([place('dallas-county', 'county'), place('dallas', 'city'), place('plano', 'city')]);
  expect(countyList(counties, new Set(read)).toString()).toContain(expected);
});

test('the map has an outline of each county', () => {
  const { shapes } = JSON.parse(
    readFileSync(new URL('../../src/edge/pages/county-shapes.json', import.meta.url), 'utf8'),
  ) as {
    shapes: Record<string, string>;
  };
  expect(Object.keys(shapes).toSorted()).toEqual(COUNTIES.map(({ slug }) => slug).toSorted());
  for (const outline of Object.values(shapes)) expect(outline).toMatch(/^(M[\d. L]+Z)+$/);
});

test('markup contains no control characters of its values', () => {
  expect(String(html`<p>${'a\u0001b\n<'}${['\u0008c', html`<b>${'\u007fd'}</b>`]}</p>`)).toBe(
    '<p>ab\n&lt;c<b>d</b></p>',
  );
});
