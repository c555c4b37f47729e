import { isStepOrSection } from './agenda-words.ts';
import { type Layout, isFull, isUnfinished } from './layout.ts';
import { withoutReferences } from './references.ts';
import type { TextLine } from './text-line.ts';

/** Lines of one title. */
const MAX_LINES = 40;
/** Points by which a line of a title can begin left of its number or right of its first word. */
const OUTSIDE = 3;
const INSIDE = 24;
/** Share of the font size by which lines of a title differ. */
const SAME_SIZE = 0.16;

const letters = (text: string): string => text.replace(/\P{L}+/gu, '');
/** True for a text in capitals, apart from single letters such as an article or "s". */
export function isCapitals(text: string): boolean {
  const own = letters(text);
  if (own.length < 2) return false;
  const small = own.replace(/\p{Lu}+/gu, '').length;
  return small === 0 || (own.length > 20 && small <= own.length / 20);
}

/** The text of the line in its columns: gaps of more than two font sizes separate them. */
export function cellsOf({ runs, size }: TextLine): readonly { readonly x: number; readonly text: string }[] {
  const cells: { x: number; right: number; text: string }[] = [];
  for (const run of runs) {
    const cell = cells.at(-1);
    if (cell !== undefined && run.x - cell.right < 2 * size) {
      cell.text += run.text;
      cell.right = run.right;
    } else cells.push({ x: run.x, right: run.right, text: run.text });
  }
  return cells;
}

interface Opening {
  readonly line: TextLine;
  /** Characters before the title. */
  readonly from: number;
}

/** The left edge of the text after the label. */
function titleEdge({ line, from }: Opening): number {
  let length = 0;
  for (const run of line.runs) {
    length += run.text.length;
    if (length > from && run.text.trim() !== '') {
      const before = Math.max(0, from - (length - run.text.length));
      const width = (run.right - run.x) / Math.max(1, run.text.length);
      return run.x + before * width;
    }
  }
  return line.x;
}

/** The font of the first word of the title. */
function openingFont({ line, from }: Opening): string | null {
  let length = 0;
  for (const run of line.runs) {
    length += run.text.length;
    if (length > from && run.text.slice(Math.max(0, from - length)).trim() !== '') return run.font;
  }
  return null;
}

const startsSmall = (text: string): boolean => /^[\p{Ll}(]/u.test(text.trimStart());

interface Growing {
  readonly opening: Opening;
  readonly edge: number;
  readonly layout: Layout;
  readonly isNumbered: boolean;
  /** Font of the first word; null for a format without fonts. */
  readonly font: string | null;
  text: string;
  last: TextLine;
}

function isNextToTitle({ last, layout, text }: Growing, next: TextLine): boolean {
  const size = Math.max(last.size, next.size);
  if (Math.abs(last.size - next.size) > SAME_SIZE * size) return false;
  if (next.page === last.page) return next.y - last.y <= layout.spacing * size;
  return next.page === last.page + 1 && (isUnfinished(text) || startsSmall(next.text));
}

function hasRoomFor({ last, layout, edge }: Growing, next: TextLine): boolean {
  const rightEdge = Math.min(layout.rightEdgeAt(last.x), layout.rightEdgeAt(edge));
  return !isFull(last, next, rightEdge);
}

/** True if the line continues the title. */
function continuesTitle(title: Growing, next: TextLine): boolean {
  const { last, opening, edge, text } = title;
  if (last.isParagraph || next.isParagraph || !isNextToTitle(title, next)) return false;
  const isIndented = next.x >= opening.line.x - OUTSIDE && next.x <= edge + INSIDE;
  const isCentered = Math.abs((next.x + next.right) / 2 - (last.x + last.right) / 2) < 6;
  if (next.page === last.page && !isIndented && !isCentered) return false;
  if (isCapitals(text)) {
    if (letters(next.text) !== '' && !isCapitals(next.text)) return leadOf(title, next) !== null;
    if (title.isNumbered && next.page === last.page && !isStepOrSection(next.text)) return true;
  }
  if (isUnfinished(text)) return true;
  const isSmall = /^\p{Ll}/u.test(next.text.trimStart());
  return isSmall || !hasRoomFor(title, next);
}

/** The capitals in the font of a title at the beginning of a line whose rest is other text; null if there are none. */
function leadOf({ opening, font }: Pick<Growing, 'opening' | 'font'>, line: TextLine): string | null {
  const from = line === opening.line ? opening.from : 0;
  if (font === null) return null;
  let [length, lead] = [0, ''];
  for (const run of line.runs) {
    const text = run.text.slice(Math.max(0, from - length));
    length += run.text.length;
    if (text.trim() === '') lead += text;
    else if (run.font !== font) break;
    else lead += text;
  }
  const rest = line.text.slice(from + lead.length);
  const own = lead.replace(/(?<![\s:–—-])[\s:–—-]+$/, '').trim();
  const isLead = isCapitals(own) || (line !== opening.line && letters(own) === '' && own !== '');
  return isLead && letters(rest) !== '' && !isCapitals(rest) ? own : null;
}

const join = (text: string, more: string): string => `${text}${/[\p{L}\d]-$/u.test(text) ? '' : ' '}${more}`;

/** "3:30 pm", "12" and "….. 12" in a column of their own at the right. */
const RIGHT_COLUMN = /^[.…\s]*(?:\d{1,3}|\d{1,2}:\d{2}\s*[ap]\.?m\.?)$/i;

function openingText({ line, from }: Opening): string {
  const cells = cellsOf(line);
  const last = cells.at(-1)!;
  const own = line.text.slice(from);
  if (cells.length < 2 || !RIGHT_COLUMN.test(last.text.trim())) return own.trim();
  return own.trimEnd().slice(0, -last.text.trim().length).trim() || own.trim();
}

export interface ReadTitle {
  readonly text: string;
  /** Index of the line after the title. */
  readonly end: number;
}

/** Returns the title that begins on a line after `from` characters. `isStart` is true for lines that begin something else. */
export function readTitle(
  lines: readonly TextLine[],
  index: number,
  from: number,
  { layout, isStart }: { readonly layout: Layout; readonly isStart: (index: number) => boolean },
): ReadTitle {
  const opening = { line: lines[index]!, from };
  const font = openingFont(opening);
  const lead = leadOf({ opening, font }, opening.line);
  if (lead !== null) return { text: cleanTitle(lead), end: index + 1 };
  const title: Growing = {
    opening,
    edge: titleEdge(opening),
    layout,
    isNumbered: from > 0,
    font,
    text: openingText(opening),
    last: opening.line,
  };
  let end = index + 1;
  for (; end < lines.length && end - index < MAX_LINES && !isStart(end); end += 1) {
    const next = lines[end]!;
    const isBare = title.text === '';
    if (isBare ? next.page !== title.last.page || next.y - title.last.y > 3 * next.size : !continuesTitle(title, next))
      break;
    const lead = isCapitals(title.text) ? leadOf(title, next) : null;
    if (lead !== null) return { text: cleanTitle(join(title.text, lead)), end: end + 1 };
    title.text = isBare ? next.text.trim() : join(title.text, next.text.trim());
    title.last = next;
  }
  return { text: cleanTitle(title.text), end };
}

/** The title on one line, without references to attached documents. */
function cleanTitle(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return withoutReferences(line) || line;
}
