import type { DocumentText, TextLine, TextRun } from '../../domain/agenda-text/text-line.ts';
import { MAX_CHARACTERS } from './limits.ts';
import { UnreadableDocument } from './unreadable-document.ts';

/**
 * Height of a line and width of a column and of a character, in points, for formats that state none. Few texts are
 * wider than a column.
 */
const LINE = 14;
const COLUMN = 2_000;
const CHARACTER = 5;

export interface ParagraphStyle {
  /** Distance from the left edge of the text, in points. */
  readonly indent: number;
  /** Points. */
  readonly size: number;
}

interface StyledText {
  readonly text: string;
  readonly isBold: boolean;
  readonly isLink: boolean;
}

interface Paragraph extends ParagraphStyle {
  readonly texts: readonly StyledText[];
}

const hasText = ({ texts }: Paragraph): boolean => texts.some(({ text }) => text.trim() !== '');

/** Collects the paragraphs of a format without printed lines. The first paragraphs of the cells of a row make one line. */
export class ParagraphWriter {
  readonly #lines: TextLine[] = [];
  #texts: StyledText[] = [];
  /** Paragraphs of the cells of the open row; null outside of tables. */
  #cells: Paragraph[][] | null = null;
  /** The style of the paragraph before a line break; null if none is open. */
  #broken: ParagraphStyle | null = null;
  #characters = 0;
  #page = 1;

  addText(text: string, style: Omit<StyledText, 'text'>): void {
    this.#endBrokenLine(text);
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw new UnreadableDocument(`has more than ${MAX_CHARACTERS} characters`);
    this.#texts.push({ text, ...style });
  }

  /** Ends a line within a paragraph. A line that begins in lower case continues the text before it. */
  breakLine(style: ParagraphStyle): void {
    if (this.#texts.some(({ text }) => text.trim() !== '')) this.#broken = style;
  }

  #endBrokenLine(text: string): void {
    const first = text.trimStart()[0];
    if (this.#broken === null || first === undefined) return;
    const [style, isContinued] = [this.#broken, /\p{Ll}/u.test(first)];
    this.#broken = null;
    if (isContinued) this.#texts.push({ text: ' ', isBold: false, isLink: false });
    else this.endParagraph(style);
  }

  endParagraph(style: ParagraphStyle): void {
    this.#broken = null;
    const paragraph = { texts: this.#texts, ...style };
    this.#texts = [];
    if (!hasText(paragraph)) return;
    const cell = this.#cells?.at(-1);
    if (cell === undefined) this.#write([paragraph]);
    else cell.push(paragraph);
  }

  startPage(): void {
    this.#page += 1;
  }

  startRow(): void {
    this.endRow();
    this.#cells = [];
  }

  startCell(): void {
    this.#cells?.push([]);
  }

  endRow(): void {
    const cells = (this.#cells ?? []).filter((paragraphs) => paragraphs.length > 0);
    this.#cells = null;
    if (cells.length === 0) return;
    this.#write(cells.map((paragraphs) => paragraphs[0]!));
    for (const paragraph of cells.flatMap((paragraphs) => paragraphs.slice(1))) this.#write([paragraph]);
  }

  finish(): DocumentText {
    this.endParagraph({ indent: 0, size: 11 });
    this.endRow();
    return { pageCount: this.#page, pageWidth: 0, lines: this.#lines };
  }

  #write(columns: readonly Paragraph[]): void {
    const runs: TextRun[] = [];
    let right = 0;
    for (const [column, { texts, indent }] of columns.entries()) {
      let x = Math.max(indent + column * COLUMN, column === 0 ? 0 : right + LINE);
      for (const { text, isBold, isLink } of texts) {
        const own = text.replace(/\s+/g, ' ');
        if (own.trim() === '' && runs.length === 0) continue;
        const spaced = runs.length > 0 && x > right ? ` ${own}` : own;
        runs.push({ text: spaced, x, right: x + own.length * CHARACTER, font: isBold ? 'bold' : 'plain', isLink });
        right = x + own.length * CHARACTER;
        x = right;
      }
    }
    const text = runs.map((run) => run.text).join('');
    const { size } = columns[0]!;
    this.#lines.push({
      page: this.#page,
      x: runs[0]!.x,
      right,
      y: (this.#lines.length + 1) * LINE,
      size,
      text,
      runs,
      isParagraph: true,
    });
  }
}
