import { COUNTIES, MUNICIPALITIES } from './catalogue-records.ts';

/** Active places of one level. A place without a known population counts with none. */
export interface PeopleOfLevel {
  /** Number of places with a source that was read. */
  readonly placesRead: number;
  readonly places: number;
  /** Number of people of the places with a source that was read. */
  readonly peopleRead: number;
  readonly people: number;
  /** Years of the population figures. */
  readonly years: number[];
}

interface CountedPlace {
  readonly slug: string;
  readonly population: number | null;
  readonly populationYear: number | null;
}

function countPeople(places: readonly CountedPlace[], read: ReadonlySet<string>): PeopleOfLevel {
  const sum = (counted: readonly CountedPlace[]) => counted.reduce((all, { population }) => all + (population ?? 0), 0);
  const withSource = places.filter(({ slug }) => read.has(slug));
  const years = new Set(places.flatMap(({ populationYear }) => populationYear ?? []));
  return {
    placesRead: withSource.length,
    places: places.length,
    peopleRead: sum(withSource),
    people: sum(places),
    years: [...years].toSorted((left, right) => left - right),
  };
}

/**
 * Counts the people of the places of the region whose slugs are in `read`. Municipalities and counties are apart,
 * because people of a municipality are people of its county too.
 */
export const countPeopleRead = (read: ReadonlySet<string>) => ({
  municipalities: countPeople(
    MUNICIPALITIES.filter(({ active }) => active),
    read,
  ),
  counties: countPeople(
    COUNTIES.map((county) => ({ ...county, slug: `${county.slug}-county` })),
    read,
  ),
});

export type PeopleRead = ReturnType<typeof countPeopleRead>;
