import { wordSet } from '../text/words.ts';
import type { PlaceFact, PlaceKind } from './facts.ts';
import { landsOf } from './lands.ts';
import { DIRECTIONS, streetsOf } from './streets.ts';
import { hasWord, phraseList, phraseText, quote, type Reading, type Token } from './tokens.ts';

interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: PlaceKind;
}
type Street = ReturnType<typeof streetsOf>[number];

const CROSSES = wordSet('and & at @ / near with intersection');
const CORNER_WORDS = wordSet('corner corners intersection quadrant side sides line portion block blocks');
/** Words between a direction or corner and its street. */
const CORNER_LINKS = wordSet(`
  of the at corner corners intersection quadrant side sides line portion block blocks and approximately feet foot
`);
const REFERENCES = phraseList(`
  near, adjacent to, adjoining, abutting, across from, close to, in the vicinity of, nearby, nearest
`).map((phrase) => ` ${phrase} `);
const DISTANCE = wordSet('feet foot mile miles ft');
/** Phrases before an address that is the home of a person, or where the meeting is. */
const HOME = phraseList(`
  residing at, resides at, residing, resident of, lives at, living at, home address, chambers, held at, attend
`).map((phrase) => ` ${phrase} `);
/** Words before a place of the meeting or its office, and the number of tokens in which they stand. */
const LOGISTICS = phraseList(`
  contact, accommodation, accommodations, meeting will be held, meetings will be held, mailed to, delivered to
`).map((phrase) => ` ${phrase} `);
const NOTICE_REACH = 16;
const APPOINTS = wordSet('appoint appointing appointment appointments reappoint reappointing reappointment');

const between = (tokens: readonly Token[], left: Street, right: Street): string =>
  phraseText(tokens, left.to, Math.min(right.from, left.to + 6)).trim();

/** True if the street is one of a list: "First Street, Second Street and Third Street" is no crossing. */
const isListed = (tokens: readonly Token[], { from }: Street): boolean =>
  tokens[from - 1]?.text === ',' &&
  /^(?:street|avenue|road|drive|lane|boulevard)s?$/.test(tokens[from - 2]?.word ?? '');

const OPENS_PART = /^(?:, )?(?:\( \w+ \) )?(?:from|between)(?: the)?$/;
const CLOSES_PART = /^(?:and|to)(?: the)?$/;

/** True if the words between two streets make them a crossing: "and", "at the intersection of". */
function isCrossing(tokens: readonly Token[], left: Street, right: Street): boolean {
  if (left.hasNumber || right.hasNumber || right.isPair || right.from - left.to > 4 || isListed(tokens, left))
    return false;
  const [first, ...rest] = tokens.slice(left.to, right.from).map(({ word }) => word);
  return (
    CROSSES.has(first ?? '') && rest.every((word) => CORNER_LINKS.has(word) || DIRECTIONS.has(word) || word === 'its')
  );
}

/** Joins streets that describe one place: a crossing, or a part of a street between two others. */
function joinedStreets(tokens: readonly Token[]): Span[] {
  const streets = streetsOf(tokens);
  const spans: Span[] = [];
  for (let at = 0; at < streets.length; at++) {
    const [street, second, third] = [streets[at]!, streets[at + 1], streets[at + 2]];
    const opensPart = second !== undefined && OPENS_PART.test(between(tokens, street, second));
    const isBetweenPair = second?.isPair === true && between(tokens, street, second) === 'between';
    if (isBetweenPair) {
      spans.push({ from: street.from, to: second.to, kind: 'road_segment' });
      at += 1;
    } else if (street.isPair) {
      spans.push({ from: street.from, to: street.to, kind: 'intersection' });
    } else if (opensPart && third !== undefined && CLOSES_PART.test(between(tokens, second, third))) {
      spans.push({ from: street.from, to: third.to, kind: 'road_segment' });
      at += 2;
    } else if (second !== undefined && isCrossing(tokens, street, second)) {
      const isPart = tokens[street.from - 1]?.word === 'between';
      spans.push({ from: street.from, to: second.to, kind: isPart ? 'road_segment' : 'intersection' });
      at += 1;
    } else if (street.isSure) {
      spans.push({ from: street.from, to: street.to, kind: street.hasNumber ? 'street_address' : 'road_segment' });
    }
  }
  return spans;
}

/** Index where the words that describe the place begin: "northeast corner of the intersection of". */
function extentStart(tokens: readonly Token[], from: number): number {
  let start = from;
  for (let at = from - 1; at >= 0 && from - at < 10; at--) {
    const { word, kind } = tokens[at]!;
    if (CORNER_WORDS.has(word) || DIRECTIONS.has(word)) start = at;
    else if (DISTANCE.has(word) && tokens[at - 2]?.word === 'within') break;
    else if (DISTANCE.has(word) && tokens[at - 1]?.kind === 'number') start = at - 1;
    else if (!CORNER_LINKS.has(word) && kind !== 'number') break;
  }
  return start;
}

/**
 * True if the text contains a distance from the place: "within 300 feet of", "a setback of 25 feet from". The distance
 * of a site from a corner describes the site if it has no address.
 */
function isDistant(tokens: readonly Token[], { from, to }: Span, hasAddress: boolean): boolean {
  const near = tokens.slice(Math.max(0, from - 6), to);
  const distance = near.findLastIndex(({ word }) => DISTANCE.has(word));
  if (distance < 0) return false;
  const isLimit = near.some(({ word }) => word === 'within' || word === 'radius' || word === 'setback');
  return isLimit || hasAddress || hasWord(near[distance + 1], 'from');
}

function useOf(tokens: readonly Token[], span: Span, hasAddress: boolean): PlaceFact['use'] {
  const closest = phraseText(tokens, span.from - 4, span.from);
  const isReference = isDistant(tokens, span, hasAddress) || REFERENCES.some((words) => closest.includes(words));
  return isReference ? 'reference' : 'affected';
}

/** True if the place is the home of a person, or that of the meeting or its office. */
function isElsewhere(tokens: readonly Token[], { from, kind }: Span): boolean {
  const notice = phraseText(tokens, from - NOTICE_REACH, from);
  if (LOGISTICS.some((words) => notice.includes(words))) return true;
  const context = phraseText(tokens, from - 6, from);
  return kind === 'street_address' && HOME.some((words) => context.includes(words));
}

/** The spans that share no token with another list of spans. */
function outside(spans: readonly Span[], others: readonly Span[], length: number): readonly Span[] {
  const isTaken = new Uint8Array(length);
  for (const { from, to } of others) isTaken.fill(1, from, to);
  return spans.filter(({ from, to }) => !isTaken.subarray(from, to).includes(1));
}

/** The places that an item is about or refers to. The home of a person is none. */
export function placesOf(reading: Reading): PlaceFact[] {
  const { tokens } = reading;
  const appointsAt = tokens.findIndex(({ word }) => APPOINTS.has(word));
  const streets = joinedStreets(tokens).map((span) =>
    span.kind === 'street_address' ? span : { ...span, from: extentStart(tokens, span.from) },
  );
  return [...streets, ...outside(landsOf(tokens), streets, tokens.length)]
    .sort((left, right) => left.from - right.from)
    .filter(
      (span) =>
        !isElsewhere(tokens, span) && (span.kind !== 'street_address' || appointsAt < 0 || span.from < appointsAt),
    )
    .map((span, at, all) => {
      const hasAddress = all.slice(0, at).some(({ kind }) => kind === 'street_address');
      const quoted = quote(reading, span.from, span.to - 1);
      const isNamed = span.kind === 'facility' || span.kind === 'subdivision' || span.kind === 'area';
      return {
        ...quoted,
        name: isNamed ? quoted.sourceText : null,
        kind: span.kind,
        use: useOf(tokens, span, hasAddress),
      };
    });
}
