import streetTypes from './street-types.json' with { type: 'json' };

/** All spellings of a type of street, by each of them. */
export const STREET_TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(streetTypes).flatMap(([name, shorter]) => {
    const spellings = [name, ...shorter];
    return spellings.map((spelling) => [spelling, spellings] as const);
  }),
);
