import { type FoundLocation, scan } from './location.ts';
import { PLURAL_STREET, STREET, STREET_OR_NAME } from './street-names.ts';

const COMPASS = String.raw`(?:[Nn]orth(?:east|west)?|[Ss]outh(?:east|west)?|[Ee]ast|[Ww]est)(?:ern)?`;
const CORNER = new RegExp(
  String.raw`\b(?:(?:${COMPASS}(?:,? (?:and|or) |, | quadrant of |))+ )?(?:[Cc]orners?|[Qq]uadrants?|[Ii]ntersections?)(?: (?:of|at))?(?: the)? (?:${STREET},? (?:and|at|with|&) ${STREET_OR_NAME}|${STREET_OR_NAME},? (?:and|&) (?:${STREET}|${PLURAL_STREET}))`,
  'gu',
);
const AT = new RegExp(String.raw`${STREET},? (?:at|@|&) ${STREET}`, 'gu');
const BOTH = new RegExp(String.raw`\b[Aa]t (?<place>${STREET} (?:and|&) ${STREET})`, 'gu');
const NAMED = new RegExp(String.raw`${STREET} (?:and|at) ${STREET}(?= [Ii]ntersection)`, 'gu');

export const intersections = (text: string): FoundLocation[] => [
  ...scan(text, 'intersection', CORNER),
  ...scan(text, 'intersection', AT),
  ...scan(text, 'intersection', BOTH),
  ...scan(text, 'intersection', NAMED),
];
