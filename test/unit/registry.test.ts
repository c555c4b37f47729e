import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  parseRegistryRows,
  type RegistryRow,
  shippedRegistry,
  withLaterRows,
} from '../../src/sources/registry/registry.ts';
import { planAdditions } from '../../src/sources/registry/plan-additions.ts';
import { registrySources } from '../../src/sources/registry/registry-sources.ts';
import { placesIn } from '../../src/sources/registry/registry-scope.ts';
import { COVERED_BODIES, JURISDICTIONS, REGION_TIME_ZONE } from '../../src/sources/catalogue/catalogue-records.ts';
import { countPeopleRead } from '../../src/sources/catalogue/people.ts';
import { requireClientName } from '../../src/sources/agendas/bodies.ts';
import { sourceRef } from '../../domain/events/source-events.ts';
import type { Source } from '../../src/sources/source.ts';
import { type SourceName, SOURCES } from '../../src/sources/sources.ts';
import { requirePlace } from '../../src/sources/place.ts';

const { leftOut, rows } = shippedRegistry();
const countsOf = (values: readonly string[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(values, (value) => value)).map(([key, of]) => [key, of!.length]));

const ROW: RegistryRow = {
  jurisdictionSlug: 'denton',
  bodySlug: 'city-council',
  bodyName: 'City Council',
  platform: 'legistar',
  client: 'denton',
  evidence: 'listed',
  evidenceDate: '2026-03',
  note: 'Named by a list.',
};
const rowWith = (changes: Partial<RegistryRow>): RegistryRow => ({ ...ROW, ...changes });

interface Plan {
  readonly everAdded?: ReadonlyMap<string, { readonly isRemoved: boolean }>;
  readonly withListed?: boolean;
}
const plan = (candidates: readonly RegistryRow[], { everAdded = new Map(), withListed = false }: Plan = {}) =>
  planAdditions(registrySources(candidates), { everAdded, withListed });
/** Keys of the sources that would be added, in order. */
const added = (candidates: readonly RegistryRow[], options?: Plan): readonly string[] =>
  plan(candidates, options).flatMap(({ outcome, source }) =>
    outcome === 'to add' ? [`${source.source}:${source.client}`] : [],
  );
const reasonOf = (candidates: readonly RegistryRow[], client: string, options?: Plan): string | undefined =>
  plan(candidates, options).flatMap((each) =>
    each.source.client === client && each.outcome !== 'to add' ? [each.reason] : [],
  )[0];

describe('the shipped registry', () => {
  it('accounts for every row of the research: included, or skipped with a reason', () => {
    expect(leftOut).toEqual({
      duplicate: 23,
      noAgendas: 4,
      noClient: 1,
      ownSite: 228,
      platformNotRead: 26,
      unknownPlatform: 34,
    });
    expect(rows.length + Object.values(leftOut).reduce((sum, count) => sum + count, 0)).toBe(556);
  });

  it('has this number of rows of each platform and evidence', () => {
    expect(countsOf(rows.map(({ platform }) => platform))).toEqual({
      civicclerk: 17,
      civicplus: 124,
      'civicplus-archive': 5,
      civicweb: 4,
      legistar: 29,
      opencities: 1,
      swagit: 59,
      techshare: 1,
    });
    expect(countsOf(rows.map(({ evidence }) => evidence))).toEqual({ downloaded: 51, listed: 165, seen: 24 });
  });

  it('names only places of the catalogue, with their name, time zone and population', () => {
    for (const { jurisdictionSlug } of rows) {
      const place = JURISDICTIONS.find(({ slug }) => slug === jurisdictionSlug)!;
      expect(place.population).toBeGreaterThan(0);
      const added = { slug: jurisdictionSlug, name: place.name, timezone: REGION_TIME_ZONE };
      expect(requirePlace(added)).toEqual(added);
    }
  });

  it('has clients and options apart, without the notes of the research', () => {
    const rowOf = (client: string) => rows.find((row) => row.client === client);
    expect(rowOf('addisontx')).toMatchObject({ platform: 'swagit', options: { view: '128' } });
    expect(rowOf('seagoville.us')).toMatchObject({ platform: 'civicplus-archive', options: { amid: '36' } });
    expect(rowOf('princetontx.gov')).toMatchObject({ platform: 'civicplus', options: { category: '5' } });
    for (const { options } of rows)
      for (const value of Object.values(options ?? {})) expect(value).toMatch(/^\d{1,4}$/);
  });

  it('has only options that an added source of the platform keeps, and clients that it can have', () => {
    const ofReadPlatforms = rows.filter(({ platform }) => Object.hasOwn(SOURCES, platform));
    for (const { platform, client, options = {} } of ofReadPlatforms) {
      const { ownOptions = [] }: Source = SOURCES[platform as SourceName];
      const names = ownOptions.map(([flags]) => /^--([a-z]+)/.exec(flags)?.[1]);
      expect(names).toEqual(expect.arrayContaining(Object.keys(options)));
      expect(sourceRef.parse({ source: platform, client })).toEqual({ source: platform, client });
      expect(requireClientName(client)).toBe(client);
    }
    expect(ofReadPlatforms.length).toBeGreaterThan(100);
  });

  it('has a source for each of the seven bodies, with recordings beside agendas, and no foreclosure notices', () => {
    const sources = added(rows, { withListed: true });
    expect(sources).toEqual(
      expect.arrayContaining([
        'legistar:cityofdallas',
        'legistar:fortworthgov',
        'civicweb:dallascounty',
        'techshare:tarrant-fe6aa5cc-7448-4194-ac6e-08dc95f79ccc',
        'civicplus:tx-elliscounty.civicplus.com',
        'swagit:elliscountytx',
        'civicplus:www.kaufmancounty.net',
        'swagit:kaufmancountytx',
        'civicplus:tx-parkercounty.civicplus.com',
        'swagit:parkercountytx',
        'swagit:wisecountytx',
      ]),
    );
    const places = new Set(plan(rows, { withListed: true }).map(({ source }) => source.jurisdictionSlug));
    expect(COVERED_BODIES.filter(({ jurisdictionSlug }) => !places.has(jurisdictionSlug))).toEqual([]);
    expect(sources.filter((key) => key.includes('co.wise.tx.us'))).toEqual([]);
  });

  it('adds 64 sources with evidence, and 84 more that only a list names', () => {
    expect([added(rows).length, added(rows, { withListed: true }).length]).toEqual([64, 148]);
  });

  it('adds neither name of a doubtful pair, and says which names there are', () => {
    const sources = added(rows, { withListed: true });
    for (const name of ['arlington', 'arlingtontx', 'carrollton', 'carrolltontx', 'denton', 'denton-tx', 'gptx'])
      expect(sources).not.toContain(`legistar:${name}`);
    expect(sources).toContain('legistar:grandprairie');
    expect(reasonOf(rows, 'gptx', { withListed: true })).toBe('grandprairie was seen instead');
    expect(reasonOf(rows, 'denton-tx', { withListed: true })).toContain('doubtful name: denton is named too');
  });
});

describe('the table of places in the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const cellsOf = (name: string) =>
    readme
      .split('\n')
      .find((line) => line.startsWith(`| ${name}`))
      ?.split(' | ')
      .slice(1)
      .map((cell) => cell.replace(' |', ''));
  const plans = [plan(rows), plan(rows, { withListed: true })].map((each) =>
    each.filter(({ outcome }) => outcome === 'to add').map(({ source }) => source),
  );
  const people = (level: 'municipalities' | 'counties', isCounted: (source: string) => boolean) =>
    plans.map((sources) => {
      const counted = sources.filter(({ source }) => isCounted(source));
      return countPeopleRead(new Set(counted.map(({ jurisdictionSlug }) => jurisdictionSlug)))[level];
    });

  it('has the number of sources of each platform', () => {
    for (const name of new Set(rows.map(({ platform }) => platform)))
      expect([name, cellsOf(`\`${name}\``)]).toEqual([
        name,
        plans.map((sources) => String(sources.filter(({ source }) => source === name).length)),
      ]);
  });

  it.each([
    ['people in municipalities', 'municipalities'],
    ['people in counties', 'counties'],
  ] as const)('has the number of %s, with and without recordings', (line, level) => {
    const text = (number: number) => number.toLocaleString('en-US');
    expect(cellsOf(line)).toEqual(
      people(level, () => true).map(({ peopleRead, people: all }) => `${text(peopleRead)} of ${text(all)}`),
    );
    const next = readme.slice(readme.indexOf(`| ${line}`)).split('\n')[1]!;
    const agendas = people(level, (source) => source !== 'swagit').map(({ peopleRead }) => text(peopleRead));
    expect(next).toBe(`| the same without \`swagit\` | ${agendas.join(' | ')} |`);
  });
});

describe('a row of the registry', () => {
  it('with an unknown place, field or evidence, or with a client of two places, is refused with the reason', () => {
    expect(() => parseRegistryRows([rowWith({ jurisdictionSlug: 'atlantis' })])).toThrow('no place atlantis');
    expect(() => parseRegistryRows([{ ...ROW, tenant: 'x' }])).toThrow('tenant');
    expect(() => parseRegistryRows([{ ...ROW, evidence: 'guessed' }])).toThrow('evidence');
    expect(() => parseRegistryRows([ROW, ROW])).toThrow('two rows');
    expect(() => parseRegistryRows([ROW, rowWith({ jurisdictionSlug: 'dallas' })])).toThrow('belongs to denton');
    expect(parseRegistryRows([ROW])).toEqual([ROW]);
  });

  it('that was probed replaces the one about the same body and client', () => {
    const seenRow = rowWith({ evidence: 'seen', evidenceDate: '2026-11-29' });
    expect(withLaterRows([ROW, rowWith({ client: 'denton-tx' })], [seenRow])).toEqual([
      seenRow,
      rowWith({ client: 'denton-tx' }),
    ]);
  });
});

describe('the sources to add', () => {
  const SEEN = rowWith({ evidence: 'seen' });

  it('do not include what is added, and what was removed is not added again', () => {
    const key = 'legistar:denton';
    expect(added([SEEN])).toEqual([key]);
    expect(added([SEEN], { everAdded: new Map([[key, { isRemoved: false }]]) })).toEqual([]);
    expect(reasonOf([SEEN], 'denton', { everAdded: new Map([[key, { isRemoved: true }]]) })).toContain(
      'civic sources add legistar --client denton',
    );
  });

  it('include one platform of agendas for a body, the one with the better evidence, and its recordings', () => {
    const others = [
      rowWith({ platform: 'civicclerk', client: 'dentontx', evidence: 'downloaded', evidenceDate: '2026-09-01' }),
      rowWith({ platform: 'swagit', client: 'dentontx', evidence: 'downloaded' }),
    ];
    expect(added([...others, SEEN])).toEqual(['legistar:denton', 'swagit:dentontx']);
    expect(reasonOf([...others, SEEN], 'dentontx')).toBe('its bodies are read from legistar:denton');
    expect(added([...others, { ...SEEN, bodySlug: 'planning-and-zoning' }])).toHaveLength(3);
  });

  it('treat host names of one AgendaCenter as one source, and read all of its categories', () => {
    const site = rowWith({ platform: 'civicplus', client: 'www.example.gov', options: { category: '4' } });
    const old = rowWith({ platform: 'civicplus', client: 'tx-example.civicplus.com', evidenceDate: '2020' });
    const other = rowWith({ ...site, bodySlug: 'planning-and-zoning', options: { category: '7' } });
    const [source] = registrySources([old, site, other]);
    expect(source).toMatchObject({ client: 'www.example.gov', options: {}, otherClients: [old.client] });
    expect(registrySources([site, other])).toMatchObject([{ options: {} }]);
    expect(registrySources([site])[0]!.options).toEqual({});
    const everAdded = new Map([[`civicplus:${old.client}`, { isRemoved: false }]]);
    expect(plan([old, site], { everAdded })).toMatchObject([
      { outcome: 'already added', reason: `as civicplus:${old.client}` },
    ]);
  });

  it('do not include two names of one platform that both answered', () => {
    expect(added([SEEN, { ...SEEN, client: 'denton-tx', bodySlug: 'planning-and-zoning' }])).toEqual([]);
  });

  it('do not include a source with meetings of earlier years only', () => {
    expect(reasonOf([{ ...SEEN, onlyOld: true }], 'denton')).toContain('earlier years');
  });
});

describe('the scope', () => {
  it('of a county has its court and every place with a part in it', () => {
    expect([...placesIn({ county: 'somervell' })]).toEqual(['glen-rose', 'somervell-county']);
    expect(placesIn({ county: 'ellis-county' })).toEqual(placesIn({ county: 'ellis' }));
    expect(placesIn({ county: 'dallas' })).toContain('addison');
    expect([...placesIn({ place: 'addison' })]).toEqual(['addison']);
    expect(placesIn({}).size).toBe(255);
  });

  it('that the catalogue does not have is refused', () => {
    expect(() => placesIn({ place: 'atlantis' })).toThrow('no place atlantis');
    expect(() => placesIn({ place: 'addison', county: 'ellis' })).toThrow('addison in ellis');
  });
});
