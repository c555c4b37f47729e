const MARKED = /[<&]|--\/?em--/;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}\d{0,2}));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  bull: '•',
  sect: '§',
  deg: '°',
  frac12: '½',
  ntilde: 'ñ',
  eacute: 'é',
};
const HIDDEN = /<!--[\s\S]*?-->|<(style|script)\b[^<>]*>[\s\S]*?<\/\1>/gi;
const BREAKS = /<(?:br|\/(?:p|div|li|tr|h[1-6]|ul|ol|table|blockquote))\b[^<>]*>/gi;
const TAGS =
  /<\/?(?:a|b|big|blockquote|body|center|div|em|font|h[1-6]|head|hr|html|i|img|li|ol|p|s|small|span|strike|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul|o:p)(?:\s[^<>]*)?\/?>/gi;

function decoded(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name] ?? NAMED[name.toLowerCase()] ?? entity;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : entity;
}

/** The text without the markup of web pages: entities decoded, tags removed, line breaks where blocks end. Text without markup stays as it is. */
export function plainText(text: string): string {
  if (!MARKED.test(text)) return text;
  return text
    .replace(ENTITY, decoded)
    .replace(HIDDEN, ' ')
    .replace(BREAKS, '\n')
    .replace(TAGS, '')
    .replace(/--\/?em--/g, ' ')
    .normalize('NFC');
}
