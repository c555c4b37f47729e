import { type AgendaDocument, readAgenda } from '../../domain/agenda-text/read-agenda.ts';
import type { TextLine } from '../../domain/agenda-text/text-line.ts';

const [CHARACTER, LINE, SIZE, MARGIN] = [6, 13, 11, 60] as const;

/** A page drawn with characters: spaces are the distance from the margin, and an empty line is a gap. */
export function drawnPage(drawing: string, page = 1): readonly TextLine[] {
  return drawing.split('\n').flatMap((drawn, row): TextLine[] => {
    const text = drawn.trim();
    if (text === '') return [];
    const x = MARGIN + drawn.search(/\S/) * CHARACTER;
    const right = x + text.length * CHARACTER;
    const run = { text, x, right, font: 'f1', isLink: false };
    return [{ page, x, right, y: 60 + row * LINE, size: SIZE, text, runs: [run], isParagraph: false }];
  });
}

/** Reads an agenda whose pages are drawn with characters; a line has 82 characters. */
export const agendaOf = (...pages: readonly string[]): AgendaDocument =>
  readAgenda({ pageCount: pages.length, pageWidth: 612, lines: pages.flatMap((page, at) => drawnPage(page, at + 1)) });

/** The numbers and titles of an agenda, one text for each item. */
export const titlesOf = (...pages: readonly string[]): readonly string[] =>
  agendaOf(...pages).items.map(({ number, title }) => `${number ?? '-'} ${title}`);
