import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readDocument } from '../../infra/documents/read-document.ts';
import { linesAsTexts, smallPdf } from '../support/small-pdf.ts';

const AGENDA = [
  'EXAMPLE CITY COUNCIL',
  'AGENDA',
  'Tuesday, March 3, 2026, 6:30 p.m.',
  '',
  '1. Call to Order',
  '2. Consent Agenda',
  '  A. Approve the minutes of the sample meeting',
  '  B. Approve the lease of a sample hangar',
  '3. Adjournment',
];
const NUMBERS = ['1', '2', '2.A', '2.B', '3'];
const read = async (bytes: Uint8Array, mediaType: string | null = null) =>
  (await readDocument(bytes, mediaType)).agenda;
const numbersOf = async (bytes: Uint8Array, mediaType: string | null = null) =>
  (await read(bytes, mediaType)).items.map(({ number }) => number);

it('reads the text of a PDF with its positions', async () => {
  const { agenda, text } = await readDocument(smallPdf([linesAsTexts(AGENDA)]), null);
  expect(agenda).toMatchObject({ body: 'City Council', date: '2026-03-03', time: '18:30', textEvidence: 'readable' });
  expect(agenda.items.map(({ number }) => number)).toEqual(NUMBERS);
  expect(text).toContain('Approve the lease of a sample hangar');
});

it('reads pages of a PDF in order, and a number in a column of its own', async () => {
  const page = (rows: readonly (readonly [string, string])[], from = 0) =>
    rows.flatMap(([number, title], index) => [
      { text: number, x: 72, y: 72 + from + 24 * index },
      { text: title, x: 110, y: 72 + from + 24 * index },
    ]);
  const head = { text: 'EXAMPLE BOARD AGENDA', x: 200, y: 60, size: 14, isBold: true };
  const pdf = smallPdf([
    [
      head,
      ...page(
        [
          ['1', 'Call to Order'],
          ['2', 'Sample plat'],
        ],
        30,
      ),
    ],
    page([
      ['3', 'Sample plan'],
      ['4', 'Adjournment'],
    ]),
  ]);
  const { items } = await read(pdf);
  expect(items.map(({ number, title, page: at }) => [number, title, at])).toEqual([
    ['1', 'Call to Order', 1],
    ['2', 'Sample plat', 1],
    ['3', 'Sample plan', 2],
    ['4', 'Adjournment', 2],
  ]);
});

it('finds no text layer in a PDF of drawings', async () => {
  expect(await read(smallPdf([[]]))).toMatchObject({ textEvidence: 'no_text_layer', items: [] });
});

const NUMBERING = `<w:numbering xmlns:w="w">
  <w:abstractNum w:abstractNumId="7">
    <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
    <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%2."/></w:lvl>
  </w:abstractNum>
  <w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>
</w:numbering>`;
const paragraph = (text: string, level?: number): string => {
  const number = level === undefined ? '' : `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="3"/></w:numPr>`;
  return `<w:p><w:pPr>${number}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
};
const docx = (paragraphs: readonly string[]): Uint8Array =>
  zipSync({
    'word/document.xml': strToU8(`<w:document xmlns:w="w"><w:body>${paragraphs.join('')}</w:body></w:document>`),
    'word/numbering.xml': strToU8(NUMBERING),
  });

it('counts the numbers of a DOCX like Word, and starts letters again under each numeral', async () => {
  const file = docx([
    paragraph('EXAMPLE CITY COUNCIL AGENDA'),
    paragraph('March 3, 2026'),
    paragraph('Call to Order', 0),
    paragraph('Old Business', 0),
    paragraph('Sample bridge', 1),
    paragraph('New Business', 0),
    paragraph('Sample road', 1),
    paragraph('Sample park', 1),
    paragraph('Adjournment', 0),
  ]);
  expect(await numbersOf(file)).toEqual(['I', 'II', 'II.A', 'III', 'III.A', 'III.B', 'IV']);
});

it('reads the level of a DOCX list from the style of its paragraphs, and their indent from the level', async () => {
  const styled = (style: string, text: string): string =>
    `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const style = (name: string): string =>
    `<w:style w:styleId="${name}"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>`;
  const level = (at: number, name: string): string =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="${name}"/><w:lvlText w:val="%${at + 1}."/><w:pPr><w:ind w:left="${720 * (at + 1)}" w:hanging="360"/></w:pPr></w:lvl>`;
  const texts = [
    paragraph('EXAMPLE CITY COUNCIL AGENDA'),
    styled('Section', 'Call to Order'),
    styled('Section', 'New Business'),
    styled('Matter', 'Sample road'),
    styled('Matter', 'Sample park'),
    styled('Section', 'Adjournment'),
  ];
  const file = zipSync({
    'word/document.xml': strToU8(`<w:document xmlns:w="w"><w:body>${texts.join('')}</w:body></w:document>`),
    'word/header1.xml': strToU8(`<w:hdr xmlns:w="w">${paragraph('March 3, 2026')}</w:hdr>`),
    'word/styles.xml': strToU8(`<w:styles xmlns:w="w">${style('Section')}${style('Matter')}</w:styles>`),
    'word/numbering.xml': strToU8(
      `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7">${level(0, 'Section')}${level(1, 'Matter')}</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
    ),
  });
  expect(await numbersOf(file)).toEqual(['1', '2', '2.1', '2.2', '3']);
  expect(await read(file)).toMatchObject({ date: '2026-03-03' });
});

it('joins a line of a DOCX that begins in lower case to the line before it, and reads a text box once', async () => {
  const box = `<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>1. Call to Order</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>1. Call to Order</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`;
  const broken =
    '<w:p><w:r><w:t>2. Sample road</w:t><w:br/><w:t>in the north</w:t><w:br/><w:t>3. Adjournment</w:t></w:r></w:p>';
  const { items } = await read(docx([paragraph('COUNCIL AGENDA'), box, broken]));
  expect(items.map(({ number, title }) => `${number} ${title}`)).toEqual([
    '1 Call to Order',
    '2 Sample road in the north',
    '3 Adjournment',
  ]);
});

it('reads the rows of a DOCX table as lines, and leaves deleted text out', async () => {
  const row = (number: string, title: string): string =>
    `<w:tr><w:tc>${paragraph(number)}</w:tc><w:tc>${paragraph(title)}</w:tc></w:tr>`;
  const deleted = '<w:p><w:del><w:r><w:delText>9. Sample that was deleted</w:delText></w:r></w:del></w:p>';
  const file = docx([
    paragraph('COUNCIL AGENDA'),
    `<w:tbl>${row('1.', 'Call to Order')}${row('2.', 'Sample road')}${row('3.', 'Adjournment')}</w:tbl>`,
    deleted,
  ]);
  const { items } = await read(file);
  expect(items.map(({ number, title }) => `${number} ${title}`)).toEqual([
    '1 Call to Order',
    '2 Sample road',
    '3 Adjournment',
  ]);
});

it('reads the lists and headings of HTML with their numbers', async () => {
  const html = `<!doctype html><title>Not this</title><style>p { color: red }</style><h1>Example City Council Agenda</h1>
    <p>March 3, 2026</p><ol type="I"><li>Call to Order</li><li>Consent Agenda<ol type="A"><li>Sample &amp; other road</li></ol></li>
    <li value="5">Adjournment</li></ol><script>document.write('6. Nothing')</script>`;
  const { items } = await read(new TextEncoder().encode(html));
  expect(items.map(({ number, title }) => `${number} ${title}`)).toEqual([
    'I Call to Order',
    'II Consent Agenda',
    'II.A Sample & other road',
    'V Adjournment',
  ]);
});

it('reads a number that a page writes in an entry of a list once, and levels of elements', async () => {
  const html = `<h1>Example City Council Agenda</h1><ol><li><p><span>A.</span><span>Call to Order</span></p></li><li><p>B. Consent</p></li></ol>
    <div class="item level2"><div>1.</div><div>Sample road</div></div><div class="item level2"><div>2.</div><div>Sample park</div></div>
    <div class="item level3"><div>1.</div><div>Northern part</div></div><ol><li value="3">C. Adjournment</li></ol>`;
  const { items } = await read(new TextEncoder().encode(html));
  expect(items.map(({ number, title }) => `${number} ${title}`)).toEqual([
    'A Call to Order',
    'B Consent',
    'B.1 Sample road',
    'B.2 Sample park',
    'B.2.1 Northern part',
    'C Adjournment',
  ]);
});

it('leaves presenters in the last column of a table out', async () => {
  const row = (...cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const html = `<table>${row('COUNCIL AGENDA')}${row('1.', 'Call to Order', 'Mayor')}${row('2.', 'Sample road<br>of the north', 'Staff')}${row('3.', 'Adjournment', 'Mayor')}</table>`;
  const { items } = await read(new TextEncoder().encode(html));
  expect(items.map(({ title }) => title)).toEqual(['Call to Order', 'Sample road of the north', 'Adjournment']);
});

it('reads HTML in Windows-1252', async () => {
  const html = Buffer.from('<p>COUNCIL AGENDA</p><p>1. Call to Order</p><p>2. Caf\xe9 plan</p>', 'latin1');
  expect((await read(new Uint8Array(html))).items[1]!.title).toBe('Café plan');
});

it('reads plain text only where the media type says so', async () => {
  const bytes = new TextEncoder().encode(AGENDA.join('\n'));
  expect(await numbersOf(bytes, 'text/plain; charset=utf-8')).toEqual(NUMBERS);
  expect(await read(bytes)).toMatchObject({ textEvidence: null, reason: 'is neither PDF, DOCX, HTML nor plain text' });
});

it.each([
  ['a menu', (title: string): string => `<li><a href="/x">${title}</a></li>`],
  ['a list of meetings', (): string => '<li>Agenda</li>'],
])('takes no items from %s of a site', async (_, entry) => {
  const titles = ['Home', 'Agenda Center', 'Minutes', 'Sample Board', 'Sample Council', 'Contact'];
  const page = `<h1>Agenda Center</h1><ol>${titles.map(entry).join('')}</ol>`;
  expect(await read(new TextEncoder().encode(page))).toMatchObject({
    items: [],
    reason: 'is a page of links, not an agenda',
  });
});

it('reads a page that came in place of a file', async () => {
  const page = new TextEncoder().encode(
    '<html><body><h1>Access Denied</h1><p>You have no permission to see this page.</p>',
  );
  expect(await read(page, 'application/pdf')).toMatchObject({
    items: [],
    reason: expect.stringContaining('not recognized'),
  });
});

it('ends bold text with its run, and ignores the mark at the end of a paragraph', async () => {
  const run = (text: string, properties = ''): string =>
    `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`;
  const bold = '<w:rPr><w:b/></w:rPr>';
  const file = docx([
    paragraph('COUNCIL AGENDA'),
    paragraph('1. Call to Order'),
    `<w:p><w:pPr>${bold}</w:pPr>${run('2. CITIZEN COMMENTS', bold)}${run(' The council welcomes comments. Each speaker has three minutes.')}</w:p>`,
    paragraph('3. Adjournment'),
  ]);
  const { items } = await read(file);
  expect(items.map(({ title }) => title)).toEqual(['Call to Order', 'CITIZEN COMMENTS', 'Adjournment']);
});
