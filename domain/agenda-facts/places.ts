import { wordSet } from '../text/words.ts';
import type { PlaceFact, PlaceKind } from './facts.ts';
import { landsOf } from './lands.ts';
import { DIRECTIONS, streetsOf } from './streets.ts';
import { phraseText, quote, type Reading, type Token } from './tokens.ts';

interface Span {
  readonly from: number;
  readonly to: number;
  readonly kind: PlaceKind;
}
type Street = ReturnType<typeof streetsOf>[number];

const CROSSES = wordSet('and & at @ / near with');
const CORNER_WORDS = wordSet('corner corners intersection quadrant side sides line portion block blocks');
/** Words between a direction or corner and its street. */
const CORNER_LINKS = wordSet(
  'of the at corner corners intersection quadrant side sides line portion block blocks and approximately feet foot',
);
const REFERENCES = [
  ' near ',
  ' adjacent to ',
  ' adjoining ',
  ' abutting ',
  ' across from ',
  ' close to ',
  ' in the vicinity of ',
  ' nearby ',
  ' nearest ',
];
const DISTANCE = wordSet('feet foot mile miles ft');
const HOME = [
  ' residing at ',
  ' resides at ',
  ' residing ',
  ' resident of ',
  ' lives at ',
  ' living at ',
  ' home address ',
];
const APPOINTS = wordSet(
  'appoint appointing appointment appointments reappoint reappointing reappointment nomination nominate',
);

const between = (tokens: readonly Token[], left: Street, right: Street): string =>
  phraseText(tokens, left.to, right.from).trim();

/** Joins streets that describe one place: a crossing, or a part of a street between two others. */
function joinedStreets(tokens: readonly Token[]): Span[] {
  const streets = streetsOf(tokens);
  const spans: Span[] = [];
  for (let at = 0; at < streets.length; at++) {
    const [street, second, third] = [streets[at]!, streets[at + 1], streets[at + 2]];
    const link = second === undefined ? '' : between(tokens, street, second);
    const words = link.split(' ');
    const opensPart = /^(?:, )?(?:\( \w+ \) )?(?:from|between)(?: the)?$/.test(link);
    if (
      second !== undefined &&
      third !== undefined &&
      opensPart &&
      /^(?:and|to)(?: the)?$/.test(between(tokens, second, third))
    ) {
      spans.push({ from: street.from, to: third.to, kind: 'road_segment' });
      at += 2;
    } else if (
      second !== undefined &&
      !street.hasNumber &&
      !second.hasNumber &&
      words.length <= 4 &&
      CROSSES.has(words[0]!) &&
      words.slice(1).every((word) => CORNER_LINKS.has(word) || word === 'its')
    ) {
      spans.push({
        from: street.from,
        to: second.to,
        kind: tokens[street.from - 1]?.word === 'between' ? 'road_segment' : 'intersection',
      });
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
    else if (DISTANCE.has(word) && tokens[at - 1]?.kind === 'number') start = at - 1;
    else if (!CORNER_LINKS.has(word) && kind !== 'number') break;
  }
  return start;
}

function useOf(tokens: readonly Token[], from: number): PlaceFact['use'] {
  const context = phraseText(tokens, from - 6, from);
  const isDistant = context.includes(' within ') || context.includes(' radius ');
  const hasDistance = isDistant && tokens.slice(Math.max(0, from - 6), from + 3).some(({ word }) => DISTANCE.has(word));
  const closest = phraseText(tokens, from - 4, from);
  return hasDistance || REFERENCES.some((words) => closest.includes(words)) ? 'reference' : 'affected';
}

function isHome(tokens: readonly Token[], { from, kind }: Span): boolean {
  if (kind !== 'street_address') return false;
  const context = phraseText(tokens, from - 6, from);
  return HOME.some((words) => context.includes(words)) || tokens.slice(0, from).some(({ word }) => APPOINTS.has(word));
}

/** The places that an item is about or refers to. The home of a person is none. */
export function placesOf(reading: Reading): PlaceFact[] {
  const { tokens } = reading;
  const streets = joinedStreets(tokens).map((span) => ({
    ...span,
    from: span.kind === 'street_address' ? span.from : extentStart(tokens, span.from),
  }));
  const lands = landsOf(tokens).filter(
    ({ from, to }) => !streets.some((street) => street.from < to && from < street.to),
  );
  return [...streets, ...lands]
    .sort((left, right) => left.from - right.from)
    .filter((span) => !isHome(tokens, span))
    .map((span) => {
      const quoted = quote(reading, span.from, span.to - 1);
      const isNamed = span.kind === 'facility' || span.kind === 'subdivision' || span.kind === 'area';
      return { ...quoted, name: isNamed ? quoted.sourceText : null, kind: span.kind, use: useOf(tokens, span.from) };
    });
}
