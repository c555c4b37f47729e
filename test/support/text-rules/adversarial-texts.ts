import { MAX_RULE_TEXT } from '../../../domain/text/source-text.ts';

/** Parts that a text of one kind repeats. */
const UNITS: readonly string[] = [
  ...[
    ' ',
    '\t',
    '\n',
    '\u00a0',
    ' \n',
    '; ',
    ', ',
    ' - ',
    ' – ',
    '(',
    ')',
    '()',
    '"',
    "'",
    '“a” ',
    '-',
    '/',
    '.',
    '. ',
    '_',
    '*',
    '[',
    '\u0001',
  ],
  ...['$1,', '$', '1', '12 ', 'January 1, 2030, ', 'No. 1 ', '(1) ', '1. ', 'I. ', '10:00 '],
  ...[
    'A',
    'A ',
    'a',
    'a ',
    'and ',
    'Word ',
    'Inc. ',
    'of the ',
    'to ',
    'whereas ',
    'motion to ',
    'cancelled ',
    'amending ',
    'the motion ',
  ],
  ...['Main Street ', 'North ', 'Lot 1, Block 2, ', 'District ', 'and Main Street at '],
  ...['<!--', '<style>', '<', '<a ', '&#', '&', '&amp;', '{\\rtf1', '{', '\\', "\\'e9", '%2'],
  ...['😀', 'e\u0301', '\u0301', 'שלום ', 'a@b.example ', 'https://a.example/', 'www.a.'],
];
/** A pattern for the end of a text fails at the second one. */
const ENDS: readonly string[] = ['', '! x'];

export interface AdversarialText {
  /** The repeated unit and the end, as JSON. */
  readonly kind: string;
  readonly text: string;
}

/** Texts of this length in UTF-16 code units, each of one kind throughout. */
export const adversarialTexts = (length: number = MAX_RULE_TEXT): readonly AdversarialText[] =>
  UNITS.flatMap((unit) =>
    ENDS.map((end) => ({
      kind: JSON.stringify([unit, end]),
      text: unit.repeat(Math.ceil(length / unit.length)).slice(0, length - end.length) + end,
    })),
  );
