import { getDocumentProxy } from 'unpdf';
import { type DocumentText, linesOfPage, type PlacedText, type TextLine } from '../../domain/agenda-text/text-line.ts';
import { UnreadableDocument } from './unreadable-document.ts';
import { MAX_CHARACTERS, MAX_PAGES } from './limits.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Pdf['getPage']>>;
type Area = readonly [left: number, top: number, right: number, bottom: number];

/** Reasons by the name of the error of pdf.js. */
const REASONS: Readonly<Record<string, string>> = {
  PasswordException: 'is encrypted',
  InvalidPDFException: 'is not a complete PDF',
};

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, {
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      // A damaged page is reported, not read in part.
      stopAtErrors: true,
    });
  } catch (error) {
    const { name, message } = error as Error;
    throw new UnreadableDocument(REASONS[name] ?? `cannot be read: ${message}`);
  }
}

/** Returns the areas of the page that are links, in its coordinates. */
async function readLinkAreas(page: Page): Promise<readonly Area[]> {
  const annotations = (await page.getAnnotations().catch(() => [])) as readonly {
    readonly subtype?: string;
    readonly rect?: readonly number[];
  }[];
  return annotations.flatMap(({ subtype, rect }) => {
    if (subtype !== 'Link' || rect?.length !== 4) return [];
    const [left, bottom, right, top] = rect as [number, number, number, number];
    return [[Math.min(left, right), Math.min(bottom, top), Math.max(left, right), Math.max(bottom, top)] as const];
  });
}

interface PositionedText {
  readonly str: string;
  readonly width: number;
  readonly transform: readonly number[];
  readonly fontName: string;
}

const isIn = (x: number, y: number, [left, low, right, high]: Area): boolean =>
  x >= left - 2 && x <= right && y >= low - 4 && y <= high;

/** Multiplies two transformations of the plane, as in the PDF specification. */
function combine(outer: readonly number[], inner: readonly number[]): readonly number[] {
  const [a, b, c, d, e, f] = outer as [number, number, number, number, number, number];
  const [g, h, i, j, k, l] = inner as [number, number, number, number, number, number];
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Returns null for rotated text, which is a watermark or a stamp. */
function placeText(text: PositionedText, view: readonly number[], links: readonly Area[]): PlacedText | null {
  const [across, turned, , up, x, y] = combine(view, text.transform) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (Math.abs(turned) > 0.1 * Math.abs(across)) return null;
  const size = Math.abs(up) || Math.abs(across);
  const [ownX, ownY] = [text.transform[4]!, text.transform[5]!];
  const isLink = links.some((area) => isIn(ownX, ownY, area));
  return { text: text.str, x, y, width: text.width, size, font: text.fontName, isLink };
}

async function readPage(pdf: Pdf, number: number): Promise<readonly TextLine[]> {
  const page = await pdf.getPage(number);
  try {
    const view = page.getViewport({ scale: 1 }).transform as readonly number[];
    const { items } = await page.getTextContent();
    const links = await readLinkAreas(page);
    const pieces = items.flatMap((item) => ('str' in item ? (placeText(item, view, links) ?? []) : []));
    return linesOfPage(number, pieces);
  } finally {
    page.cleanup();
  }
}

/** Returns null for a damaged page; the others are read. Throws `UnreadableDocument` for a page that contains itself. */
async function tryReadPage(pdf: Pdf, number: number): Promise<readonly TextLine[] | null> {
  try {
    return await readPage(pdf, number);
  } catch (error) {
    if (/\bcircular reference\b/.test((error as Error).message)) throw new UnreadableDocument('contains itself');
    return null;
  }
}

async function readPageWidth(pdf: Pdf): Promise<number> {
  const page = await pdf.getPage(1).catch(() => null);
  return page?.getViewport({ scale: 1 }).width ?? 0;
}

/** Reads the text of a PDF page by page. Throws `UnreadableDocument`. */
export async function readPdf(bytes: Uint8Array): Promise<DocumentText> {
  const pdf = await openPdf(bytes);
  try {
    if (pdf.numPages > MAX_PAGES)
      throw new UnreadableDocument(`has ${pdf.numPages} pages; at most ${MAX_PAGES} are read`);
    const lines: TextLine[] = [];
    const pageWidth = await readPageWidth(pdf);
    let [characters, damagedPages] = [0, 0];
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await tryReadPage(pdf, number);
      if (page === null) damagedPages += 1;
      for (const line of page ?? []) {
        characters += line.text.length;
        lines.push(line);
      }
      if (characters > MAX_CHARACTERS) throw new UnreadableDocument(`has more than ${MAX_CHARACTERS} characters`);
    }
    // If no page was read, it is unknown whether the document has text.
    if (damagedPages === pdf.numPages) throw new UnreadableDocument('has only damaged pages');
    return { pageCount: pdf.numPages, pageWidth, lines, damagedPages };
  } finally {
    await pdf.loadingTask.destroy();
  }
}
