import type { NormalizedContent } from '../../../domain/records/resources.ts';

export type LocationKind = NormalizedContent<'agenda_hits'>['affectedLocation']['locations'][number]['kind'];

/** Building blocks of patterns for streets. All are sources of regular expressions with the flag `u`. */

const STREET_TYPE = String.raw`(?:Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Drive|Dr|Lane|Ln|Parkway|Pkwy|Freeway|Frwy|Fwy|Expressway|Expwy|Tollway|Turnpike|Highway|Hwy|(?<!(?:Treatment|Municipal|County|District|Community|Supreme|Commissioners|Appellate|Tennis|Food) )Court|Ct|Circle|Cir|Trail|Trl|Way|Place|Pl|Plaza|Terrace|Loop|Row|Alley|Pike|Crossing|Xing|Run|Square|Path|Cove|Bend|Pass|Mall|Service Road)\b\.?`;
const DIRECTION = String.raw`(?:North(?:east|west)?|South(?:east|west)?|East|West|[NSEW]|[NS][EW])\b\.?`;
const NAME_WORD = String.raw`(?:(?:\d{1,3}(?:st|nd|rd|th))|[A-Z][\p{L}\d'’.-]{0,30})`;
const SMALL = String.raw`(?:de|la|del|y)`;
/** Roads known by a number: an interstate, a state highway, a farm-to-market road. */
const NUMBERED_ROAD = String.raw`(?:Interstate(?: Highway)?|I\.?H\.?|State Highway|U\.?S\.?(?: Highway)?)[ -]?\d{1,3}[EW]? (?:Frontage|Service) Road|(?:Interstate(?: Highway)?(?: \(I\.?H\.?\))?|I\.?H\.?|(?:U\.?S\.? |State |Texas )?(?:Highway|Hwy\.?)(?: Spur)?|U\.?S\.?|S\.?H\.?|State Loop|Spur|Loop|(?:Farm[- ]to[- ]Market|F\.?M\.?)(?: Road)?)[ -]?(?:No\. )?\d{1,4}[NSEW]?\b|I-\d{2,3}[EW]?\b|LBJ Freeway|Lyndon B\. Johnson Freeway`;
/** A street by its name and type, such as "East Jefferson Boulevard" or "Martin Luther King, Jr. Boulevard". */
const STREET = String.raw`(?:${NUMBERED_ROAD}|(?:${NAME_WORD} ){1,2}(?:Highway|Loop|Spur) \d{1,4}[A-Z]?\b(?: (?:North|South|East|West)\b)?|(?:${DIRECTION} )?${NAME_WORD}(?:(?:,(?= [JS]r\b))? (?:${NAME_WORD}|${SMALL})){0,4}? ${STREET_TYPE}(?: (?:Way|Court|Place|Drive|Road|Avenue|Street|Lane|Boulevard|Parkway|Circle)\b)?(?: (?:North|South|East|West)\b)?)`;
/** A street where the words around it say that it is one, so that its type may be missing. */
const STREET_OR_NAME = String.raw`(?:${STREET}|(?:${DIRECTION} )?${NAME_WORD}(?: ${NAME_WORD}){0,3})`;
/** Two streets that share the word for what they are, as in "Armstrong and Cole Avenues". */
const PLURAL_STREET = String.raw`(?:${NAME_WORD} ){1,4}(?:Streets|Avenues|Roads|Drives|Boulevards|Lanes|Freeways|Highways|Expressways|Parkways|Courts)\b`;
/** Words whose number is not a house number. */
const NUMBERED = String.raw`(?:Highway|Interstate|IH|SH|US|FM|Loop|Spur|No\.|Phase|Section|Chapter|District|Contract|Group|Package|Round|Part|Year)`;
const NUMBER = String.raw`(?<!\b${NUMBERED} )(?<![\d$.,#/-])\d{1,5}(?:[-–]\d{1,5})?(?: ?½| 1\/2)?`;
const ONE_UNIT = String.raw`(?:No\. )?[A-Z0-9-]{1,6}(?![\p{L}\d])`;
const UNITS = String.raw`(?:(?:Suite|Ste\.?|Unit|Apt\.?|Building|Bldg\.?|#) ?${ONE_UNIT}|(?:Suites|Units) ${ONE_UNIT}(?:(?:, and |, | and | & | through )${ONE_UNIT}(?! [A-Z]))*)`;
const UNIT = String.raw`(?:,? ${UNITS})?`;
const SEVERAL = String.raw`(?:,? (?:and |& )?${NUMBER}){0,12}`;

/** An address in another city is complete with it; a street before the form of a company is the company's name. */
const CITY = String.raw`(?:, [A-Z]\p{L}+(?: [A-Z]\p{L}+){0,2}(?:, [A-Z]\p{L}+ County)?, (?:Texas|TX)(?: \d{5})?)?`;
const NO_COMPANY = String.raw`(?!,? (?:LLC|L\.L\.C|Inc|LP|L\.P|Ltd|Associates|Owner|Holdings|Partners|Realty|Senior Living|Apartments|Townhomes|Lofts|Residences)\b)`;
const WITH_TYPE = new RegExp(
  String.raw`${NUMBER}${SEVERAL} (?!(?:blocks?|feet|foot|acres?|square|units?|percent|st|nd|rd|th|Annual|Bond|General|Fiscal)\b)${STREET}${NO_COMPANY}${UNIT}${CITY}`,
  'gu',
);
/** "4000 - 4016 (evens) East Example Street", "7200-7500 blocks (odds) Example Drive". */
const RANGE = new RegExp(
  String.raw`\d{1,5}(?: ?[-–] ?\d{1,5})? (?:[Bb]locks? )?\((?:odds?|evens?)[^()]{0,20}\)(?: [Bb]locks? of)? ${STREET}`,
  'gu',
);
/** "located at 7800 Stemmons", "at 350 West Belknap": the number after "at" says that a street follows. */
const WITHOUT_TYPE = new RegExp(
  String.raw`\b(?:(?:[Ll]ocated|[Ss]ituated|[Pp]roperty|[Pp]remises|[Oo]ffice|[Ss]ite)(?: [a-z]+)? at|(?:addressed|known|identified) as) (?:approximately )?(?<place>\d{2,5} (?:[NSEW]\.? |North |South |East |West )?[A-Z][\p{L}'’.-]+(?: (?!${UNITS})[A-Z][\p{L}'’-]+){0,2}${UNIT}${CITY})`,
  'gu',
);

const LOT =
  /\b(?:Part of )?(?:Lots?|Tracts?) [A-Z0-9][\w-]{0,7}(?:(?:, | and | & |, and | through |-)[A-Z0-9][\w-]{0,7})*,? (?:in |of )?(?:City )?Block [A-Z]?[A-Z0-9]{1,5}(?:\/\d+)?(?:, [A-Z][\p{L}'’. ]{2,40}? Addition)?/gu;
const LOT_NUMBER = String.raw`(?:p\/o )?\d{1,5}\b`;
/** "Block 1767, Lots 1, 2, and 169"; a block whose lots the text names otherwise is no place by itself. */
const BLOCK_LOTS = new RegExp(
  String.raw`\bBlock \d{1,5},? (?:p\/o )?Lots? ${LOT_NUMBER}(?:(?:, and |, | and | & )${LOT_NUMBER}(?!\/))*`,
  'gu',
);
const BLOCK = /\b(?:City |Dallas )?Blocks? \d{1,5}(?:\/\d{1,5})?\b(?!,? (?:p\/o |[Pp]art of )?Lots?\b)/g;
const SURVEY = /\b(?:[A-Z][\p{L}\d.#'’&]{0,30},? ){1,6}Survey,? Abstract (?:No\. ?)?[A-Z]?-?\d{1,5}/gu;
const ABSTRACT = /\bAbstract (?:No\. ?)?[A-Z]?-?\d{1,5}/g;

/** Words in names of use districts; none is in "Medical District" or "Crime Control and Prevention District". */
const USE = String.raw`(?:Residential|Single|Family|Two-Family|One-Family|Duplex|Multifamily|Multiple|Townhouse|Retail|Commercial|Office|Industrial|Research|Manufacturing|Mixed|Use|Service|Parking|Agricultural|Agriculture|Mobile|Corridor|Walkable|Cluster|Center|Business|Urban)`;
const CAPITALIZED = String.raw`[A-Z][\p{L}/'’-]{0,30}`;
const CODE = String.raw`[A-Z]{1,6}(?:-[A-Z0-9.]{1,6}(?![\p{Ll}]))*(?:\([A-Z0-9.]{1,4}\))*(?:-[A-Z0-9]{1,5}(?![\p{Ll}]))*`;

const COMPASS = String.raw`(?:[Nn]orth(?:east|west)?|[Ss]outh(?:east|west)?|[Ee]ast|[Ww]est)(?:ern)?`;
/** The end of a part of a street: a street, or a name that is neither a use of land nor the code of a district. */
const END = String.raw`(?:${STREET}|(?!(?:${CAPITALIZED} ){0,3}(?:${USE}|Development|District)\b|${CODE}(?![\p{L}\d'’]|\.? ${CAPITALIZED}))(?:${DIRECTION} )?${NAME_WORD}(?: ${NAME_WORD}){0,3})`;
const BETWEEN = String.raw`[,;]? (?:[Ll]ocated )?(?:[Bb]etween|[Ff]rom|[Bb]ounded by) (?:the )?${END}(?: and| to),?(?: the)? ${END}`;
const BESIDE = String.raw`,? (?:(?:just )?${COMPASS}|at the (?:terminus|end)|near|across from) (?:of )?(?:the )?(?:intersection (?:of|with) )?${STREET}(?: and ${STREET})?`;
const LINE = new RegExp(
  String.raw`\b(?:${COMPASS}|both)(?: and ${COMPASS})? (?:lines?|sides?|frontages?) of ${STREET_OR_NAME}(?:${BETWEEN}|${BESIDE})?`,
  'gu',
);
/**
 * "the alley between Example Avenue and Sample Avenue from First Street to Second Street": the streets beside it are
 * not the place.
 */
const ALLEY = new RegExp(
  String.raw`\b[Aa]lley(?:way)?s? (?:located )?(?:[Bb]etween|[Bb]ounded by) ${STREET_OR_NAME} and ${STREET_OR_NAME}(?:,? from ${STREET_OR_NAME} to ${STREET_OR_NAME})?`,
  'gu',
);
const SEGMENT = new RegExp(String.raw`${STREET}(?: Right-of-Way| \((?:North|South|East|West)\))?${BETWEEN}`, 'gu');
/** "Example Drive from the city limits extending south to Sample Road". */
const FROM_TO = new RegExp(String.raw`${STREET},? [Ff]rom [^,;()]{1,60}? to (?:the )?${STREET}`, 'gu');
const STREET_BLOCKS = new RegExp(
  String.raw`\d{1,5}(?:(?:, | and |, and |-)\d{1,5}){0,12}(?:-| )[Bb]locks? of ${STREET}`,
  'gu',
);
/** "Example Street near its intersection with Sample Avenue", "Example Parkway at the Sample Rail Lines". */
const STREET_NEAR = new RegExp(
  String.raw`(?<!\d )${STREET},? (?:near|at) (?:(?:its|the) intersection (?:with|of) (?:the )?${STREET_OR_NAME}|the (?:[A-Z][\p{L}&]+ ){1,6}(?:Rail(?:road|way)?|Rail) (?:Lines?|Tracks?|Crossing))`,
  'gu',
);
/** A street after a preposition of place, unless a further name follows, or words on a part of it that are not read. */
const ON = new RegExp(
  String.raw`\b(?:[Oo]n|[Nn]ear|[Aa]cross|[Oo]ver|[Uu]nder|[Aa]djacent to) (?<place>${STREET})(?! [A-Z]| and|\/|,? (?:between|near (?:its|the)|at (?:its|the)|bounded by)\b)`,
  'gu',
);
const RUN = new RegExp(String.raw`\b(?:[Aa]long|[Pp]ortions? of|[Ss]egments? of) (?<place>${STREET})`, 'gu');

const CORNER = new RegExp(
  String.raw`\b(?:(?:${COMPASS}(?:,? (?:and|or) |, | quadrant of |))+ )?(?:[Cc]orners?|[Qq]uadrants?|[Ii]ntersections?)(?: (?:of|at))?(?: the)? (?:${STREET}(?:, ${STREET}){0,2},? (?:and|at|with|&) ${STREET_OR_NAME}|${STREET_OR_NAME},? (?:and|&) (?:${STREET}|${PLURAL_STREET}))`,
  'gu',
);
/** A crossing with its second street. */
const CROSSING = String.raw`${STREET},? (?:at|@|&) ${STREET}(?: and ${STREET}(?!,? (?:at|@|&|from) ))?`;
const AT = new RegExp(CROSSING, 'gu');
/** A road with its other name before a crossing. */
const AT_BOTH_NAMES = new RegExp(String.raw`(?:${NUMBERED_ROAD})\/${CROSSING}`, 'gu');
const BOTH = new RegExp(String.raw`\b[Aa]t (?<place>${STREET} (?:and|&) ${STREET})`, 'gu');
const NAMED = new RegExp(String.raw`${STREET} (?:and|at) ${STREET}(?= [Ii]ntersection)`, 'gu');

const COUNCIL =
  /\b(?:City )?Council Districts? \d{1,2}(?:(?:, | and |, and | & )\d{1,2})*|(?:Near )?CD(?<=(?:^\(|[,(] ?)(?:Near )?CD)s? ?\d{1,2}(?:(?:, | and |, and | & )(?:CD ?)?\d{1,2})*(?:,? and ETJ)?(?=\)|;)|(?<=^\()ETJ[^()]{0,40}(?=\))/g;
const DISTRICT_NAME = String.raw`(?:[A-Z][\p{L}\d'’./-]{0,40}|&|of|and)`;
const DISTRICT = new RegExp(
  String.raw`(?<![\p{L}\d])[A-Z][\p{L}\d'’./-]{0,40}(?: ${DISTRICT_NAME}){0,7}? (?:Tax Increment Financing (?:\(“?"?TIF"?”?\) )?District|TIF District|Public Improvement District|Municipal Management District|Special Purpose District|Special Provision Sign District|Historic District|Neighborhood Empowerment Zone|Reinvestment Zone|Enterprise Zone|Sub-?[Dd]istrict(?! [A-Z\d]{1,3}\b)|Neighborhood(?! (?:[&A-Z]|and [A-Z])))(?![\p{L}\d])(?: (?:No\. ?\d+[A-Z]?|Number [A-Z][a-z]+(?:-[A-Z]?[a-z]+)?|Area [A-Z][a-z]+|\d+[A-Z]?))?(?! (?:Act|Fund|Program|Board|Financing|Plan|Policy)\b)`,
  'gu',
);
const ZONE =
  /\b(?:Tax Increment )?Reinvestment Zone (?:No\. ?\d+[A-Z]?|Number [A-Z][a-z]+(?:-[A-Z]?[a-z]+)?)|\b(?:Neighborhood Empowerment (?:Reinvestment )?Zone|Public Improvement District) (?:Area [A-Z][a-z]+|No\. ?\d+[A-Z]?)\b/g;

const NAMED_SUBDIVISION =
  /\b(?:[A-Z][\p{L}\d'’.-]{1,30} ){1,5}(?:Addition|Subdivision|Estates)\b(?:,? (?:Phase|Section|No\.|Unit) [A-Z0-9]{1,4})?/gu;
const PLAT_OF =
  /\b[Pp]lat (?:of|for) (?:the )?(?<place>(?:[A-Z][\p{L}\d'’.-]{1,30} ?){1,5}(?:Addition|Subdivision|subdivision|Estates)?)/gu;

/** "an R-5(A) Single Family Subdistrict", "a CR Community Retail District". */
const CODED = new RegExp(
  String.raw`(?<![\p{L}\d-])${CODE} (?:${CAPITALIZED} |\d+ ){0,3}?${USE} (?:${CAPITALIZED} |and |\d+ ){0,5}?(?:Sub)?[Dd]istrict\b(?: (?:with|No\.) [A-Z0-9][^,;]{0,60}?Overlay)?`,
  'gu',
);
const PLANNED =
  /\b(?:Planned Development|Conservation|Historic|PD) (?:(?:Sub)?[Dd]istrict )?No\. ?\d+[A-Z]?\b|\bPlanned Development (?:Sub)?[Dd]istrict \d+[A-Z]?\b|\bPD (?:No\. ?)?\d+\b/g;
const NUMBERED_DISTRICT = /\b(?:Sub)?[Dd]istrict (?:No\. ?)?\d+[A-Z]?(?= within Planned Development District)/g;
/** `"UR" Urban Residential`, as zoning changes are written in quotes. */
const QUOTED =
  /["“][A-Z0-9/.-]{1,10}["”] [A-Z][\p{L}-]{1,30}(?: (?!To\b|From\b|Excluding\b|Plus\b)[A-Z][\p{L}-]{1,30}){0,4}/gu;

const FACILITY_KIND = [
  'Park|Airport|Heliport|Vertiport|Library|Lift Station|Pump Station|Pumping Station',
  '(?:Water|Wastewater|Water Purification|Water Treatment|Wastewater Treatment) Plant|Water Reclamation Facility|Landfill',
  'Transfer Station|Recreation Center|Community Center|Convention Center|Cultural Center|Senior Center|Aquatic Center',
  'Nature Center|Maintenance Facility|Service Center|Police Station|Substation|Fire Station(?: No\\. ?\\d+| \\d+)?',
  'Stadium|Arena|Coliseum|Museum(?: of [A-Z][a-z]+(?: (?:and|&) [A-Z][a-z]+)?)?|Zoo|Aquarium|Arboretum|Opera House|Theater|Theatre|Auditorium|Amphitheater|Jail',
  'City Hall|Cemetery|Golf Course|Elementary School|High School|Middle School|Reservoir|Dam|Bridge|Viaduct|Tower|Garage',
  'Hotel|Apartments|Trail|Greenbelt|Levee|Spillway',
].join('|');
const FACILITY_NAME = String.raw`(?:[A-Z][\p{L}\d'’.-]{0,30}(?:, [JS]r\.)?|(?<=[A-Z][\p{L}.]{0,20} )(?:of|&))`;
const FACILITY = new RegExp(
  String.raw`(?=[A-Zo&])(?<![\p{L}\d])(?<!\b(?:City|Town|Village|Director) of (?:[A-Z]\p{L}* )?)(?:${FACILITY_NAME} ){1,5}(?:${FACILITY_KIND})(?![\p{L}\d]|-[\p{L}\d])(?! (?:and|&) [A-Z]\p{L}+ (?:Services?|Commission|Department|Authority|Board)\b)(?! (?:\p{Lu}\p{L}+ ){0,2}(?:Foundation|Corporation)\b)(?! at (?:\p{Lu}\p{L}+ ){1,6}(?:Funds?|Corporation)\b)(?! (?:Board|Department|Fund|Inventory|Opportunity|Program|Service|Solutions|System\b|Foundation|Commission|Corporation|Maintenance District|(?:Tax Increment|TIF|Public Improvement)))(?!,? (?:LLC|L\.?P\.?|Inc|Ltd|Logistics|Executives|(?:and|&) Wildlife|Link|Lane|Drive|Road|Street|Avenue|Boulevard|Place|Row|Owner|Partners|Holdings|Associates|Associations?|Authority|Company|Conservancy|District|Services|Systems|Group|Concessions)\b)`,
  'gu',
);
const STATION = /\bFire[ -](?:Rescue )?Station (?:No\. ?)?\d+/g;
const FIELD =
  /(?:\b(?:Dallas )?Love Field(?: Airport)?|\b[A-Z][a-z]+ Field Airport)\b(?! (?:[A-Z]\w+ ){0,3}(?:Corporation|Program|LLC|Inc)\b)|\bFair Park\b(?! (?:Link|Opportunity|(?:[A-Z]\w+ )?(?:Holdings|Partners|Associates)|(?:[A-Z]\w+,? )?(?:LLC|LP|Inc|Ltd)\b))/g;

/**
 * Patterns in order of precedence: of two overlapping matches, the earlier pattern wins. A group named `place` contains
 * only the location.
 */
export const PATTERNS: readonly (readonly [LocationKind, readonly RegExp[]])[] = [
  ['road_segment', [ALLEY, LINE, SEGMENT, FROM_TO, STREET_NEAR, STREET_BLOCKS, RUN, ON]],
  ['intersection', [CORNER, AT_BOTH_NAMES, AT, BOTH, NAMED]],
  ['street_address', [RANGE, WITH_TYPE, WITHOUT_TYPE]],
  ['zoning_district', [CODED, PLANNED, NUMBERED_DISTRICT, QUOTED]],
  ['parcel', [BLOCK_LOTS, LOT, SURVEY, BLOCK, ABSTRACT]],
  ['subdivision', [NAMED_SUBDIVISION, PLAT_OF]],
  ['area', [COUNCIL, ZONE, DISTRICT]],
  ['facility', [FACILITY, STATION, FIELD]],
];

/** Patterns for "Name Name Kind", whose matches may begin with words outside the name. */
export const NAME_PATTERNS: ReadonlySet<RegExp> = new Set([NAMED_SUBDIVISION, PLAT_OF, DISTRICT, FACILITY]);

/** Words without which a costly pattern matches nothing, so that most texts are spared it. */
export const NEEDED: ReadonlyMap<RegExp, RegExp> = new Map([
  [ALLEY, /[Aa]lley/],
  [LINE, /\b(?:lines?|sides?|frontages?) of /],
  [SEGMENT, /[Bb]etween |[Ff]rom |[Bb]ounded by /],
  [FROM_TO, /[Ff]rom .* to /s],
  [STREET_NEAR, /\b(?:near|at) (?:its|the) /],
  [STREET_BLOCKS, /[Bb]locks? of /],
  [BLOCK_LOTS, /Block .*Lot/s],
  [RUN, /[Aa]long |[Pp]ortions? of |[Ss]egments? of /],
  [CORNER, /[Cc]orner|[Qq]uadrant|[Ii]ntersection/],
  [AT_BOTH_NAMES, /\d\/[A-Z]/],
  [AT, / (?:at|@|&) /],
  [BOTH, /\b[Aa]t /],
  [NAMED, / [Ii]ntersection/],
  [RANGE, /\((?:odd|even)/],
  [CODED, /[Dd]istrict/],
  [LOT, /Block /],
  [SURVEY, /Survey/],
  [NAMED_SUBDIVISION, /Addition|Subdivision|Estates/],
  [DISTRICT, /[Dd]istrict|Zone|Neighborhood/],
  [FACILITY, new RegExp(` (?:${FACILITY_KIND})`)],
]);
