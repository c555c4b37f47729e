import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { runAtOnce, type Steps } from './steps.ts';
import { wordSet } from './words.ts';

/** Elements whose end ends a line. */
const BLOCKS = wordSet(
  'p div li tr h1 h2 h3 h4 h5 h6 ul ol dl dt dd table blockquote pre hr section article header footer main address caption',
);
const CELLS = new Set(['td', 'th']);
/** Elements whose text is not shown. */
const HIDDEN = new Set(['style', 'script', 'title', 'xml']);
const OTHERS =
  wordSet(`a abbr acronym b base basefont big body br button center cite code col colgroup del em figure font form head html i iframe img input ins
    kbd label link mark meta nav nobr noscript option q s samp select small span strike strong sub sup tbody textarea tfoot thead tt u wbr`);
/** Element names that are also words: "<Section>" in a text might mean a section. */
const WORDS = wordSet(
  'address article button caption center code figure footer form header label link main mark nav option section select title',
);
/** Elements that Word puts among those of HTML: `o:p`, `st1:place`. */
const OF_WORD = /^(?:[amovwx]|st\d|wp|asp):[\w.-]+$/i;
const BARE_ATTRIBUTE = '(?:nowrap|noshade|compact|checked|disabled|selected|hidden)';
/** The part of a tag after its name: attributes with values, or common ones without. */
const ATTRIBUTES = new RegExp(String.raw`^\s*/?$|=|^\s+${BARE_ATTRIBUTE}\s*/?$`, 'i');
/** A comment, a declaration, a condition of Word; another text in such brackets stays. */
const DECLARATION = /<(?:!-|!\[|!doctype|\?xml)/iy;
/** A tag that the text does not close, rather than a "<" before a word. */
const UNENDED = /<[a-z][\w:]*\s+[\w:-]+\s*=/iy;
const ANY_TAG = /<\/?[a-z][^<>]*>/gi;

function isElement(tagName: string): boolean {
  const name = tagName.toLowerCase();
  if (WORDS.has(name) && name !== tagName) return false;
  return BLOCKS.has(name) || CELLS.has(name) || HIDDEN.has(name) || OTHERS.has(name) || OF_WORD.test(name);
}

/**
 * An element's opening or closing tag, or a comment or declaration, which has no name. `end` is the index after its
 * last character.
 */
export interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly start: number;
  readonly end: number;
}

/** Number of characters per step. */
const READ_IN_A_STEP = 50_000;

class TagReader implements TokenizerCallbacks {
  readonly #tags: Tag[] = [];
  readonly #html: string;
  /** The opening tag that is being read. */
  #open: { readonly start: number; readonly nameEnd: number } | null = null;

  constructor(html: string) {
    this.#html = html;
  }

  *read(): Steps<readonly Tag[]> {
    const tokenizer = new Tokenizer({ decodeEntities: false }, this);
    for (let start = 0; start < this.#html.length; start += READ_IN_A_STEP) {
      if (start > 0) yield;
      tokenizer.write(this.#html.slice(start, start + READ_IN_A_STEP));
    }
    tokenizer.end();
    return this.#tags;
  }

  onopentagname(start: number, nameEnd: number): void {
    this.#open = { start: start - 1, nameEnd };
  }

  onopentagend(end: number): void {
    const { start, nameEnd } = this.#open!;
    this.#open = null;
    if (ATTRIBUTES.test(this.#html.slice(nameEnd, end)))
      this.#add(this.#html.slice(start + 1, nameEnd), start, end + 1);
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end);
  }

  onclosetag(start: number, nameEnd: number): void {
    const end = this.#html.indexOf('>', nameEnd);
    this.#add(this.#html.slice(start, nameEnd), start - 2, end === -1 ? nameEnd : end + 1);
  }

  oncomment(start: number, end: number): void {
    const opening = this.#html.lastIndexOf('<', start - 1);
    DECLARATION.lastIndex = opening;
    if (DECLARATION.test(this.#html)) this.#tags.push({ name: '', isClosing: false, start: opening, end: end + 1 });
  }

  ondeclaration(start: number, end: number): void {
    this.oncomment(start, end);
  }

  onprocessinginstruction(start: number, end: number): void {
    this.oncomment(start, end);
  }

  /** Ends a tag with a missing quotation mark, or one that is cut off, at the next bracket. */
  onend(): void {
    if (this.#open === null) return;
    const { start, nameEnd } = this.#open;
    UNENDED.lastIndex = start;
    if (!UNENDED.test(this.#html)) return;
    const end = this.#html.indexOf('>', start);
    this.#add(this.#html.slice(start + 1, nameEnd), start, end === -1 ? this.#html.length : end + 1);
    if (end === -1) return;
    for (const { index, 0: tag } of this.#html.slice(end + 1).matchAll(ANY_TAG))
      this.#add(/[a-z][\w:]*/i.exec(tag)![0], end + 1 + index, end + 1 + index + tag.length);
  }

  oncdata(): void {}
  ontext(): void {}
  ontextentity(): void {}
  onattribname(): void {}
  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}

  #add(tagName: string, start: number, end: number): void {
    if (isElement(tagName))
      this.#tags.push({ name: tagName.toLowerCase(), isClosing: this.#html[start + 1] === '/', start, end });
  }
}

/**
 * Returns the tags of a text with HTML, in order, in steps of a few milliseconds. Text in angle brackets that is not an
 * HTML element is not a tag. One pass, however deep elements are nested.
 */
export const tagsInSteps = (html: string): Steps<readonly Tag[]> => new TagReader(html).read();

function breakOf({ name, isClosing }: Tag, last: string): string {
  if (name === 'br') return '\n';
  if (BLOCKS.has(name)) return isClosing || (last !== '' && !last.endsWith('\n')) ? '\n' : '';
  return name === '' || HIDDEN.has(name) || (CELLS.has(name) && isClosing) ? ' ' : '';
}

/** Removes tags, comments, styles and scripts. Lines end at the ends of blocks. */
export function removeTags(html: string): string {
  if (!html.includes('<')) return html;
  const parts: string[] = [];
  let copied = 0;
  let hiddenIn: string | null = null;
  for (const tag of runAtOnce(tagsInSteps(html))) {
    if (hiddenIn === null) {
      if (tag.start > copied) parts.push(html.slice(copied, tag.start));
      parts.push(breakOf(tag, parts.at(-1) ?? ''));
      if (HIDDEN.has(tag.name) && !tag.isClosing) hiddenIn = tag.name;
    } else if (tag.name === hiddenIn && tag.isClosing) hiddenIn = null;
    copied = tag.end;
  }
  if (hiddenIn === null) parts.push(html.slice(copied));
  return parts.join('');
}
