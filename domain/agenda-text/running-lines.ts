import type { DocumentText, TextLine } from './text-line.ts';

/** Lines of a page that can belong to its header or footer. */
const EDGE_LINES = 6;
/** Points by which the same line differs in height between pages. */
const SAME_PLACE = 4;

/** "Page 3", "3", "- 3 -", "Page 3 of 7". */
const PAGE_NUMBER = /^[-–—\s]*(?:page\s+\d{1,4}(?:\s*(?:of|\/)\s*\d{1,4})?|\d{1,3}|\d{1,4}\s+of\s+\d{1,4})[-–—\s]*$/i;

/** "13. ": the number of an item, which can stand at the top of two pages, as in an agenda and in minutes. */
const NUMBERED = /^\s*(?:\d{1,3}|[A-Za-z]{1,2}\d{0,2}|[IVXivx]{1,5})[.)]\s/;

/** The text without what changes from page to page. */
function steadyText(text: string): string {
  const own = text.slice(0, 300).toLowerCase().replace(/\s+/g, ' ').trim();
  return NUMBERED.test(text) ? own : own.replace(/\d+/g, '#');
}

interface Edge {
  readonly line: TextLine;
  readonly isTop: boolean;
}

function edgesOf(lines: readonly TextLine[]): readonly Edge[] {
  const top = lines.slice(0, EDGE_LINES).map((line) => ({ line, isTop: true }));
  const bottom = lines.slice(Math.max(EDGE_LINES, lines.length - EDGE_LINES)).map((line) => ({ line, isTop: false }));
  return [...top, ...bottom];
}

/** Pages have the same size, so that a place can be compared by its height. */
const placeOf = ({ line }: Edge): string => `${Math.round(line.y / SAME_PLACE)}`;

/** Counts the pages that have a text at a place or next to it. */
function countPlaces(edges: readonly Edge[]): (edge: Edge) => number {
  const pages = new Map<string, Set<number>>();
  const key = (text: string, place: number): string => `${place} ${text}`;
  for (const edge of edges) {
    const place = key(steadyText(edge.line.text), Number(placeOf(edge)));
    const seen = pages.get(place) ?? new Set();
    pages.set(place, seen.add(edge.line.page));
  }
  return (edge) => {
    const [text, place] = [steadyText(edge.line.text), Number(placeOf(edge))];
    const all = new Set([-1, 0, 1].flatMap((shift) => [...(pages.get(key(text, place + shift)) ?? [])]));
    return all.size;
  };
}

export interface BodyText {
  readonly pageWidth: number;
  readonly lines: readonly TextLine[];
  /** Headers and footers that were removed. */
  readonly running: readonly TextLine[];
}

/** Separates headers and footers, which stand at the same place of several pages, from the text. */
export function separateRunningLines({ pageWidth, lines }: DocumentText): BodyText {
  const pages = Map.groupBy(lines, ({ page }) => page);
  const edges = [...pages.values()].flatMap(edgesOf).filter(({ line }) => !line.isParagraph);
  const count = countPlaces(edges);
  const removed = new Set<TextLine>();
  for (const page of Map.groupBy(edges, ({ line }) => line.page).values()) {
    // Text after the number of an item is no header.
    let isBelowItem = false;
    for (const edge of page) {
      const isNumbered = NUMBERED.test(edge.line.text);
      const isRepeated = count(edge) > (isNumbered ? 2 : 1) && !(edge.isTop && isBelowItem);
      if (isRepeated || PAGE_NUMBER.test(edge.line.text)) removed.add(edge.line);
      else if (isNumbered) isBelowItem = true;
    }
  }
  return {
    pageWidth,
    lines: lines.filter((line) => !removed.has(line)),
    running: lines.filter((line) => removed.has(line)),
  };
}
