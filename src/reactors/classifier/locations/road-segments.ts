import { type FoundLocation, scan } from './location.ts';
import { STREET, STREET_OR_NAME } from './street-names.ts';

const COMPASS = String.raw`(?:[Nn]orth(?:east|west)?|[Ss]outh(?:east|west)?|[Ee]ast|[Ww]est)(?:ern)?`;
const BETWEEN = String.raw`,? (?:[Ll]ocated )?(?:[Bb]etween|[Ff]rom|[Bb]ounded by) (?:the )?${STREET_OR_NAME}(?: and| to),?(?: the)? ${STREET_OR_NAME}`;
const BESIDE = String.raw`,? (?:(?:just )?${COMPASS}|at the (?:terminus|end)|near|across from) (?:of )?(?:the )?(?:intersection (?:of|with) )?${STREET}(?: and ${STREET})?`;
const LINE = new RegExp(
  String.raw`\b(?:${COMPASS}|both)(?: and ${COMPASS})? (?:lines?|sides?|frontages?) of ${STREET_OR_NAME}(?:${BETWEEN}|${BESIDE})?`,
  'gu',
);
const SEGMENT = new RegExp(String.raw`${STREET}(?: Right-of-Way)?${BETWEEN}`, 'gu');
/** "Example Drive from the city limits extending south to Sample Road". */
const FROM_TO = new RegExp(String.raw`${STREET},? [Ff]rom [^,;()]{1,60}? to (?:the )?${STREET}`, 'gu');
const BLOCK = new RegExp(String.raw`\d{1,5}(?:(?:, | and |, and |-)\d{1,5}){0,12}(?:-| )[Bb]locks? of ${STREET}`, 'gu');
/** A street by itself, where a word before it says that something happens there and no name goes on behind it. */
const ON = new RegExp(String.raw`\b(?:[Oo]n|[Nn]ear|[Aa]cross|[Oo]ver|[Uu]nder|[Aa]djacent to) (?<place>${STREET})(?! [A-Z]| and)`, 'gu');
const RUN = new RegExp(String.raw`\b(?:[Aa]long|[Pp]ortions? of|[Ss]egments? of) (?<place>${STREET})`, 'gu');

export const roadSegments = (text: string): FoundLocation[] => [
  ...scan(text, 'road_segment', LINE),
  ...scan(text, 'road_segment', SEGMENT),
  ...scan(text, 'road_segment', FROM_TO),
  ...scan(text, 'road_segment', BLOCK),
  ...scan(text, 'road_segment', RUN),
  ...scan(text, 'road_segment', ON),
];
