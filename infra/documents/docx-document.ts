import { unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import type { DocumentText } from '../../domain/agenda-text/text-line.ts';
import { NumberCounter, type NumberLevel, type NumberLevels } from './docx-numbering.ts';
import { MAX_UNPACKED } from './limits.ts';
import { type ParagraphStyle, ParagraphWriter } from './paragraphs.ts';
import { UnreadableDocument } from './unreadable-document.ts';

/** The text, and the parts that define its layout. Headers can contain the name and the day of the meeting. */
const PART = /^word\/(?:document|numbering|styles|header\d{1,3})\.xml$/;
const HEADER = /^word\/header/;
/** Word measures indents in twentieths of a point, and sizes in half points. */
const TWENTIETH = 1 / 20;
const HALF = 1 / 2;
const TEXT_SIZE = 11;

type Attributes = Readonly<Record<string, string>>;

/** Unpacks the parts that have text. The sizes are checked before anything is unpacked. */
function unpack(bytes: Uint8Array): ReadonlyMap<string, string> {
  let size = 0;
  const filter = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }): boolean => {
    if (!PART.test(name)) return false;
    size += originalSize;
    if (size > MAX_UNPACKED) throw new UnreadableDocument(`unpacks to more than ${MAX_UNPACKED / 1_000_000} MB`);
    return true;
  };
  try {
    const files = unzipSync(bytes, { filter });
    return new Map(Object.entries(files).map(([name, content]) => [name, new TextDecoder().decode(content)]));
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    throw new UnreadableDocument('is not a complete ZIP archive');
  }
}

interface Handlers {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

function parseXml(xml: string, { open, text, close }: Handlers): void {
  const parser = new Parser(
    { onopentag: open, ...(text && { ontext: text }), ...(close && { onclosetag: (name: string) => close(name) }) },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
}

const numberOf = (text: string | undefined): number => Number.parseInt(text ?? '', 10) || 0;

const PLAIN_LEVEL: NumberLevel = { format: 'decimal', text: '', start: 1, style: null, indent: 0 };

/** Points by which a paragraph or a level is indented. */
const indentOf = (attributes: Attributes): number =>
  (numberOf(attributes['w:left'] ?? attributes['w:start']) - numberOf(attributes['w:hanging'])) * TWENTIETH;

/** Returns the levels of each list by its id. */
function readNumbering(xml: string): ReadonlyMap<string, NumberLevels> {
  const kinds = new Map<string, Map<number, NumberLevel>>();
  const lists = new Map<string, NumberLevels>();
  let kind = new Map<number, NumberLevel>();
  let list = '';
  let level = 0;
  const change = (changed: Partial<NumberLevel>): void => {
    const before = kind.get(level) ?? { ...PLAIN_LEVEL, text: `%${level + 1}.` };
    kind.set(level, { ...before, ...changed });
  };
  parseXml(xml, {
    open(name, attributes) {
      const value = attributes['w:val'];
      if (name === 'w:abstractNum') kinds.set(attributes['w:abstractNumId'] ?? '', (kind = new Map()));
      else if (name === 'w:lvl') level = numberOf(attributes['w:ilvl']);
      else if (name === 'w:numFmt') change({ format: value ?? 'decimal' });
      else if (name === 'w:lvlText') change({ text: value ?? '' });
      else if (name === 'w:start') change({ start: numberOf(value) });
      else if (name === 'w:pStyle') change({ style: value ?? null });
      else if (name === 'w:ind') change({ indent: indentOf(attributes) });
      else if (name === 'w:num') list = attributes['w:numId'] ?? '';
      else if (name === 'w:abstractNumId') lists.set(list, kinds.get(value ?? '') ?? new Map());
    },
  });
  return lists;
}

interface Style {
  base: string | null;
  list: string | null;
  /** Null if only the list states it. */
  level: number | null;
  /** Null if only the list states it. */
  indent: number | null;
  size: number;
  isBold: boolean;
}

const PLAIN: Style = {
  base: null,
  list: null,
  level: null,
  indent: null,
  size: TEXT_SIZE,
  isBold: false,
};
const isOn = (value: string | undefined): boolean => value !== '0' && value !== 'false' && value !== 'none';

/** Applies a property of a paragraph, a run or a style. */
function applyProperty(style: Style, name: string, attributes: Attributes): void {
  const value = attributes['w:val'];
  if (name === 'w:numId') style.list = value === '0' ? null : (value ?? null);
  else if (name === 'w:ilvl') style.level = numberOf(value);
  else if (name === 'w:ind') style.indent = indentOf(attributes);
  else if (name === 'w:sz') style.size = numberOf(value) * HALF || TEXT_SIZE;
  else if (name === 'w:b') style.isBold = isOn(value);
}

/** Returns the styles of paragraphs by id. A style follows the one that it is based on. */
function readStyles(xml: string): ReadonlyMap<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | null = null;
  parseXml(xml, {
    open(name, attributes) {
      if (name === 'w:style') styles.set(attributes['w:styleId'] ?? '', (style = { ...PLAIN }));
      else if (style !== null && name === 'w:basedOn') {
        const base = styles.get(attributes['w:val'] ?? '');
        if (base !== undefined && base !== style) Object.assign(style, base);
      } else if (style !== null) applyProperty(style, name, attributes);
    },
    close(name) {
      if (name === 'w:style') style = null;
    },
  });
  return styles;
}

/** Reads the paragraphs of a document. */
class DocxReader {
  readonly #writer = new ParagraphWriter();
  readonly #styles: ReadonlyMap<string, Style>;
  readonly #counter: NumberCounter;
  #style: Style = { ...PLAIN };
  /** True if the text of the current run is bold. */
  #isBold = false;
  #isInRun = false;
  /** Id of the paragraph's style; null without one. */
  #name: string | null = null;
  #isInText = false;
  /** Open elements with a second copy of a text, for old readers. */
  #copies = 0;
  #isNumbered = false;

  constructor(parts: ReadonlyMap<string, string>) {
    this.#styles = readStyles(parts.get('word/styles.xml') ?? '');
    this.#counter = new NumberCounter(readNumbering(parts.get('word/numbering.xml') ?? ''));
  }

  read(parts: Iterable<string>): DocumentText {
    for (const xml of parts) this.#readPart(xml);
    return this.#writer.finish();
  }

  #readPart(xml: string): void {
    parseXml(xml, {
      open: (name, attributes) => this.#open(name, attributes),
      text: (text) => {
        if (this.#isInText && this.#copies === 0) this.#add(text);
      },
      close: (name) => this.#close(name),
    });
  }

  #add(text: string): void {
    if (!this.#isNumbered && text.trim() !== '') {
      this.#isNumbered = true;
      const { list, level } = this.#style;
      if (list === null) return this.#write(text);
      const at = level ?? this.#counter.levelOfStyle(list, this.#name);
      const number = this.#counter.next(list, at);
      this.#style.indent ??= this.#counter.indentOf(list, at);
      if (number !== '') this.#write(`${number} `);
    }
    this.#write(text);
  }

  #write(text: string): void {
    this.#writer.addText(text, { isBold: this.#isBold, isLink: false });
  }

  #open(name: string, attributes: Attributes): void {
    if (name === 'mc:Fallback') this.#copies += 1;
    else if (name === 'w:p') {
      this.#style = { ...PLAIN };
      this.#name = null;
      this.#isNumbered = false;
    } else if (name === 'w:pStyle') {
      this.#name = attributes['w:val'] ?? '';
      this.#style = { ...(this.#styles.get(this.#name) ?? PLAIN) };
    } else if (name === 'w:r') {
      this.#isInRun = true;
      this.#isBold = this.#style.isBold;
    } else if (name === 'w:rStyle') this.#isBold ||= this.#styles.get(attributes['w:val'] ?? '')?.isBold === true;
    else if (name === 'w:t') this.#isInText = true;
    else if (name === 'w:b') this.#setBold(attributes['w:val']);
    else if (name === 'w:tab') this.#write(' ');
    else if (name === 'w:br' && attributes['w:type'] === 'page') this.#writer.startPage();
    else if (name === 'w:br' || name === 'w:cr') this.#writer.breakLine(this.#paragraphStyle());
    else if (name === 'w:lastRenderedPageBreak') this.#writer.startPage();
    else if (name === 'w:tr') this.#writer.startRow();
    else if (name === 'w:tc') this.#writer.startCell();
    else applyProperty(this.#style, name, attributes);
  }

  /** Bold outside of a run is that of the mark at the end of the paragraph. */
  #setBold(value: string | undefined): void {
    if (this.#isInRun) this.#isBold = isOn(value);
  }

  #close(name: string): void {
    if (name === 'w:t') this.#isInText = false;
    else if (name === 'w:r') this.#isInRun = false;
    else if (name === 'mc:Fallback') this.#copies -= 1;
    else if (name === 'w:p') this.#endParagraph();
    else if (name === 'w:tr') this.#writer.endRow();
  }

  #paragraphStyle(): ParagraphStyle {
    return { indent: Math.max(0, this.#style.indent ?? 0), size: this.#style.size };
  }

  #endParagraph(): void {
    this.#writer.endParagraph(this.#paragraphStyle());
  }
}

/** Reads the text of a document of Word, with the numbers that Word counts. Throws `UnreadableDocument`. */
export function readDocx(bytes: Uint8Array): DocumentText {
  const parts = unpack(bytes);
  const xml = parts.get('word/document.xml');
  if (xml === undefined) throw new UnreadableDocument('is a ZIP archive, but not a document of Word');
  const headers = [...parts].flatMap(([name, text]) => (HEADER.test(name) ? [text] : []));
  return new DocxReader(parts).read([...new Set(headers), xml]);
}
