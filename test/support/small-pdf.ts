import { deflateSync } from 'node:zlib';

export interface PdfText {
  readonly text: string;
  readonly x: number;
  /** Points below the upper edge. */
  readonly y: number;
  readonly size?: number;
  readonly isBold?: boolean;
}

const HEIGHT = 792;
const escaped = (text: string): string => text.replaceAll(/[\\()]/g, (mark) => `\\${mark}`);

function drawing(texts: readonly PdfText[]): string {
  const parts = texts.map(
    ({ text, x, y, size = 11, isBold = false }) =>
      `BT /${isBold ? 'B' : 'R'} ${size} Tf ${x} ${HEIGHT - y} Td (${escaped(text)}) Tj ET`,
  );
  return parts.join('\n');
}

/** Writes the objects of a PDF with their table. Streams are packed. */
export function pdfOfObjects(
  objects: readonly (string | { readonly stream: Uint8Array; readonly head?: string })[],
): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  const add = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.from(`${index + 1} 0 obj\n`));
    if (typeof object === 'string') add(Buffer.from(object));
    else {
      add(Buffer.from(`<< /Length ${object.stream.length} ${object.head ?? '/Filter /FlateDecode'} >>\nstream\n`));
      add(Buffer.from(object.stream));
      add(Buffer.from('\nendstream'));
    }
    add(Buffer.from('\nendobj\n'));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF`;
  return new Uint8Array(Buffer.concat([...parts, Buffer.from(trailer)]));
}

const FONTS = ['Helvetica', 'Helvetica-Bold'].map((name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} >>`);

/** Writes a PDF with the texts of each page. */
export function smallPdf(pages: readonly (readonly PdfText[])[]): Uint8Array {
  return pdfOfStreams(pages.map((texts) => deflateSync(drawing(texts))));
}

/** Writes a PDF with the packed content of each page. */
export function pdfOfStreams(streams: readonly Uint8Array[]): Uint8Array {
  const page = (index: number): number => 5 + 2 * index;
  const kids = streams.map((_, index) => `${page(index)} 0 R`).join(' ');
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
    ...FONTS,
    ...streams.flatMap((stream, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${HEIGHT}] /Resources << /Font << /R 3 0 R /B 4 0 R >> >> /Contents ${page(index) + 1} 0 R >>`,
      { stream },
    ]),
  ]);
}

/** The lines of a page from top to bottom. Two spaces at the beginning of a line are an indent of 18 points. */
export const linesAsTexts = (lines: readonly string[]): readonly PdfText[] =>
  lines.map((line, index) => ({ text: line.trim(), x: 72 + 9 * line.search(/\S|$/), y: 72 + 20 * index }));
