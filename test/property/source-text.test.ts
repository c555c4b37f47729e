import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText } from '../../domain/text/source-text.ts';
import { testSeed } from '../support/test-seed.ts';
import { testRuns } from '../support/test-runs.ts';

const WORDS = [
  '¿Qué pasó?',
  'Đường phố',
  'اجتماع',
  '議會',
  'R&D',
  '5 < 6',
  '5\u00a0<\u00a06',
  '👩‍🚒',
  'क्‍ष',
  '“quoted”',
  'a\nb',
  '$1,000.00',
  '{braces}',
  '--',
  'C:\\files',
];
/** Texts that have none of the marks of markup. */
const plain = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS),
      fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[<&\\\p{Cc}\p{Cn}]|--/u.test(text)),
    ),
  )
  .map((pieces) => pieces.join(' ').normalize('NFC'))
  .filter((text) => !/[\u200b\u2060\ufeff]/.test(text));

test('a text without markup is unchanged, in any language', () => {
  fc.assert(
    fc.property(plain, (text) => {
      expect(plainText(text)).toBe(text);
    }),
    { seed: testSeed(), numRuns: testRuns(200) },
  );
});

const HEADER = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fcharset2 Symbol;}}{\colortbl ;\red0\green0\blue0;}{\*\generator Riched20;}`;
const PART = fc.constantFrom(
  ...[
    'The motion',
    String.raw`\b carried\b0 `,
    String.raw`\'93yes\'94`,
    String.raw`\u8217?`,
    String.raw`\par `,
    String.raw`{\i by {\v never}}`,
  ],
  ...[
    String.raw`\uc2\u26085\'93\'fa`,
    String.raw`{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}`,
    String.raw`{\pict\bin3 abc}`,
    '\r\n',
    String.raw`\cell\row `,
  ],
);

test('a document of RTF that ends anywhere, or has braces too many or too few, gives no markup', () => {
  fc.assert(
    fc.property(fc.array(PART, { maxLength: 12 }), fc.nat(), fc.constantFrom('', '}', '}}'), (parts, cut, more) => {
      const document = `${HEADER}${parts.join('')}${more}`;
      for (const rtf of [document, document.slice(0, 6 + (cut % document.length))])
        expect(plainText(rtf)).not.toMatch(/\\[a-z]|\\'|[{}]|fonttbl|Arial|Riched|HYPERLINK|never/);
    }),
    { seed: testSeed(), numRuns: testRuns(200) },
  );
});
