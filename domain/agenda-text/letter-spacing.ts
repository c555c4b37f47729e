import type { DocumentText, TextLine } from './text-line.ts';

/** Single characters in a row that show a letter-spaced text. */
const MIN_LETTERS = 4;
/** Share of the words of a letter-spaced text that are single characters. */
const MOST = 0.9;
/** Font sizes of a space between two letters. */
const LETTER_GAP = 0.25;
/** Gap between two words, as a multiple of that between two letters. */
const WORD_GAP = 1.8;

/** True for "A G E N D A". */
function isLetterSpaced(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const single = words.filter((word) => word.length === 1);
  const letters = single.filter((word) => /[\p{L}\d]/u.test(word));
  return letters.length >= MIN_LETTERS && single.length >= MOST * words.length;
}

/** Returns the gap before each piece of the line but the first. */
const gapsOf = ({ runs }: TextLine): readonly number[] => runs.slice(1).map(({ x }, index) => x - runs[index]!.right);

/** Two spaces, or a gap wider than those between letters, stand between the words. */
function textOfWords(line: TextLine): string {
  const gaps = gapsOf(line);
  const hasLettersInside = line.runs.some(({ text }) => /\S\s+\S/.test(text));
  const least = gaps.reduce((smallest, gap) => Math.min(smallest, gap), Infinity);
  const letterGap = hasLettersInside ? LETTER_GAP * line.size : least;
  const isWordGap = (gap: number): boolean => gap > WORD_GAP * letterGap;
  const text = line.runs
    .map((run, index) => `${index > 0 && isWordGap(gaps[index - 1]!) ? '  ' : ''}${run.text}`)
    .join('');
  return text
    .trim()
    .split(/\s{2,}/)
    .map((word) => word.replace(/\s/g, ''))
    .join(' ');
}

function closeLine(line: TextLine): TextLine {
  if (line.text.length > 300 || !isLetterSpaced(line.text)) return line;
  const text = textOfWords(line);
  return { ...line, text, runs: [{ ...line.runs[0]!, text, right: line.right }] };
}

/** Joins the letters of lines that are letter-spaced for effect: "A G E N D A" becomes "AGENDA". */
export const closeLetterSpacing = (text: DocumentText): DocumentText => ({ ...text, lines: text.lines.map(closeLine) });
