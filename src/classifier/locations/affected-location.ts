import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { type LocationKind, NAME_PATTERNS, NEEDED, PATTERNS } from './patterns.ts';

type AffectedLocation = NormalizedContent<'agenda_hits'>['affectedLocation'];

const AT_MOST = 20;
const LENGTH = 160;

/**
 * The places that the texts name, in their order, each once; at most 20 with at most 160 characters each. Nothing is
 * looked up.
 */
export function affectedLocation(texts: readonly string[]): AffectedLocation {
  const locations = new Map<string, AffectedLocation['locations'][number]>();
  for (const text of texts) {
    const disjoint: FoundLocation[] = [];
    for (const [kind, patterns] of PATTERNS) {
      for (const candidate of patterns.flatMap((pattern) => matchesOf(text, kind, pattern))) {
        if (!disjoint.some((other) => candidate.start < other.end && other.start < candidate.end))
          disjoint.push(candidate);
      }
    }
    for (const candidate of disjoint.toSorted((left, right) => left.start - right.start)) {
      const place = sourceText(text, candidate);
      if (place !== '' && !locations.has(place.toLowerCase()))
        locations.set(place.toLowerCase(), { kind: candidate.kind, sourceText: place });
    }
  }
  const all = [...locations.values()];
  const distinct = all.filter((place) => !all.some((other) => isEndOf(place, other))).slice(0, AT_MOST);
  return { status: distinct.length > 0 ? 'stated' : 'not_stated', locations: distinct };
}

type Location = AffectedLocation['locations'][number];
/** Returns true if a name is the end of a longer one of the same kind ("Sample Park", "Jo Sample Park"). */
const isEndOf = (place: Location, other: Location): boolean =>
  place.kind === 'facility' && other.kind === 'facility' && other.sourceText.endsWith(` ${place.sourceText}`);

/** Offsets in UTF-16 code units. */
interface FoundLocation {
  readonly kind: LocationKind;
  readonly start: number;
  readonly end: number;
}

function matchesOf(text: string, kind: LocationKind, pattern: RegExp): FoundLocation[] {
  if (NEEDED.get(pattern)?.test(text) === false) return [];
  const matches = [...text.matchAll(pattern)].map((match) => {
    const place = match.groups?.place ?? match[0];
    const start = match.index + match[0].indexOf(place);
    return { kind, start, end: start + place.length };
  });
  return NAME_PATTERNS.has(pattern) ? matches.flatMap((match) => fromName(text, match)) : matches;
}

/** Returns the matched text, or none if it exceeds the limit: a place is never cut. */
function sourceText(text: string, found: FoundLocation): string {
  const whole = text.slice(found.start, found.end).replace(/(?<![\s,.;])[\s,.;]+$/, '');
  return whole.length <= LENGTH ? whole : '';
}

/** Capitalised words that precede a name and are not part of it. */
const NO_NAME = new Set(
  `a an the of at and & for in to with by from new annual routine existing proposed one-time purchase installation construction renovation replacement
   improvement improvements project projects program authorize approve adopt amend ratify execution contract agreement lease amendment financing tax
   increment city dallas fort worth usdot txdot annual phase public municipal regional citywide various multiple additional portion street streets
   no north south east west design maintenance repair operation operations management use development city-owned property general services community
   located fee simple interest portions reconstruction expansion initiative system capital fund funds rehabilitation first second third approximately director hotel
   bond adjacent surrounding certain several two five four along near neighborhood areas project's
   empowerment opportunity enterprise reinvestment historic financing purpose supporting funding future funds
   alley bike pedestrian highway electrical secondary target safe national connect circuit plan district tif citys`
    .trim()
    .split(/\s+/),
);
/**
 * Words among them that may begin a name of several words ("New Hope Park", "West Fork Addition", "Fort Worth Zoo").
 */
const MAY_OPEN = new Set(
  'new dallas fort north south east west first second third community city historic national five'.split(' '),
);
/** Words before one of these describe the action or the actor. */
const PRELUDE =
  /^.*\b(?:Commission of|Council of|Board of|Establish(?:ment of|ing)|Creat(?:ion of|ing)|Authorizing|Resolution|Ordinance|Petition|Program)\s/s;
/** A list of streets with a common ending. */
const SHARED = /(?:Streets|Avenues|Roads|Lanes|Boulevards|Drives) \p{L}+$/u;
const BEHIND_NAME = /(?<![\p{L}\d])\p{Lu}\p{L}[\p{L}\d'’.-]* $/u;

/**
 * Returns the match without leading words outside the name. Returns nothing for a kind without a name, or for a part of
 * a longer name.
 */
function fromName(text: string, found: FoundLocation): FoundLocation[] {
  // A municipality can have the name of a facility.
  const whole = text.slice(found.start, found.end);
  if (/\b(?:City|Town|Village) of (?:\S+ )?\S+$/.test(whole) || SHARED.test(whole)) return [];
  const from = PRELUDE.exec(whole)?.[0].length ?? 0;
  const words = [...whole.slice(from).matchAll(/\S+/g)];
  const isName = (word: string): boolean => !NO_NAME.has(word.toLowerCase().replace(/[^\p{L}&-]/gu, ''));
  const first = words.findIndex(
    ([word], index) =>
      isName(word) || (MAY_OPEN.has(word.toLowerCase()) && index < words.length - 2 && opens(words, index)),
  );
  const begin = words[first];
  if (begin === undefined || first >= words.length - 1) return [];
  // The pattern matches a limited number of words. A name that continues before them is longer.
  if (from + first === 0 && BEHIND_NAME.test(text.slice(Math.max(0, found.start - 40), found.start))) return [];
  return [{ ...found, start: found.start + from + begin.index }];
}

/** Returns true if a word that might begin a name is followed by part of one. */
function opens(words: readonly RegExpExecArray[], index: number): boolean {
  const following = words[index + 1]?.[0].toLowerCase() ?? '';
  if (words[index]?.[0] === 'Five') return following === 'mile';
  return (
    !NO_NAME.has(following) ||
    (words[index]?.[0] === 'Fort' && following === 'worth') ||
    (/^(?:North|South|East|West)$/.test(words[index]?.[0] ?? '') && MAY_OPEN.has(following)) ||
    (words[index]?.[0] === 'Dallas' && following === 'fort')
  );
}
