import { type FoundLocation, type LocationKind, scan } from './location.ts';

const KINDS = [
  'Park',
  'Airport',
  'Heliport',
  'Vertiport',
  'Library',
  'Lift Station',
  'Pump Station',
  'Pumping Station',
  '(?:Water|Wastewater|Water Purification|Water Treatment|Wastewater Treatment) Plant',
  'Water Reclamation Facility',
  'Landfill',
  'Transfer Station',
  'Recreation Center',
  'Community Center',
  'Convention Center',
  'Cultural Center',
  'Senior Center',
  'Aquatic Center',
  'Nature Center',
  'Maintenance Facility',
  'Service Center',
  'Police Station',
  'Substation',
  'Fire Station(?: No\\. ?\\d+| \\d+)?',
  'Stadium',
  'Arena',
  'Coliseum',
  'Museum',
  'Zoo',
  'Aquarium',
  'Arboretum',
  'Opera House',
  'Theater',
  'Theatre',
  'Auditorium',
  'Amphitheater',
  'Jail',
  'City Hall',
  'Cemetery',
  'Golf Course',
  'Elementary School',
  'High School',
  'Middle School',
  'Reservoir',
  'Dam',
  'Bridge',
  'Viaduct',
  'Tower',
  'Garage',
  'Hotel',
  'Apartments',
  'Trail',
  'Greenbelt',
  'Levee',
  'Spillway',
];
const NAME = String.raw`(?:[A-Z][\p{L}\d'’.-]{0,30}|(?<=[A-Z][\p{L}.]{0,20} )(?:of|&))`;
const FACILITY = new RegExp(
  String.raw`(?<![\p{L}\d])(?<!\b(?:City|Town|Village|Director) of (?:[A-Z]\p{L}* )?)(?:${NAME} ){1,5}(?:${KINDS.join('|')})(?![\p{L}\d])(?! (?:Board|Department|Fund|Foundation|Commission|Corporation|Maintenance District|(?:Tax Increment|TIF|Public Improvement)))`,
  'gu',
);
const STATION = /\bFire[ -](?:Rescue )?Station (?:No\. ?)?\d+/g;
const FIELD = /\b(?:Dallas )?Love Field(?: Airport)?\b|\b[A-Z][a-z]+ Field Airport\b|\bFair Park\b/g;

export const facilities = (text: string): FoundLocation[] => [
  ...scanNamed(text, 'facility', FACILITY),
  ...scan(text, 'facility', STATION),
  ...scan(text, 'facility', FIELD),
];

/** Capitalised words that precede a name and are not part of it. */
const NO_NAME = new Set(
  `a an the of at and & for in to with by from new annual routine existing proposed one-time purchase installation construction renovation replacement
   improvement improvements project projects program authorize approve adopt amend ratify execution contract agreement lease amendment financing tax
   increment city dallas fort worth usdot txdot annual phase public municipal regional citywide various multiple additional portion street streets
   no north south east west design maintenance repair operation operations management use development city-owned property general services community
   located fee simple interest portions reconstruction expansion initiative system capital fund funds rehabilitation first second third approximately director hotel
   bond adjacent surrounding certain several two five four along near neighborhood areas project's
   empowerment opportunity enterprise reinvestment historic financing purpose supporting funding future funds`
    .trim()
    .split(/\s+/),
);
/** Words among them that may begin a name of several words ("New Hope Park", "West Fork Addition", "Fort Worth Zoo"). */
const MAY_OPEN = new Set('new dallas fort north south east west first second third community city historic'.split(' '));

/** Matches of a pattern for "Name Name Kind", without leading words outside the name; a kind without a name is no match. */
export const scanNamed = (text: string, kind: LocationKind, pattern: RegExp): FoundLocation[] =>
  scan(text, kind, pattern).flatMap((found) => {
    // A municipality may be named like a facility.
    if (/\b(?:City|Town|Village) of (?:\S+ )?\S+$/.test(text.slice(found.start, found.end))) return [];
    const words = [...text.slice(found.start, found.end).matchAll(/\S+/g)];
    const isName = (word: string): boolean => !NO_NAME.has(word.toLowerCase().replace(/[^\p{L}&-]/gu, ''));
    const first = words.findIndex(
      ([word], index) => isName(word) || (MAY_OPEN.has(word.toLowerCase()) && index < words.length - 2 && opens(words, index)),
    );
    const [word] = words[first] ?? [];
    if (word === undefined || first >= words.length - 1) return [];
    return [{ ...found, start: found.start + (words[first] as RegExpExecArray).index }];
  });

/** Whether a word that may begin a name is followed by a part of one. */
function opens(words: readonly RegExpExecArray[], index: number): boolean {
  const following = words[index + 1]?.[0].toLowerCase() ?? '';
  return (
    !NO_NAME.has(following) ||
    (words[index]?.[0] === 'Fort' && following === 'worth') ||
    (/^(?:North|South|East|West)$/.test(words[index]?.[0] ?? '') && MAY_OPEN.has(following)) ||
    (words[index]?.[0] === 'Dallas' && following === 'fort')
  );
}
