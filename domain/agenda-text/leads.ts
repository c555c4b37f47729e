import { titleWords, wordSet } from '../text/words.ts';
import { isStepOrSection } from './agenda-words.ts';
import { isUnfinished } from './layout.ts';
import type { TextLine, TextRun } from './text-line.ts';

export const letters = (text: string): string => text.replace(/\P{L}+/gu, '');
/** True for a text in capitals, apart from single letters such as an article or "s". */
export function isCapitals(text: string): boolean {
  const own = letters(text);
  if (own.length < 2) return false;
  const small = own.replace(/\p{Lu}+/gu, '').length;
  return small === 0 || (own.length > 20 && small <= own.length / 20);
}

export interface Opening {
  readonly line: TextLine;
  /** Characters before the title. */
  readonly from: number;
  /** The next line, unless it begins something else. */
  readonly next?: TextLine | undefined;
}

/** The font of the first word of the title. */
export function openingFont({ line, from }: Opening): string | null {
  let length = 0;
  for (const run of line.runs) {
    length += run.text.length;
    if (length > from && run.text.slice(Math.max(0, from - length)).trim() !== '') return run.font;
  }
  return null;
}

/** The font of most characters. */
export function fontOfText(lines: readonly TextLine[]): string | null {
  const lengths = new Map<string | null, number>();
  for (const { runs } of lines)
    for (const { font, text } of runs) lengths.set(font, (lengths.get(font) ?? 0) + text.length);
  let most: string | null = null;
  for (const [font, length] of lengths) if (length > (lengths.get(most) ?? 0)) most = font;
  return most;
}

/**
 * Words that announce a matter, and are not its title: "CONSIDER", "Public Hearing:", "Discussion and Possible Action".
 */
const ANNOUNCING = wordSet(`
  a act acting action after an and announcement any appoint appointment appropriate approval approve as authorize award be by case conduct consider consideration continued deliberate
  discuss discussion enact final first for hear hearing hold if in item motion necessary no number of on open or ordinance possible possibly presentation public proposed read reading receive
  regarding report request resolution review second take the third to update upon vote workshop
`);
const announces = (lead: string): boolean =>
  titleWords(lead).every((word) => ANNOUNCING.has(word) || word.length < 2 || /\d/.test(word));

/** True if a text in a different font is the whole title, and the text after it describes the matter. */
const isWholeTitle = (lead: string, rest: string): boolean =>
  letters(lead).length > 3 && !announces(lead) && !isUnfinished(lead) && /^[\s:–—.-]*[\p{Lu}\d“"(]/u.test(rest);

/** A note in brackets is a part of the title: "NEW BUSINESS (Discussion)". */
const BRACKETS = /^\s*\([^()]{1,60}\)\s*$/;
/** A name or a subject after a step: "CALL TO ORDER: Mayor Doe". */
export const isShortRest = (rest: string): boolean =>
  rest.trim().length <= 40 && !/[.;]$/.test(rest.trim()) && !/^\W*none\W*$/i.test(rest);

/** Distance of a description below its title, as a share of the font size. */
const MAX_DISTANCE = 2;

interface Lead {
  /** The text in the font of the title, without marks at its end. */
  readonly text: string;
  readonly rest: string;
}

/** Returns the text in the font of the title at the beginning of a line, and the rest of the line. */
function splitLead(line: TextLine, from: number, font: string | null): Lead | null {
  if (font === null) return null;
  let [length, lead] = [0, ''];
  for (const run of line.runs) {
    const text = run.text.slice(Math.max(0, from - length));
    length += run.text.length;
    if (text.trim() !== '' && run.font !== font) break;
    lead += text;
  }
  const rest = line.text.slice(from + lead.length);
  return { text: lead.replace(/(?<![\s:–—-])[\s:–—-]+$/, '').trim(), rest };
}

/** Font sizes of a gap between a title and its description in one font: more than a space. */
const GAP = 0.5;
/** Share of the titles that decides how titles end. */
const MOST = 0.6;

/** Returns the text before the only gap of a line, and the text after it. */
function splitAtGap(line: TextLine, from: number): Lead | null {
  const runs: TextRun[] = [];
  let length = 0;
  for (const run of line.runs) {
    length += run.text.length;
    if (length > from && run.text.trim() !== '') runs.push(run);
  }
  const [title, rest] = runs;
  if (title === undefined || rest === undefined || runs.length > 2 || title.font !== rest.font) return null;
  const start = Math.max(0, from - line.text.indexOf(title.text));
  const isApart = rest.x - title.right >= GAP * line.size && /^\s*\p{Lu}/u.test(rest.text);
  return isApart ? { text: title.text.slice(start).trim(), rest: rest.text } : null;
}

/** Decides where titles end that have a font of their own. */
export class TitleLeads {
  /** True if most titles in a font of their own end where another font begins. */
  readonly #endsMixedCase: boolean;
  readonly #fontOfText: string | null;
  /** True if there is a gap between most titles and their descriptions. */
  readonly #endsAtGaps: boolean;

  constructor(lines: readonly TextLine[], openings: readonly Opening[]) {
    this.#fontOfText = fontOfText(lines);
    const leads = openings.flatMap((opening) => this.#mixedLead(opening) ?? []);
    const whole = leads.filter(({ text, rest }) => isWholeTitle(text, rest));
    this.#endsMixedCase = whole.length > 1 && whole.length > MOST * leads.length;
    const apart = openings.filter(({ line, from }) => splitAtGap(line, from) !== null);
    this.#endsAtGaps = apart.length > 2 && apart.length > MOST * openings.length;
  }

  #mixedLead({ line, from, next }: Opening): Lead | null {
    const font = openingFont({ line, from });
    const lead = font === this.#fontOfText ? null : splitLead(line, from, font);
    if (lead === null || isCapitals(lead.text)) return null;
    if (letters(lead.rest) !== '') return lead;
    const isDescribed = next !== undefined && next.page === line.page && next.runs[0]!.font !== font;
    return isDescribed && next.y - line.y < MAX_DISTANCE * line.size ? { text: lead.text, rest: next.text } : null;
  }

  /**
   * Returns the end of a title on one of its lines, before other text; null if the title does not end within the line.
   */
  endOn(line: TextLine, from: number, { font, text }: { readonly font: string | null; readonly text: string }) {
    const apart = this.#endsAtGaps ? splitAtGap(line, from) : null;
    if (apart !== null && isWholeTitle(`${text} ${apart.text}`, apart.rest)) return apart.text;
    const lead = splitLead(line, from, font);
    if (lead === null || letters(lead.rest) === '') return null;
    const whole = `${text} ${lead.text}`.trim();
    const isLead = isCapitals(lead.text) || (text !== '' && letters(lead.text) === '' && lead.text !== '');
    if (BRACKETS.test(lead.rest) || (text === '' && isStepOrSection(lead.text) && isShortRest(lead.rest))) return null;
    if (isLead && !isCapitals(lead.rest) && (text === '' || isCapitals(text)))
      return announces(whole) ? null : lead.text;
    const isMixed = this.#endsMixedCase && font !== this.#fontOfText;
    return isMixed && lead.text !== '' && isWholeTitle(whole, lead.rest) ? lead.text : null;
  }

  /** True if a line in another font begins the description of a title. */
  isDescription(line: TextLine, { font, text }: { readonly font: string | null; readonly text: string }): boolean {
    if (!this.#endsMixedCase || font === null || font === this.#fontOfText) return false;
    return line.runs[0]!.font !== font && isWholeTitle(text, line.text);
  }
}
