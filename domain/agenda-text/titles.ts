import { beginsNote, isStepOrSection } from './agenda-words.ts';
import { cellsOf } from './cells.ts';
import { type Layout, isFull, isUnfinished, SPARE_OF_HANGING } from './layout.ts';
import { isCapitals, letters, type Opening, openingFont, type TitleLeads } from './leads.ts';
import { withoutDescription } from './descriptions.ts';
import { withoutReferences } from './references.ts';
import type { TextLine } from './text-line.ts';

/** Lines of one title. */
const MAX_LINES = 40;
/** Points by which a line of a title can begin left of its number or right of its first word. */
const OUTSIDE = 3;
const INSIDE = 24;
/** Points between the left edges of a number and the lines of its title. */
const MIN_HANGING = 10;
/** Spacing of the lines of a paragraph, as a share of the font size. */
const TIGHT_SPACING = 1.4;
/** "Presenter: ": what follows is not the title. */
const LABEL = /^\s*\p{Lu}[\p{L} /()]{2,30}:/u;
/** Points by which the middle of centered lines differs. */
const CENTERED = 6;
/** Spacing of centered lines, as a share of the font size. */
const WIDE_SPACING = 1.8;
/** Share of the font size by which lines of a title differ. */
const SAME_SIZE = 0.16;

/** The left edge of the text after the label. */
function titleEdge({ line, from }: Opening): number {
  let length = 0;
  for (const run of line.runs) {
    length += run.text.length;
    if (length > from && run.text.trim() !== '') {
      const before = Math.max(0, from - (length - run.text.length));
      const width = (run.right - run.x) / Math.max(1, run.text.length);
      // A space before the first word of a run represents the gap before it.
      const spaces = before === 0 ? 0 : Math.max(0, run.text.slice(before).search(/\S/));
      return run.x + (before + spaces) * width;
    }
  }
  return line.x;
}

const startsSmall = (text: string): boolean => /^[\p{Ll}(]/u.test(text.trimStart());

interface Growing {
  readonly opening: Opening;
  /** The left edge of its first word. */
  edge: number;
  readonly layout: Layout;
  readonly isNumbered: boolean;
  readonly leads: TitleLeads;
  /** Font of the first word; null for a format without fonts. */
  readonly font: string | null;
  text: string;
  last: TextLine;
}

/** True for a line below the middle of the title, in its font. */
function isCentered({ last, opening, edge, font }: Growing, { x, right, runs }: TextLine): boolean {
  const middle = ((last === opening.line ? edge : last.x) + last.right) / 2;
  return Math.abs((x + right) / 2 - middle) < CENTERED && runs.some((run) => run.font === font);
}

/** True if a line in the font of the title continues below its first word at the top of the next page. */
function isOverPage({ last, edge, opening, font, layout }: Growing, next: TextLine): boolean {
  const isBelow = Math.abs(next.x - edge) <= OUTSIDE && edge >= opening.line.x + MIN_HANGING;
  return isBelow && next.runs[0]!.font === font && isFull(last, next, layout.rightEdgeAt(edge));
}

function isNextToTitle(title: Growing, next: TextLine): boolean {
  const { last, layout, text, isNumbered } = title;
  const size = Math.max(last.size, next.size);
  if (Math.abs(last.size - next.size) > SAME_SIZE * size) return false;
  const isWide = isNumbered && isCapitals(text) && isCentered(title, next);
  if (next.page === last.page) return next.y - last.y <= (isWide ? WIDE_SPACING : layout.spacing) * size;
  return next.page === last.page + 1 && (isUnfinished(text) || startsSmall(next.text) || isOverPage(title, next));
}

/** True for a line in the font of the title below its first word. */
function isHanging({ last, edge, opening, font }: Growing, { x, y, runs, size }: TextLine): boolean {
  const isBelow = Math.abs(x - edge) <= OUTSIDE && edge >= opening.line.x + MIN_HANGING;
  return isBelow && y - last.y <= TIGHT_SPACING * size && runs[0]!.font === font && !LABEL.test(runs[0]!.text);
}

/** True for the title of a section at the left edge of the numbers, where the lines of titles stand right of it. */
const isNextHeading = ({ opening, edge }: Growing, { x, text }: TextLine): boolean =>
  x <= opening.line.x + OUTSIDE && edge >= opening.line.x + MIN_HANGING && text.length <= 80 && isStepOrSection(text);

function hasRoomFor(title: Growing, next: TextLine): boolean {
  const { last, layout, edge } = title;
  const rightEdge = Math.min(layout.rightEdgeAt(last.x), layout.rightEdgeAt(edge));
  return !isFull(last, next, rightEdge, layout.isMeasured && isHanging(title, next) ? SPARE_OF_HANGING : undefined);
}

/** True if the line continues the title. */
function continuesTitle(title: Growing, next: TextLine): boolean {
  const { last, opening, edge, text } = title;
  if (last.isParagraph || next.isParagraph || !isNextToTitle(title, next)) return false;
  const isIndented = next.x >= opening.line.x - OUTSIDE && next.x <= edge + INSIDE;
  if (title.leads.isDescription(next, title) || beginsNote(next.text) || isNextHeading(title, next)) return false;
  if (next.page === last.page && !isIndented && !isCentered(title, next)) return false;
  if (isCapitals(text)) {
    if (letters(next.text) !== '' && !isCapitals(next.text)) return title.leads.endOn(next, 0, title) !== null;
    const isComplete = isStepOrSection(text) && hasRoomFor(title, next);
    if (title.isNumbered && next.page === last.page && !isComplete && !isStepOrSection(next.text)) return true;
  }
  if (isUnfinished(text)) return true;
  const isSmall = /^\p{Ll}/u.test(next.text.trimStart());
  return isSmall || !hasRoomFor(title, next);
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

export interface TitleContext {
  readonly layout: Layout;
  readonly leads: TitleLeads;
  readonly isStart: (index: number) => boolean;
}

/**
 * Returns the title that begins on a line after `from` characters. `isStart` is true for lines that begin something
 * else.
 */
export function readTitle(
  lines: readonly TextLine[],
  index: number,
  from: number,
  { layout, leads, isStart }: TitleContext,
): ReadTitle {
  const opening = { line: lines[index]!, from };
  const font = openingFont(opening);
  const lead = leads.endOn(opening.line, from, { font, text: '' });
  if (lead !== null) return { text: cleanTitle(lead), end: index + 1 };
  const title: Growing = {
    opening,
    edge: titleEdge(opening),
    layout,
    isNumbered: from > 0,
    leads,
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
    const lead = isBare ? null : leads.endOn(next, 0, title);
    if (lead !== null) return { text: cleanTitle(join(title.text, lead)), end: end + 1 };
    if (isBare) title.edge = next.x;
    title.text = isBare ? next.text.trim() : join(title.text, next.text.trim());
    title.last = next;
  }
  return { text: cleanTitle(title.text), end };
}

/** "Roll Call ......... 3": dots before the number of a page. */
const LEADER = /(?<![\s.…])\s*(?:\.{4,}|…{2,}|(?:\s\.){4,})\s*(?:page\s)?\d{0,4}$/i;

/** The title on one line, without references to attached documents and what describes a section. */
function cleanTitle(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(LEADER, '');
  const title = withoutDescription(withoutReferences(line) || line);
  return title.replace(/(?<![\s:–—-])[\s:–—-]+$/, '') || title;
}
