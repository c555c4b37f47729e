import { describe, expect, it } from 'vitest';
import {
  beginningOf,
  MAX_SOURCE_TEXT,
  plainText,
  MAX_RULE_TEXT,
  readSourceText,
} from '../../domain/text/source-text.ts';

const rtf = (
  body: string,
  header = String.raw`\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Times New Roman;}}`,
): string => String.raw`{\rtf1${header}${body}}`;

describe('a text with HTML', () => {
  it.each([
    ['a &lt;b&gt;bold&lt;/b&gt; claim', 'a bold claim'],
    ['<style>p { color: red }</style>One<br/>Two', ' One\nTwo'],
    ['--em--Note--em-- 5 &gt; 4 &amp;c.', ' Note  5 > 4 &c.'],
    ['<p>One</p><p class="a > b">Two</p>', 'One\nTwo\n'],
    ['<table><tr><td nowrap>Ward</td><td>5</td></tr></table>', 'Ward 5 \n\n'],
    ['One<!-- <p>never --> two<![if !supportLists]><o:p></o:p>', 'One  two '],
    ['One<script>if (a < b) c()</script>', 'One '],
    ['One <a href="/unended', 'One '],
    ['One <p class="unended>two <b>three</b>', 'One \ntwo three'],
  ])('%j has no tags', (html, text) => expect(plainText(html)).toBe(text));

  it.each([
    ['&#8220;A&#x201d;&rsquo;s', '“A”’s'],
    [
      '&iquest;Qu&eacute; pas&oacute; en la reuni&oacute;n del A&ntilde;o Nuevo&quest;',
      '¿Qué pasó en la reunión del Año Nuevo?',
    ],
    ['&Uacute;ltima sesi&oacuten, a&ntildeos &copy 2030', 'Última sesión, años © 2030'],
    ['Parks &amp;amp; Recreation, M&amp;uacute;sica, &amp;#8217;', 'Parks & Recreation, Música, ’'],
    ['It&#146;s the Council&#x92;s', 'It’s the Council’s'],
  ])('%j has no entities', (html, text) => expect(plainText(html)).toBe(text));
});

describe('a text with RTF', () => {
  it.each([
    [
      'paragraphs',
      rtf(String.raw`\viewkind4\uc1\pard\f0\fs24 Moved to deny.\par Motion carried.\par`),
      'Moved to deny.\nMotion carried.\n',
    ],
    ['the code page', rtf(String.raw`Caf\'e9 \'93Example\'94 \endash  \'bfQu\'e9?`), 'Café “Example” – ¿Qué?'],
    [
      'fonts of other code pages',
      rtf(
        String.raw`\f1\'cf\'f0\'e8\f2\'93\'fa\'96\{\f0 x`,
        String.raw`\ansi{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}`,
      ),
      'При日本x',
    ],
    [
      'Unicode and what repeats it',
      rtf(String.raw`\uc1 Reuni\u243\'f3n \u8217?s {\uc2\u26085\'93\'fa}\u-10179?\u-8640?`),
      'Reunión ’s 日🙀',
    ],
    ['hidden text', rtf(String.raw`shown{\v hidden {\b too}}\v no\v0  and{\deleted gone} shown`), 'shown and shown'],
    [
      'destinations',
      rtf(
        String.raw`{\*\generator Example;}{\info{\author A}}{\pict\wmetafile8 0100ff}{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}`,
      ),
      'link',
    ],
    ['tables and escapes', rtf(String.raw`a\cell b\row c\tab d\~e\_f\-g \{h\} \\i`), 'a b\nc d e‑fg {h} \\i'],
    ['binary data', rtf(String.raw`{\pict\bin5 }}}}}}shown`), 'shown'],
    [
      'bullets',
      rtf(String.raw`{\pntext\f1\'b7\tab}One \u-3913?Two`, String.raw`{\fonttbl{\f0 A;}{\f1\fcharset2 Symbol;}}`),
      '• One •Two',
    ],
  ])('has %s decoded', (_, source, text) => expect(plainText(source)).toBe(text));

  it.each([
    ['white space before it', `\r\n ${rtf('x')}`, '\r\n x'],
    ['HTML around it', `<p>&nbsp;${rtf('x')}</p>`, ' x\n'],
    ['text around it', `Note: ${rtf('x')} and ${rtf('y')}.`, 'Note: x and y.'],
    ['no brace', String.raw`\rtf1\ansi One\par two}`, 'One\ntwo'],
    ['no end', String.raw`{\rtf1\ansi One {\b two \'e`, 'One two e'],
    ['no text', String.raw`{\rtf1\ansi{\fonttbl{\f0`, ''],
    ['a brace too many', String.raw`{\rtf1\ansi{\fonttbl{\f0 A;}}}\pard One\par}`, 'One\n'],
    ['data that is too long', String.raw`{\rtf1 One{\bin999999999 a`, 'One'],
    ['entities in it', rtf('M&uacute;sica &amp; Arte'), 'Música & Arte'],
  ])('is decoded with %s', (_, source, text) => expect(plainText(source)).toBe(text));
});

describe('a text without markup', () => {
  it.each([
    'lots < 5 acres and > 2',
    'AT&T; R&D, Q&A <Example Partners> x <bracket> y <Section> <Main Street>',
    'Parks &regional trails, Lots #5&#6 and #101&#102, &unknown;',
    '¿Qué pasó en la reunión del Año Nuevo?',
    'Cuộc họp Hội đồng Thành phố bị hủy bỏ',
    'اجتماع المجلس البلدي — می‌خواهم',
    '市議會會議取消　会議は中止',
    'ការ\u200bប្រជុំ',
    'क्‍ष 👨‍👩‍👧 🏳️‍🌈 1️⃣',
    'mojibake â€™ and \ufffd',
    'a\tb\r\nc\u2028d\u00a0e',
  ])('stays %j', (text) => expect(plainText(text)).toBe(text));

  it.each([
    ['The Council\u0092s policy \u0096 \u0093yes\u0094\u0085', 'The Council’s policy – “yes”…'],
    ['z\u200bon\u2060ing\ufeff', 'zoning'],
    ['a\u0007b\u0000c\u007f', 'a b c '],
    ['Jose\u0301', 'José'],
    ['half \ud83d of it', 'half \ufffd of it'],
  ])('has controls and invisible characters replaced in %j', (raw, text) => expect(plainText(raw)).toBe(text));
});

describe('a long text', () => {
  it('is cut at a word, and says so', () => {
    const words = 'word '.repeat(MAX_SOURCE_TEXT / 5 + 1);
    expect(readSourceText(words)).toEqual({ text: words.slice(0, MAX_SOURCE_TEXT - 1), isCut: true });
    expect(readSourceText(words.slice(0, MAX_SOURCE_TEXT)).isCut).toBe(false);
    expect(readSourceText('&nbsp;'.repeat(60_000)).isCut).toBe(true);
    expect(beginningOf('a 😀', 3)).toBe('a');
    expect(beginningOf('aa😀', 3)).toBe('aa');
    expect(beginningOf(`Acta ${'議'.repeat(1000)}`, 500)).toHaveLength(500);
  });

  const KINDS = [
    ...[
      '<',
      '<!',
      '<!--',
      '-->',
      '</',
      '<?',
      '<style>',
      '<script',
      '<title>',
      '<p ',
      '<p a="',
      "<a href='",
      '<b>',
      '</b>',
      '<b ',
      '</div',
      '<div></p>',
    ],
    ...['&', '&#', '&#x', '&amp', '&amp;', '&lt;', '&ampamp', '#1&', '#1 ', '&a', '--em--'],
    ...[
      '{\\rtf1',
      '{\\rtf1 }',
      '{\\rtf1}} ',
      '{\\rtf1}   ',
      '{\\rtf1\\u1 ',
      "{\\rtf1\\'e9a",
      '{\\',
      '{',
      '}',
      "\\'",
      '\\',
      '\\bin9',
      '{\\*',
    ],
    ...[' ', '; ', '\n', '\r', '"', '-', '\u0092', '\u00ad', '\u0301', '\u0323\u0301', '\ud800', '\u200d', '> '],
  ];
  const milliseconds = (text: string): number => {
    const started = process.cpuUsage();
    plainText(text);
    return process.cpuUsage(started).user / 1000;
  };
  it.each(['', '{\\rtf1\\ansi ', '&amp;<p>'])('behind %j takes time in proportion to its length', (opening) => {
    for (const kind of KINDS) {
      const fastest = (length: number) =>
        Math.min(
          ...Array.from({ length: 3 }, () => milliseconds(opening + kind.repeat(Math.ceil(length / kind.length)))),
        );
      expect(fastest(MAX_RULE_TEXT), `8,000 characters of ${JSON.stringify(kind)}`).toBeLessThan(20);
      expect(fastest(MAX_SOURCE_TEXT), `100,000 characters of ${JSON.stringify(kind)}`).toBeLessThan(150);
    }
  });
});
