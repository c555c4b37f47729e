import type { DocumentText, TextLine } from '../../domain/agenda-text/text-line.ts';

/** Height of a line and width of a character, in points, for a text without a layout. */
const LINE = 12;
const CHARACTER = 6;
const SIZE = 10;

/** Reads a text whose lines and spaces are its layout. Form feeds begin pages. */
export function readPlainText(text: string): DocumentText {
  const pages = text.split('\f');
  const lines = pages.flatMap((page, index) =>
    page.split(/\r\n?|\n/).flatMap((line, at): TextLine[] => {
      const own = line.replaceAll('\t', '    ').trimEnd();
      const start = own.length - own.trimStart().length;
      if (start === own.length) return [];
      const [x, right] = [start * CHARACTER, own.length * CHARACTER];
      const run = { text: own.trimStart(), x, right, font: null, isLink: false };
      return [
        { page: index + 1, x, right, y: (at + 1) * LINE, size: SIZE, text: run.text, runs: [run], isParagraph: false },
      ];
    }),
  );
  return { pageCount: pages.length, pageWidth: 0, lines };
}
