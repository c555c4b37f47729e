/** A piece of a line with one font. Positions are in points from the upper left corner of the page. */
export interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  /** Identifies the font within the document; null if the format has none. */
  readonly font: string | null;
  readonly isLink: boolean;
}

/** A line of a document as it is printed, or a whole paragraph of a format without lines. */
export interface TextLine {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Baseline, in points below the upper edge of the page. */
  readonly y: number;
  readonly x: number;
  readonly right: number;
  /** Font size in points. */
  readonly size: number;
  readonly text: string;
  readonly runs: readonly TextRun[];
  /** True for a whole paragraph: the next line never continues it. */
  readonly isParagraph: boolean;
}

/** The text of a document with positions. */
export interface DocumentText {
  readonly pageCount: number;
  /** Width of the first page in points; 0 for a format without pages. */
  readonly pageWidth: number;
  readonly lines: readonly TextLine[];
  /** Number of pages whose text is missing because they are damaged. */
  readonly damagedPages?: number;
}

/** A piece of text as a document states it, before lines are formed. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly font: string | null;
  readonly isLink: boolean;
}

/** Share of the font size by which pieces of one line differ in height. */
const SAME_LINE = 0.25;
/** The same for a smaller piece, such as the "th" of a day. */
const RAISED = 0.55;
/** Share of the font size from which a gap is a space. */
const SPACE = 0.15;

interface OpenLine {
  y: number;
  size: number;
  readonly pieces: PlacedText[];
}

function belongs(line: OpenLine, piece: PlacedText): boolean {
  const difference = Math.abs(line.y - piece.y);
  if (difference <= SAME_LINE * Math.min(line.size, piece.size)) return true;
  const [small, large] = [Math.min(line.size, piece.size), Math.max(line.size, piece.size)];
  if (small > 0.8 * large || difference > RAISED * large) return false;
  return line.pieces.some(
    ({ x, width }) => Math.abs(piece.x - (x + width)) < large || Math.abs(x - (piece.x + piece.width)) < large,
  );
}

/** A raised piece keeps the baseline of the larger text. */
function addTo(line: OpenLine, piece: PlacedText): void {
  line.pieces.push(piece);
  if (piece.size <= line.size) return;
  line.y = piece.y;
  line.size = piece.size;
}

/** Documents draw a text twice, slightly shifted, to make it bold. */
const isRepeated = (piece: PlacedText, before: PlacedText): boolean =>
  piece.text === before.text && Math.abs(piece.x - before.x) < 1.5 && Math.abs(piece.y - before.y) < 1.5;

function printedLine(page: number, { y, size, pieces }: OpenLine): TextLine {
  const runs: TextRun[] = [];
  let text = '';
  let previous: PlacedText | null = null;
  for (const piece of pieces.toSorted((left, right) => left.x - right.x)) {
    if (previous !== null && isRepeated(piece, previous)) continue;
    const gap = previous === null ? 0 : piece.x - (previous.x + previous.width);
    const hasSpace = gap > SPACE * piece.size && !text.endsWith(' ') && !piece.text.startsWith(' ');
    const own = `${hasSpace ? ' ' : ''}${piece.text}`;
    text += own;
    const { x, width, font, isLink } = piece;
    runs.push({ text: own, x, right: x + width, font, isLink });
    previous = piece;
  }
  const right = runs.reduce((furthest, run) => Math.max(furthest, run.right), 0);
  return { page, y, x: runs[0]!.x, right, size, text, runs, isParagraph: false };
}

/** Number of lines back at which a piece of the same height is looked for: pieces are sorted by height. */
const LINES_BACK = 4;

/** Returns the printed lines of one page from top to bottom. Pieces without letters, digits or marks are left out. */
export function linesOfPage(page: number, pieces: readonly PlacedText[]): readonly TextLine[] {
  const lines: OpenLine[] = [];
  for (const piece of pieces.toSorted((left, right) => left.y - right.y || left.x - right.x)) {
    if (/^[\s_]*$/.test(piece.text)) continue;
    const line = lines.slice(-LINES_BACK).findLast((open) => belongs(open, piece));
    if (line === undefined) lines.push({ y: piece.y, size: piece.size, pieces: [piece] });
    else addTo(line, piece);
  }
  return lines.map((line) => printedLine(page, line));
}
