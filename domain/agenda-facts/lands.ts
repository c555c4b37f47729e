import { wordSet } from '../text/words.ts';
import type { PlaceKind } from './facts.ts';
import { isNameWord } from './names.ts';
import { hasWord, phraseList, phraseText, type Token } from './tokens.ts';

export interface LandSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: PlaceKind;
}

const LOT_WORDS = wordSet('lot lots tract tracts block blocks blk');
const LOT_PARTS = wordSet(`
  lot lots tract tracts block blocks blk phase section unit in of the and & through thru to part p/o
`);
const SUBDIVISION_WORDS = wordSet('addition subdivision estates');
const LOT_ID = /^(?:[A-Z]?\d[\w/-]*|[A-Z])$/;
/** Last words of names of public places. */
const FACILITY_WORDS = wordSet(`
  park airport heliport library landfill stadium arena coliseum museum zoo aquarium arboretum cemetery courthouse fairgrounds
  marina pier reservoir dam bridge viaduct garage greenbelt jail lagoon lake creek trail garden gardens plaza campus pavilion
  beach harbor
`);
/** Words for works on a place: "Example Park Playground". Another name after the place is part of a longer name. */
const WORKS = wordSet(`
  improvement improvements project projects phase master renovation renovations rehabilitation expansion playground restroom
  restrooms parking lighting construction design replacement upgrade upgrades drainage repair repairs trail pavilion located
  generally redevelopment development parcel property site building
`);
/** Pairs of words that end the name of a public place. */
const FACILITY_PAIRS = new Set(
  phraseList(`
  recreation center, community center, convention center, civic center, senior center, aquatic center, nature
  center, cultural center, golf course, treatment plant, reclamation plant, purification plant, water plant, lift
  station, pump station, pumping station, fire station, police station, transfer station, metering station, water
  tower, detention center, sports complex, detention pond
`),
);
/** Words that make the name before them no place: "Example Park Board". */
const NO_PLACE_AFTER = wordSet(`
  board department fund program commission authority foundation association conservancy district services system
  corporation committee inc llc lp ltd company friends drive road street avenue lane boulevard place court circle
  way blvd rd partners holdings apartments homes owners police community municipal council city code voters isd
  elementary high middle
`);
const AREA_PAIRS = new Set(
  phraseList(`
  historic district, business district, reinvestment zone, enterprise zone, empowerment zone, arts district,
  entertainment district
`),
);
/** Words that name no place before the kind of a place: "Public Park", "General Business District". */
const GENERIC = wordSet(`
  public city county town municipal new existing local community neighborhood regional limited general highway commercial planned
  various all other proposed state
`);
const CITIES = phraseList('city of, cities of, town of, towns of, village of, villages of').map(
  (phrase) => ` ${phrase} `,
);
/** Number of tokens after "cities of" in which their names are listed. */
const LISTED = 14;
const LONGEST_NAME = 5;

/** Index where the capitalized name that ends before `at` begins; `at` if there is none. */
function startOfName(tokens: readonly Token[], at: number): number {
  let from = at;
  while (at - from < LONGEST_NAME) {
    const token = tokens[from - 1];
    if (isNameWord(token) && !LOT_WORDS.has(token!.word)) from--;
    else if (token?.word === '&' && isNameWord(tokens[from - 2])) from -= 2;
    else break;
  }
  return from;
}

/** Index after ", Phase 2", "No. 5" or "Number Six". */
function afterNumber(tokens: readonly Token[], at: number): number {
  const word = tokens[at]?.text === ',' ? at + 1 : at;
  const isLabel = /^(?:phase|section|unit|no|number|area|#)$/.test(tokens[word]?.word ?? '');
  const id = tokens[isLabel ? word + 1 : word];
  if (id === undefined) return at;
  if (isLabel && (LOT_ID.test(id.text) || isNameWord(id))) return word + 2;
  return !isLabel && word === at && /^\d{1,3}$/.test(id.text) ? at + 1 : at;
}

/** True if the name continues as that of an agency: "Library and Archives Commission". */
const isOfAgency = (tokens: readonly Token[], at: number): boolean =>
  hasWord(tokens[at], 'and &') &&
  tokens.slice(at + 1, at + 4).some((token) => token.isCapital && NO_PLACE_AFTER.has(token.word));

/** True if an organization of that name gives something: "a grant from the Sample Library". */
function isGiver(tokens: readonly Token[], from: number, to: number): boolean {
  const before = hasWord(tokens[from - 1], 'the') ? from - 2 : from - 1;
  return hasWord(tokens[before], 'from') && !hasWord(tokens[to], 'to through');
}

/** True if the name is that of a city in a list: "the cities of Sample and Example Estates". */
function isCity(tokens: readonly Token[], from: number): boolean {
  const before = phraseText(tokens, from - LISTED, from);
  return CITIES.some((words) => before.endsWith(words) || (words.startsWith(' cities') && before.includes(words)));
}

/** True if a name in a title of capitalized words might begin with another word: "To Place Example Lake". */
function isUnsure(tokens: readonly Token[], from: number, at: number): boolean {
  const before = tokens[from - 1];
  if (before === undefined || at - from < 3 || !before.isCapital) return before?.kind === 'number' && at - from > 2;
  return hasWord(before, 'to for');
}

/** "Lots 1 and 2, Block 3, Example Addition"; null if no description of a lot begins at `at`. */
function lotFrom(tokens: readonly Token[], at: number): LandSpan | null {
  if (!LOT_WORDS.has(tokens[at]!.word)) return null;
  const first = tokens[at + 1]?.text === ',' ? at + 2 : at + 1;
  if (!LOT_ID.test(tokens[first]?.text ?? '')) return null;
  let to = first + 1;
  let open = 0;
  let isNamed = /^(?:lot|tract)/.test(tokens[at]!.word);
  for (let next = to; next < tokens.length && next - at < 40 && open < 4; next++) {
    const token = tokens[next]!;
    const isId = LOT_ID.test(token.text) || token.kind === 'number';
    if (!isId && token.text !== ',' && token.text !== '-' && !LOT_PARTS.has(token.word) && !isNameWord(token)) break;
    open = isId || isNameWord(token) ? 0 : open + 1;
    if (isId && !isNameWord(tokens[next - 1])) to = next + 1;
    if (SUBDIVISION_WORDS.has(token.word)) {
      to = afterNumber(tokens, next + 1);
      isNamed = true;
      break;
    }
  }
  // A block of a survey, or of a plat that is named elsewhere, cannot be found.
  return isNamed ? { from: at, to, kind: 'parcel' } : null;
}

/** "Planned Development District No. 12"; null without a number. */
function numberedDistrict(tokens: readonly Token[], at: number): LandSpan | null {
  const to = afterNumber(tokens, at + 1);
  return to > at + 1 ? { from: startOfName(tokens, at), to, kind: 'zoning_district' } : null;
}

/** A place whose last word is at `at`: a subdivision, a facility or an area. */
function namedPlace(tokens: readonly Token[], at: number): LandSpan | null {
  const { word, isCapital } = tokens[at]!;
  const pair = `${tokens[at - 1]?.word} ${word}`;
  if (!isCapital) return null;
  if (/^(?:development|conservation) district$/.test(pair)) return numberedDistrict(tokens, at);
  const isPair = FACILITY_PAIRS.has(pair) || AREA_PAIRS.has(pair);
  if (!isPair && !FACILITY_WORDS.has(word) && !SUBDIVISION_WORDS.has(word)) return null;
  const after = tokens[at + 1];
  if (NO_PLACE_AFTER.has(after?.word ?? '')) return null;
  if (!isPair && isNameWord(after) && !WORKS.has(after!.word)) return null;
  if (hasWord(after, 'will') || isOfAgency(tokens, at + 1) || isGiver(tokens, startOfName(tokens, at), at + 1))
    return null;
  const from = startOfName(tokens, at);
  const to = afterNumber(tokens, at + 1);
  const hasName = at - from > (isPair ? 1 : 0) || (isPair && to > at + 1);
  const named = tokens.slice(from, isPair ? at - 1 : at);
  const isGeneric = named.length > 0 && named.every((token) => GENERIC.has(token.word));
  if (!hasName || isGeneric || isCity(tokens, from) || isUnsure(tokens, from, at)) return null;
  const kind = SUBDIVISION_WORDS.has(word) ? 'subdivision' : AREA_PAIRS.has(pair) ? 'area' : 'facility';
  return { from, to, kind };
}

/** Parcels, subdivisions, facilities and areas in the order of the text. */
export function landsOf(tokens: readonly Token[]): LandSpan[] {
  const spans: LandSpan[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const span = lotFrom(tokens, at) ?? namedPlace(tokens, at);
    if (span === null) continue;
    spans.push(span);
    at = Math.max(at, span.to - 1);
  }
  return spans;
}
