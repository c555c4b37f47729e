import { MARK } from '../../projections/agenda-search/tables.ts';
import { titleWords, wordSet } from '../../domain/text/words.ts';
import { lexemesOf } from './composed-query.ts';
import type { ReadWords } from './question/read-question.ts';
import type { Unit } from './search-query.ts';
import { STREET_TYPES } from './street-types.ts';

/** A jurisdiction whose whole name was typed. */
export interface TypedPlace {
  readonly name: string;
  /** Words of the name in lower case, without "City of", joined by spaces. */
  readonly words: string;
  readonly bodies: readonly { readonly id: string; readonly name: string }[];
}

/** Units of a query with each typed place as one unit, and the queries that PostgreSQL made of them. */
export interface PlacedUnits {
  readonly units: readonly Unit[];
  readonly queries: readonly (readonly string[])[];
  /** True for each unit that is a place. */
  readonly isPlace: readonly boolean[];
  /** Lexemes of the places. */
  readonly lexemes: readonly string[];
  /** Query for the bodies of the places, whose items come first; null without a place. */
  readonly preferredBodies: string | null;
  /** Query for the bodies that were named with their place, as in "Example council"; null without one. */
  readonly namedBodies: string | null;
  readonly places: readonly ReadWords[];
  readonly bodies: readonly ReadWords[];
}

const KINDS = wordSet('city town village county');
const STATES = wordSet('tx texas');
const BODY_NOUNS = wordSet('council commission commissioners court board committee authority trustees');
const BODY_WORDS = wordSet(
  'city town village county planning plan and zoning of adjustment historic parks park school',
);
/** Words of the name of a body that are read after a place. */
const LONGEST_BODY = 6;

/** Units from `from` up to `to` that name places. */
interface Run {
  readonly from: number;
  readonly to: number;
  /** Units of the name itself, without "City of" and the state. */
  readonly name: readonly [from: number, to: number];
  readonly places: readonly TypedPlace[];
  /** Bodies that are named after the place; empty if none is. */
  readonly bodies: TypedPlace['bodies'];
}

/** Reads the names of places in the units of a query. */
export function placeUnits(
  units: readonly Unit[],
  queries: readonly (readonly string[])[],
  known: readonly TypedPlace[],
): PlacedUnits {
  const longestFirst = known.toSorted((left, right) => right.words.length - left.words.length);
  const placed: { readonly unit: Unit; readonly queries: readonly string[]; readonly run: Run | null }[] = [];
  const bodies: Run[] = [];
  for (let at = 0; at < units.length; ) {
    const run = runAt(units, at, longestFirst);
    if (run === null) placed.push({ unit: units[at]!, queries: queries[at]!, run });
    else if (run.bodies.length > 0) bodies.push(run);
    else placed.push({ ...placeUnit(units, queries, run), run });
    at = run?.to ?? at + 1;
  }
  const runs = placed.flatMap(({ run }) => run ?? []);
  return {
    units: placed.map(({ unit }) => unit),
    queries: placed.map((each) => each.queries),
    isPlace: placed.map(({ run }) => run !== null),
    lexemes: placed.flatMap(({ run, queries: own }) => (run === null ? [] : own.flatMap(lexemesOf))),
    preferredBodies: bodiesQuery(runs.flatMap(({ places }) => places.flatMap((place) => place.bodies))),
    namedBodies: bodiesQuery(bodies.flatMap((run) => run.bodies)),
    places: runs.map((run) => ({ words: typedOf(units, run), meaning: 'a place' })),
    bodies: bodies.map((run) => ({ words: typedOf(units, run), meaning: meaningOfBodies(run) })),
  };
}

const typedOf = (units: readonly Unit[], { from, to }: Run): string =>
  units
    .slice(from, to)
    .map(({ typed }) => typed)
    .join(' ');

/** Returns one unit for the words of a place. An item that has them apart is found, after those of the place. */
function placeUnit(units: readonly Unit[], queries: readonly (readonly string[])[], run: Run) {
  const words = queries.slice(...run.name).filter((alternatives) => alternatives.length > 0);
  const query = words.map((alternatives) => `( ${alternatives.join(' | ')} )`).join(' & ');
  const typed = typedOf(units, run);
  const unit: Unit = {
    ...units[run.from]!,
    typed,
    texts: [typed],
    marks: [],
    word: null,
    isDate: false,
    meaning: null,
  };
  return { unit, queries: query === '' ? [] : [query] };
}

const wordsAt = (units: readonly Unit[], from: number, to: number): readonly string[] =>
  units.slice(from, to).map(({ word, isExcluded }) => (isExcluded ? '' : (word ?? '')));

function runAt(units: readonly Unit[], at: number, known: readonly TypedPlace[]): Run | null {
  const isKind = KINDS.has(units[at]?.word ?? '') && units[at + 1]?.word === 'of';
  const from = isKind ? at + 2 : at;
  const first = known.find((place) => isNameAt(units, from, place));
  if (first === undefined) return null;
  const places = known.filter(({ words }) => words === first.words);
  const end = from + first.words.split(' ').length;
  const to = STATES.has(units[end]?.word ?? '') ? end + 1 : end;
  const named = namedBodies(units, to, places);
  return { from: at, to: named?.to ?? to, name: [from, end], places, bodies: named?.bodies ?? [] };
}

/** True if the units name the place, and neither a street nor alternatives. */
function isNameAt(units: readonly Unit[], at: number, { words }: TypedPlace): boolean {
  const length = words.split(' ').length;
  const isTyped = wordsAt(units, at, at + length).join(' ') === words;
  const isDivided = units.slice(at + 1, at + length).some(({ isAlternative }) => isAlternative);
  return isTyped && !isDivided && !STREET_TYPES.has(units[at + length]?.word ?? '');
}

/** Finds the bodies of places by the words after their name: the longest words that a body has all of. */
function namedBodies(units: readonly Unit[], from: number, places: readonly TypedPlace[]) {
  const words = wordsAt(units, from, from + LONGEST_BODY);
  const other = words.findIndex((word) => !BODY_NOUNS.has(word) && !BODY_WORDS.has(word));
  const length = words.slice(0, other < 0 ? words.length : other).findLastIndex((word) => BODY_NOUNS.has(word)) + 1;
  if (length === 0) return null;
  const typed = words.slice(0, length).filter((word) => !KINDS.has(word));
  const bodies = places.flatMap((place) =>
    place.bodies.filter(({ name }) => {
      const ofName = titleWords(name);
      return typed.every((word) => ofName.includes(word));
    }),
  );
  return bodies.length === 0 ? null : { to: from + length, bodies };
}

const bodiesQuery = (bodies: TypedPlace['bodies']): string | null =>
  bodies.length === 0 ? null : bodies.map(({ id }) => `'${MARK.body}${id}'`).join(' | ');

const meaningOfBodies = ({ places, bodies }: Run): string =>
  `the ${bodies.map(({ name }) => name).join(' and the ')} of ${places[0]!.name}`;
