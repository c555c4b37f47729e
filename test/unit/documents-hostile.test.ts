import { deflateSync, gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { afterEach, expect, it } from 'vitest';
import { createDocumentReader } from '../../infra/documents/document-reader.ts';
import { systemClock } from '../../infra/system/clock.ts';
import type { DocumentReader } from '../../domain/ports/documents.ts';
import { linesAsTexts, pdfOfObjects, pdfOfStreams, smallPdf } from '../support/small-pdf.ts';

const open: DocumentReader[] = [];
function openReader(limits: { readonly deadlineMs?: number; readonly memoryMb?: number } = {}): DocumentReader {
  const reader = createDocumentReader({ clock: systemClock, ...limits });
  open.push(reader);
  return reader;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((reader) => reader.close()));
});

const GOOD = smallPdf([
  linesAsTexts(['EXAMPLE CITY COUNCIL AGENDA', '1. Call to Order', '2. Sample road', '3. Adjournment']),
]);
const LOOP = '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 /Parent 2 0 R >>';
const ENCRYPTED = Buffer.from(
  Buffer.from(GOOD)
    .toString('latin1')
    .replace(
      '/Root 1 0 R',
      `/Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
    ),
  'latin1',
);
const document = (xml: string): Uint8Array => zipSync({ 'word/document.xml': strToU8(xml) });

it.each<readonly [string, Uint8Array, string]>([
  ['an encrypted PDF', new Uint8Array(ENCRYPTED), 'is encrypted'],
  ['a truncated PDF', GOOD.slice(0, 60), 'is not a complete PDF'],
  [
    'a PDF whose pages contain themselves',
    pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', LOOP]),
    'contains itself',
  ],
  ['a truncated ZIP archive', document('<w:document/>').slice(0, 40), 'is not a complete ZIP archive'],
  ['another ZIP archive', zipSync({ 'a.txt': strToU8('a') }), 'is a ZIP archive, but not a document of Word'],
  ['a ZIP bomb', document('a'.repeat(60_000_000)), 'unpacks to more than 50 MB'],
  ['packed bytes', new Uint8Array(gzipSync('a')), 'is neither PDF, DOCX, HTML nor plain text'],
  ['an empty file', new Uint8Array(), 'is empty'],
])('%s has a reason and no items', async (_, bytes, reason) => {
  const { agenda } = await openReader().read(bytes, null);
  expect(agenda).toMatchObject({ items: [], reason: expect.stringContaining(reason) });
});

it('an agenda with a damaged page is not divided in part', async () => {
  const page = (lines: readonly string[]) =>
    deflateSync(lines.map((text, nth) => `BT /R 11 Tf 72 ${700 - nth * 20} Td (${text}) Tj ET`).join('\n'));
  const first = page([
    'CITY COUNCIL AGENDA',
    'December 8, 2026',
    '1. Call to order',
    '2. Consider a contract for road repair',
  ]);
  const second = page(['3. Consider a contract for bridge repair', '4. Adjourn']);
  const read = async (...pages: Uint8Array[]) => (await openReader().read(pdfOfStreams(pages), null)).agenda;
  expect((await read(first, second)).items).toHaveLength(4);
  const damaged = Uint8Array.from(second).fill(0xff, 12, 40);
  expect(await read(first, damaged)).toMatchObject({
    date: '2026-12-08',
    textEvidence: 'readable',
    items: [],
    reason: 'has damaged pages: 1 of 2',
  });
  expect(await read(damaged)).toMatchObject({ textEvidence: null, items: [], reason: 'has only damaged pages' });
});

it('a PDF that unpacks to more memory than is allowed costs one worker', async () => {
  const bomb = pdfOfStreams([deflateSync(Buffer.alloc(400_000_000, ' '))]);
  const reader = openReader({ memoryMb: 128 });
  const [hostile, good] = await Promise.all([reader.read(bomb, null), reader.read(GOOD, null)]);
  expect(hostile.agenda).toMatchObject({ textEvidence: null, reason: expect.stringMatching(/^cannot be read: /) });
  expect(good.agenda.items).toHaveLength(3);
});

it('a document that takes longer than is allowed costs one worker', async () => {
  const long = smallPdf(Array.from({ length: 3_000 }, () => linesAsTexts(['1. Sample', '2. Sample', '3. Sample'])));
  const reader = openReader({ deadlineMs: 1_500 });
  const [slow, good] = await Promise.all([reader.read(long, null), reader.read(GOOD, null)]);
  expect(slow.agenda).toMatchObject({
    textEvidence: null,
    items: [],
    reason: 'cannot be read: no result within 1500 ms of processor time',
  });
  expect(good.agenda.items).toHaveLength(3);
});

it('a PDF of more than 5,000 pages is not read', async () => {
  const { agenda } = await openReader().read(pdfOfStreams(Array.from({ length: 5_001 }, () => deflateSync(''))), null);
  expect(agenda).toMatchObject({ textEvidence: null, reason: 'has 5001 pages; at most 5000 are read' });
});
