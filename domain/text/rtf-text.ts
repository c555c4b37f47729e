import { wordSet } from './words.ts';

/** RTF where the text of a source contains it: the opening of a document, with or without its brace. */
const OPENING = /\{\s?\\rtf\d?(?![a-z])|(?<![\\\w])\\rtf1(?![a-z\d])/g;
const BYTE = String.raw`\\'([\da-f]{2})`;
/** A control word and its number: "\par", "\u8211 ". */
const CONTROL_WORD = String.raw`\\([a-z]+)(-?\d{1,9})?\d* ?`;
const CONTROL_SYMBOL = String.raw`\\([^])`;
const TEXT = String.raw`([^\\{}\r\n]+)`;
const TOKEN = new RegExp(
  [BYTE, CONTROL_WORD, CONTROL_SYMBOL, '([{}])', String.raw`[\r\n]+`, TEXT, String.raw`\\`].join('|'),
  'giy',
);
/** More RTF after a brace that closed the document too early. */
const MORE = /\s*(?:\\['a-z*]|\{\s?\\)/iy;
const LEFTOVER = /[\s}\0]*[}\0]/y;

/** Groups that contain no text of the document. */
const HIDDEN_GROUPS = wordSet(
  `fonttbl colortbl stylesheet info pict object objdata fldinst header headerl headerr headerf footer footerl footerr footerf listtable
   listoverridetable revtbl rsidtbl filetbl generator themedata colorschememapping datastore latentstyles xmlnstbl mmathPr bkmkstart bkmkend
   annotation atnid atnauthor atndate tc xe rxe txe private`,
);
const SHOWN: ReadonlyMap<string, string> = new Map([
  ...['par', 'line', 'sect', 'page', 'column', 'row', 'nestrow', 'softline', 'softpage'].map(
    (word) => [word, '\n'] as const,
  ),
  ...['tab', 'cell', 'nestcell', 'emspace', 'enspace', 'qmspace'].map((word) => [word, ' '] as const),
  ...Object.entries({
    emdash: '—',
    endash: '–',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
  }),
  ...Object.entries({ zwj: '\u200d', zwnj: '\u200c', ltrmark: '\u200e', rtlmark: '\u200f' }),
]);
const SYMBOLS: Readonly<Record<string, string>> = {
  '~': '\u00a0',
  _: '\u2011',
  '\r': '\n',
  '\n': '\n',
  '\t': ' ',
};

/** A font of pictograms: only its bullets are text. */
const SYMBOL_FONT = 'symbol';
const LATIN = 'windows-1252';
/** Names of code pages that are not `windows-` and the number. */
const CODE_PAGES: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10_000, 'macintosh'],
  [65_001, 'utf-8'],
]);
/** The code page of a font's `\fcharset`; null for that of the document. */
const CHARSETS: ReadonlyMap<number, string | null> = new Map([
  [0, LATIN],
  [1, null],
  [2, SYMBOL_FONT],
  [77, 'macintosh'],
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gbk'],
  [136, 'big5'],
  ...[161, 162, 163, 177, 178, 186, 204, 222, 238].map(
    (charset, n) => [charset, `windows-${[1253, 1254, 1258, 1255, 1256, 1257, 1251, 874, 1250][n]}`] as const,
  ),
]);

type Decoder = InstanceType<typeof TextDecoder>;
const decoders = new Map<string, Decoder | null>();

/** Null for a code page that the platform does not have. */
function decoderOf(encoding: string): Decoder | null {
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    try {
      decoder = new TextDecoder(encoding);
    } catch {
      decoder = null;
    }
    if (decoders.size < 100) decoders.set(encoding, decoder);
  }
  return decoder;
}

function decodeBytes(bytes: readonly number[], encoding: string): string {
  if (encoding === SYMBOL_FONT)
    return bytes.map((byte) => (byte === 0xb7 || byte === 0xa7 || byte === 0xd8 ? '•' : ' ')).join('');
  return (decoderOf(encoding) ?? decoderOf(LATIN)!).decode(new Uint8Array(bytes));
}

/** Formatting that a group inherits from the enclosing group. */
interface Formatting {
  readonly isDestination: boolean;
  readonly isHidden: boolean;
  readonly isFontTable: boolean;
  readonly font: number;
  /** Number of characters after `\u` that repeat it for readers without Unicode. */
  readonly fallback: number;
}

const PLAIN: Formatting = { isDestination: false, isHidden: false, isFontTable: false, font: 0, fallback: 1 };

/**
 * Reads one RTF document token by token, in one pass. `Formatting` is a value: a group opens by pushing it and closes
 * by popping it. Bytes wait in `#bytes` until a token that is not a byte, because characters of East Asian code pages
 * are two of them.
 */
class RtfReader {
  readonly #parts: string[] = [];
  readonly #outer: Formatting[] = [];
  readonly #fonts = new Map<number, string | null>();
  #formatting = PLAIN;
  #codePage = LATIN;
  #bytes: number[] = [];
  /** Number of characters after `\u` that are still to be skipped. */
  #repeated = 0;

  /** Returns the text of the document that begins at `start`, and the index of its end. */
  read(rtf: string, start: number): { readonly text: string; readonly end: number } {
    TOKEN.lastIndex = start;
    let isOpened = false;
    for (let token = TOKEN.exec(rtf); token !== null; token = TOKEN.exec(rtf)) {
      const [, hex, word, number, symbol, brace, literal] = token;
      let end = TOKEN.lastIndex;
      if (brace === '{') this.#open();
      else if (brace === '}') {
        const isLast = this.#close();
        MORE.lastIndex = end;
        if (isLast && !MORE.test(rtf)) break;
      } else if (hex !== undefined) this.#byte(Number.parseInt(hex, 16));
      else if (word === 'bin') end += Math.max(0, Number(number ?? 0));
      else if (word !== undefined) this.#control(word, number);
      else if (symbol === '*' && isOpened) this.#formatting = { ...this.#formatting, isDestination: true };
      else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#literal(symbol);
      else if (symbol !== undefined) this.#show(SYMBOLS[symbol] ?? '');
      else if (literal !== undefined) this.#literal(literal);
      isOpened = brace === '{';
      TOKEN.lastIndex = end;
      if (end >= rtf.length) break;
    }
    this.#flush();
    const end = Math.min(TOKEN.lastIndex || rtf.length, rtf.length);
    LEFTOVER.lastIndex = end;
    return { text: this.#parts.join(''), end: LEFTOVER.test(rtf) ? LEFTOVER.lastIndex : end };
  }

  #open(): void {
    this.#flush();
    this.#repeated = 0;
    this.#outer.push(this.#formatting);
  }

  /** True if no group is open any more. */
  #close(): boolean {
    this.#flush();
    this.#repeated = 0;
    this.#formatting = this.#outer.pop() ?? PLAIN;
    return this.#outer.length === 0;
  }

  #control(word: string, number: string | undefined): void {
    const character = SHOWN.get(word);
    if (character !== undefined) return this.#show(character);
    const value = Number(number ?? 0);
    if (word === 'u') return this.#unicode(value);
    this.#flush();
    const formatting = this.#formatting;
    if (HIDDEN_GROUPS.has(word))
      this.#formatting = { ...formatting, isDestination: true, isFontTable: word === 'fonttbl' };
    else if (word === 'v' || word === 'deleted') this.#formatting = { ...formatting, isHidden: number !== '0' };
    else if (word === 'plain') this.#formatting = { ...formatting, isHidden: false };
    else if (word === 'f') this.#formatting = { ...formatting, font: value };
    else if (word === 'uc') this.#formatting = { ...formatting, fallback: Math.max(0, value) };
    else if (word === 'fcharset' && formatting.isFontTable)
      this.#fonts.set(formatting.font, CHARSETS.get(value) ?? null);
    else if (word === 'ansicpg') this.#codePage = CODE_PAGES.get(value) ?? `windows-${value}`;
    else if (word === 'mac') this.#codePage = 'macintosh';
  }

  #unicode(value: number): void {
    const code = value < 0 ? value + 0x1_0000 : value;
    this.#repeated = 0;
    // Symbol fonts lie in the private use area.
    if (code >= 0xf000 && code <= 0xf0ff) this.#show(decodeBytes([code - 0xf000], SYMBOL_FONT));
    else if (code <= 0x10_ffff) this.#show(code <= 0xffff ? String.fromCharCode(code) : String.fromCodePoint(code));
    this.#repeated = this.#formatting.fallback;
  }

  #isRepeated(): boolean {
    if (this.#repeated === 0) return false;
    this.#repeated -= 1;
    return true;
  }

  #byte(byte: number): void {
    if (!this.#isRepeated() && !this.#isLeftOut()) this.#bytes.push(byte);
  }

  #literal(literal: string): void {
    const text = literal.slice(this.#repeated);
    this.#repeated = Math.max(0, this.#repeated - literal.length);
    // The second byte of a character can be an ASCII letter.
    const isTrail = this.#bytes.length > 0 && text !== '' && text.charCodeAt(0) < 0x80;
    if (isTrail) this.#bytes.push(text.charCodeAt(0));
    this.#flush();
    if (!this.#isLeftOut()) this.#parts.push(isTrail ? text.slice(1) : text);
  }

  #show(text: string): void {
    this.#flush();
    if (!this.#isRepeated() && !this.#isLeftOut()) this.#parts.push(text);
  }

  #isLeftOut(): boolean {
    return this.#formatting.isDestination || this.#formatting.isHidden;
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    this.#parts.push(decodeBytes(this.#bytes, this.#fonts.get(this.#formatting.font) ?? this.#codePage));
    this.#bytes = [];
  }
}

/**
 * Replaces each RTF document in a text by the document's own text, as far as it can be read. The two RTF parsers on npm
 * are unusable: one allocates the size that `\bin` declares and needs quadratic time, and the other is not maintained.
 */
export function decodeRtf(text: string): string {
  if (!text.includes('\\rtf')) return text;
  const parts: string[] = [];
  let end = 0;
  OPENING.lastIndex = 0;
  for (let opening = OPENING.exec(text); opening !== null; opening = OPENING.exec(text)) {
    const document = new RtfReader().read(text, opening.index);
    parts.push(text.slice(end, opening.index), document.text);
    end = document.end;
    OPENING.lastIndex = end;
  }
  return parts.join('') + text.slice(end);
}
