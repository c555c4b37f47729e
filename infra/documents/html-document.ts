import { Parser } from 'htmlparser2';
import type { DocumentText } from '../../domain/agenda-text/text-line.ts';
import { wordSet } from '../../domain/text/words.ts';
import { listNumber } from './list-numbers.ts';
import { type ParagraphStyle, ParagraphWriter } from './paragraphs.ts';

const BLOCKS = wordSet(
  'p div li tr h1 h2 h3 h4 h5 h6 ul ol dl dt dd table tbody thead blockquote pre hr section article header footer main address caption form fieldset legend center',
);
const HIDDEN = wordSet('style script title noscript template svg select option button nav head');
const SIZES: Readonly<Record<string, number>> = { h1: 20, h2: 18, h3: 16, h4: 14, h5: 12, h6: 12 };
const BOLD = wordSet('b strong h1 h2 h3 h4 h5 h6 th');
const VOID = wordSet('br hr img input meta link col wbr area base embed source track');
const TEXT_SIZE = 11;
/** Points by which a list inside a list is indented. */
const INDENT = 18;

interface OpenList {
  /** Null for a list with bullets. */
  readonly type: string | null;
  value: number;
}

/** A number that a page writes in the text of an entry: "1.", "(a)", "1.2". */
const OWN_NUMBER = /^\s*(?:\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,5})[.)]|\d{1,3}\.\d{1,3}\b)/;
/** `class="item level2"`: the level of an entry, from 1. */
const LEVEL = /(?:^|\s)(?:level|indent)-?([1-9])(?:\s|$)/;
const MARGIN = /(?:margin|padding)-left:\s?(\d{1,3}(?:\.\d{1,4})?)(pt|px|in|em|rem|cm)/;
const POINTS: Readonly<Record<string, number>> = { pt: 1, px: 0.75, in: 72, em: 11, rem: 11, cm: 28 };
/** Maximum characters of an attribute that are read. */
const MAX_ATTRIBUTE = 400;

/** Points by which an element is indented. */
function indentOf({ class: names = '', style = '' }: Readonly<Record<string, string>>): number {
  const level = LEVEL.exec(names.slice(0, MAX_ATTRIBUTE));
  if (level !== null) return (Number(level[1]) - 1) * INDENT;
  const [, size, unit] = MARGIN.exec(style.slice(0, MAX_ATTRIBUTE).toLowerCase()) ?? [];
  return size === undefined ? 0 : Math.min(300, Number(size) * POINTS[unit!]!);
}

/** Types of lists by their styles. */
const LIST_STYLES: Readonly<Record<string, string>> = {
  'upper-roman': 'I',
  'lower-roman': 'i',
  'upper-alpha': 'A',
  'upper-latin': 'A',
  'lower-alpha': 'a',
  'lower-latin': 'a',
};
const LIST_STYLE = /list-style(?:-type)?:[^;]{0,40}?\b((?:upper|lower)-(?:roman|alpha|latin))\b/;

/** Returns the type of a numbered list: `1`, `a`, `A`, `i` or `I`. */
function typeOfList({ style = '', type = '1' }: Readonly<Record<string, string>>): string {
  const name = LIST_STYLE.exec(style.slice(0, MAX_ATTRIBUTE).toLowerCase())?.[1];
  return name === undefined ? type : LIST_STYLES[name]!;
}

/** Reads a page as paragraphs, with the numbers of its lists. */
class HtmlReader {
  readonly #writer = new ParagraphWriter();
  readonly #lists: OpenList[] = [];
  /** Points by which each open element is indented. */
  readonly #indents: number[] = [];
  /** The number of the entry that begins, until its first word; null within an entry. */
  #pending: string | null = null;
  #hidden = 0;
  #bold = 0;
  #links = 0;
  #size = TEXT_SIZE;

  read(html: string): DocumentText {
    const parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes),
      ontext: (text) => this.#text(text),
      onclosetag: (name) => this.#close(name),
    });
    parser.write(html);
    parser.end();
    return this.#writer.finish();
  }

  #text(text: string): void {
    if (this.#hidden > 0) return;
    const number = this.#pending;
    if (number !== null && text.trim() !== '') {
      this.#pending = null;
      if (!OWN_NUMBER.test(text.slice(0, 20))) this.#add(number);
    }
    this.#add(text);
  }

  #add(text: string): void {
    this.#writer.addText(text, { isBold: this.#bold > 0, isLink: this.#links > 0 });
  }

  #break(): void {
    this.#writer.endParagraph(this.#style());
  }

  #style(): ParagraphStyle {
    const indent = this.#indents.reduce((sum, points) => sum + points, this.#lists.length * INDENT);
    return { indent, size: this.#size };
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (HIDDEN.has(name)) this.#hidden += 1;
    if (BLOCKS.has(name) || name === 'td' || name === 'th') this.#break();
    if (name === 'br') this.#writer.breakLine(this.#style());
    this.#indents.push(indentOf(attributes));
    if (BOLD.has(name)) this.#bold += 1;
    if (name === 'a') this.#links += 1;
    if (name === 'tr') this.#writer.startRow();
    if (name === 'td' || name === 'th') this.#writer.startCell();
    if (name === 'ul' || name === 'ol') {
      const start = Number.parseInt(attributes['start'] ?? '1', 10);
      this.#lists.push({ type: name === 'ol' ? typeOfList(attributes) : null, value: (start || 1) - 1 });
    }
    if (name === 'li') this.#startEntry(attributes['value']);
    this.#size = SIZES[name] ?? this.#size;
  }

  #startEntry(value: string | undefined): void {
    const list = this.#lists.at(-1);
    if (list === undefined) return;
    list.value = Number.parseInt(value ?? '', 10) || list.value + 1;
    this.#pending = list.type === null ? '• ' : `${listNumber(list.type, list.value)}. `;
  }

  #close(name: string): void {
    if (HIDDEN.has(name)) this.#hidden = Math.max(0, this.#hidden - 1);
    if (BLOCKS.has(name) || name === 'td' || name === 'th') this.#break();
    this.#indents.pop();
    if (VOID.has(name)) return;
    if (name === 'li') this.#pending = null;
    if (BOLD.has(name)) this.#bold -= 1;
    if (name === 'a') this.#links -= 1;
    if (name === 'tr' || name === 'table') this.#writer.endRow();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name in SIZES) this.#size = TEXT_SIZE;
  }
}

/** Reads the visible text of a page. The time grows with its length. */
export const readHtml = (html: string): DocumentText => new HtmlReader().read(html);
