import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { sourceHost } from '../../../../domain/source-url.ts';

export interface CoverageAreaDependencies {
  readonly known: PublishedRecords;
  /** Ids of the current records of a resource, in pages. */
  readonly currentIds: (resource: Resource) => AsyncIterable<readonly string[]>;
}

type Jurisdiction = RecordData<'jurisdictions'>;
type Source = RecordData<'sources'>;

/** Where the service has sources, as its own records say it. */
export interface CoverageArea {
  readonly jurisdictions: ReadonlyMap<string, Jurisdiction>;
  /** Of two with one slug the older. */
  readonly bySlug: ReadonlyMap<string, Jurisdiction>;
  readonly activeSources: readonly Source[];
  /** Jurisdictions with an active source or an active record stream. */
  readonly followed: ReadonlySet<string>;
}

async function allCurrent<R extends Resource>({ known, currentIds }: CoverageAreaDependencies, resource: R): Promise<RecordData<R>[]> {
  const found = new Map<string, RecordData<R>>();
  for await (const ids of currentIds(resource)) for (const [id, data] of await known.current(resource, ids)) found.set(id, data);
  return [...found.values()];
}

/** Reads the service's area: some hundreds of records. */
export async function readCoverageArea(deps: CoverageAreaDependencies): Promise<CoverageArea> {
  const jurisdictions = await allCurrent(deps, 'jurisdictions');
  const sources = (await allCurrent(deps, 'sources')).filter(({ active }) => active);
  const streams = (await allCurrent(deps, 'record_streams')).filter(({ active }) => active);
  const oldestLast = jurisdictions.toSorted((one, other) => (one.createdAt + one.id < other.createdAt + other.id ? 1 : -1));
  return {
    jurisdictions: new Map(jurisdictions.map((jurisdiction) => [jurisdiction.id, jurisdiction])),
    bySlug: new Map(oldestLast.map((jurisdiction) => [jurisdiction.slug, jurisdiction])),
    activeSources: sources.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    followed: new Set([...sources, ...streams].map(({ jurisdictionId }) => jurisdictionId)),
  };
}

/** The sources of a report: those at the host of its address within its jurisdiction; where there are none, all of that jurisdiction. */
export function sourcesOf(area: CoverageArea, sourceUrl: string, jurisdictionSlug: string | undefined): readonly Source[] {
  const host = sourceHost(sourceUrl);
  const atHost = ({ officialSourceUrl }: Source) => officialSourceUrl !== null && sourceHost(officialSourceUrl) === host;
  if (jurisdictionSlug === undefined) return area.activeSources.filter(atHost);
  const jurisdiction = area.bySlug.get(jurisdictionSlug);
  const ofPlace = area.activeSources.filter(({ jurisdictionId }) => jurisdictionId === jurisdiction?.id);
  const there = ofPlace.filter(atHost);
  return there.length > 0 ? there : ofPlace;
}

/**
 * Why the report is about nothing that the service covers, in one sentence of facts; null where it may be. A report that names no place is
 * judged by its host: one that a source has, or whose name holds that of a place with a source, may be covered.
 */
export function outsideCoverage(area: CoverageArea, sourceUrl: string, jurisdictionSlug: string | undefined): string | null {
  if (jurisdictionSlug !== undefined) {
    const jurisdiction = area.bySlug.get(jurisdictionSlug);
    if (jurisdiction === undefined) return `This service has no jurisdiction ${jurisdictionSlug}.`;
    if (!jurisdiction.active) return `${jurisdiction.name} is not an active jurisdiction of this service.`;
    return area.followed.has(jurisdiction.id) ? null : `This service follows no source of ${jurisdiction.name}.`;
  }
  const host = sourceHost(sourceUrl);
  if (host === null) return null;
  const squeezed = host.replaceAll(/[^a-z0-9]/g, '');
  const named = [...area.followed].some((id) => {
    const slug = area.jurisdictions.get(id)?.slug.replace(/-county$/, '');
    return slug !== undefined && squeezed.includes(slug.replaceAll('-', ''));
  });
  if (named || sourcesOf(area, sourceUrl, undefined).length > 0) return null;
  return `The report names no jurisdiction, and no source that this service follows is known to be at ${host}.`;
}
