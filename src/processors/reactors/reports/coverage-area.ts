import type { LiveReads, PublishedRecords } from '../../../../domain/ports/projection.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { sourceHost } from '../../../../domain/source-url.ts';
import { currentIds } from '../../../../queries/feed/published-records.ts';

type Jurisdiction = RecordData<'jurisdictions'>;
type Source = RecordData<'sources'>;

export interface CoverageDependencies {
  readonly reads: LiveReads;
  readonly known: PublishedRecords;
}

export interface CoverageArea {
  readonly jurisdictions: ReadonlyMap<string, Jurisdiction>;
  /** If two jurisdictions share a slug, the older one. */
  readonly bySlug: ReadonlyMap<string, Jurisdiction>;
  readonly activeSources: readonly Source[];
  /** Ids of jurisdictions with an active source or an active record stream. */
  readonly followed: ReadonlySet<string>;
}

async function readAllCurrent<R extends Resource>(
  { reads, known }: CoverageDependencies,
  resource: R,
): Promise<RecordData<R>[]> {
  const records = new Map<string, RecordData<R>>();
  for await (const ids of currentIds(reads, resource))
    for (const [id, data] of await known.current(resource, ids)) records.set(id, data);
  return [...records.values()];
}

export async function readCoverageArea(deps: CoverageDependencies): Promise<CoverageArea> {
  const jurisdictions = await readAllCurrent(deps, 'jurisdictions');
  const sources = (await readAllCurrent(deps, 'sources')).filter(({ active }) => active);
  const streams = (await readAllCurrent(deps, 'record_streams')).filter(({ active }) => active);
  const newestFirst = jurisdictions.toSorted((one, other) =>
    one.createdAt + one.id < other.createdAt + other.id ? 1 : -1,
  );
  return {
    jurisdictions: new Map(jurisdictions.map((jurisdiction) => [jurisdiction.id, jurisdiction])),
    bySlug: new Map(newestFirst.map((jurisdiction) => [jurisdiction.slug, jurisdiction])),
    activeSources: sources.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    followed: new Set([...sources, ...streams].map(({ jurisdictionId }) => jurisdictionId)),
  };
}

/**
 * Returns the sources of the report's jurisdiction at the host of its address, or all of that jurisdiction if none is
 * at the host.
 */
export function findSources(
  area: CoverageArea,
  sourceUrl: string,
  jurisdictionSlug: string | undefined,
): readonly Source[] {
  const host = sourceHost(sourceUrl);
  const isAtHost = ({ officialSourceUrl }: Source) =>
    officialSourceUrl !== null && sourceHost(officialSourceUrl) === host;
  if (jurisdictionSlug === undefined) return area.activeSources.filter(isAtHost);
  const jurisdiction = area.bySlug.get(jurisdictionSlug);
  const ofJurisdiction = area.activeSources.filter(({ jurisdictionId }) => jurisdictionId === jurisdiction?.id);
  const atHost = ofJurisdiction.filter(isAtHost);
  return atHost.length > 0 ? atHost : ofJurisdiction;
}

/**
 * Returns one sentence of facts if the service does not cover the report's subject, and null if it might. A report
 * without a jurisdiction is judged by its host: the host of a known source, or one whose name contains the name of a
 * followed place, might be covered.
 */
export function explainOutsideCoverage(
  area: CoverageArea,
  sourceUrl: string,
  jurisdictionSlug: string | undefined,
): string | null {
  if (jurisdictionSlug !== undefined) return explainUnfollowed(area, jurisdictionSlug);
  const host = sourceHost(sourceUrl);
  if (host === null || isNamedAfterPlace(host, area) || findSources(area, sourceUrl, undefined).length > 0) return null;
  return `The report names no jurisdiction, and no source that this service follows is known to be at ${host}.`;
}

function explainUnfollowed(area: CoverageArea, slug: string): string | null {
  const jurisdiction = area.bySlug.get(slug);
  if (jurisdiction === undefined) return `This service has no jurisdiction ${slug}.`;
  if (!jurisdiction.active) return `${jurisdiction.name} is not an active jurisdiction of this service.`;
  return area.followed.has(jurisdiction.id) ? null : `This service follows no source of ${jurisdiction.name}.`;
}

function isNamedAfterPlace(host: string, { followed, jurisdictions }: CoverageArea): boolean {
  const letters = host.replaceAll(/[^a-z0-9]/g, '');
  return [...followed].some((id) => {
    const slug = jurisdictions.get(id)?.slug.replace(/-county$/, '');
    return slug !== undefined && letters.includes(slug.replaceAll('-', ''));
  });
}
