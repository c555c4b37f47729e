import { expect, test } from 'vitest';
import { uuid } from '../../domain/records/fields.ts';

const of = (version: string, variant: string): string => `0a1b2c3d-4e5f-${version}a6b-${variant}c7d-0e1f2a3b4c5d`;
const ACCEPTED = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((version) => of(String(version), '9')),
  ...['8', '9', 'a', 'b'].map((variant) => of('4', variant)),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

test.each(ACCEPTED)('%s is a uuid in lower, upper and mixed case, and is stored in lower case', (text) => {
  const mixed = Array.from(text, (letter, nth) => (nth % 2 === 0 ? letter.toUpperCase() : letter)).join('');
  for (const written of [text, text.toUpperCase(), mixed]) expect(uuid.parse(written)).toBe(text);
});

test('other variants, other versions, spaces and texts of another length are not uuids', () => {
  const refused = [
    of('0', '9'),
    of('9', '9'),
    of('4', 'c'),
    ` ${of('4', '9')}`,
    of('4', '9').slice(1),
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFE',
    '',
  ];
  for (const text of refused) expect([text, uuid.safeParse(text).success]).toEqual([text, false]);
});
