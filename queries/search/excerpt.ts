const MAX_LENGTH = 300;
/** Enough to locate a part of a text in it. */
const SEEN = 40;

/** A stretch of a text, empty where a long text has no word, and how that text begins and ends. */
export interface Stretch {
  readonly part: string;
  readonly beginning: string;
  readonly end: string;
}

/** Plain text on one line, at most 300 characters, with an ellipsis at each end that is not the text's own. No character is split. */
export function excerptOf({ part, beginning, end }: Stretch): string {
  const line = oneLine(part) || oneLine(beginning);
  const shown = cutAfter(line, MAX_LENGTH);
  const before = oneLine(beginning).startsWith(line.slice(0, SEEN)) ? '' : '… ';
  const after = part !== '' && shown.length === line.length && oneLine(end).endsWith(line.slice(-SEEN)) ? '' : ' …';
  return `${before}${shown}${after}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Cuts at the last space or, where none is near the end, between two grapheme clusters. */
function cutAfter(line: string, max: number): string {
  if (line.length <= max) return line;
  const space = line.lastIndexOf(' ', max);
  if (space > max / 2) return line.slice(0, space);
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, 2 * max))) {
    if (kept.length + segment.length > max) break;
    kept += segment;
  }
  // A longer grapheme cluster is split between its code points.
  return kept === '' ? line.slice(0, max).replace(/[\ud800-\udbff]$/, '') : kept;
}
