import type { RecordChange } from '../../../commands/records/record-writer.ts';
import type { PublishedRecords } from '../../../domain/ports/published-records.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import { COVERED_BODIES } from '../catalogue/data-files.ts';
import { catalogueSource, catalogueSourceId } from '../catalogue/catalogue-records.ts';
import { upsert } from '../source.ts';
import type { ClientPlace } from './clients.ts';
import { legistarSourceId } from './own-records.ts';

/** A source of a client and the body that it publishes. */
export interface CheckedSource {
  readonly sourceId: string;
  readonly publicBodyId: string;
  /** The `sources` record as it is published; undefined when it is not. */
  readonly current: RecordData<'sources'> | undefined;
}

/** The published sources of the client, for a run that cannot read the list of bodies. */
export async function publishedSources(known: PublishedRecords, client: string, place: ClientPlace): Promise<readonly CheckedSource[]> {
  const sources = await known.current('sources', await known.referring('sources', 'jurisdictionId', [place.jurisdictionId]));
  return [...sources].flatMap(([sourceId, current]) => {
    const adopted = place.adopted.find((body) => body.sourceId === sourceId);
    const publicBodyId = adopted?.publicBodyId ?? current.publicBodyId;
    if (publicBodyId === null) return [];
    return adopted !== undefined || sourceId === legistarSourceId(client, publicBodyId) ? [{ sourceId, publicBodyId, current }] : [];
  });
}

function contentBefore({ sourceId, publicBodyId, current }: CheckedSource, jurisdictionId: string): RecordContent<'sources'> {
  if (current !== undefined) {
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = current;
    return content;
  }
  const covered = COVERED_BODIES.find((row) => catalogueSourceId(row.jurisdictionSlug, row.slug) === sourceId);
  if (covered !== undefined) return catalogueSource(covered);
  return {
    jurisdictionId,
    publicBodyId,
    sourceType: 'legistar',
    sourceTypeLabel: 'Legistar',
    officialSourceUrl: null,
    active: true,
    status: 'unknown',
    consecutiveFailures: 0,
  };
}

/** The change of a source's record by a run: the time of the check (ISO 8601), its result, and the address of the site where the run saw one. */
export function sourceCheckChange(
  source: CheckedSource,
  { jurisdictionId }: ClientPlace,
  check: { readonly at: string; readonly succeeded: boolean; readonly siteUrl: string | null },
): RecordChange {
  const before = contentBefore(source, jurisdictionId);
  return upsert('sources', source.sourceId, {
    ...before,
    officialSourceUrl: before.officialSourceUrl ?? check.siteUrl,
    status: check.succeeded ? 'healthy' : 'failing',
    lastCheckedAt: check.at,
    lastSuccessfulCheckAt: check.succeeded ? check.at : (before.lastSuccessfulCheckAt ?? null),
    consecutiveFailures: check.succeeded ? 0 : before.consecutiveFailures + 1,
  });
}
