import type { RecordChange } from '../../../commands/records/record-writer.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import { COVERED_BODIES } from '../catalogue/data-files.ts';
import { catalogueSource, catalogueSourceId } from '../catalogue/catalogue-records.ts';

export interface SourceCheck {
  readonly sourceId: string;
  readonly publicBodyId: string;
  readonly jurisdictionId: string;
  /** The `sources` record as it is published; undefined when it is not. */
  readonly current: RecordData<'sources'> | undefined;
  /** Address of the source's own site, where the check saw one. */
  readonly siteUrl: string | null;
  readonly succeeded: boolean;
  readonly at: string;
}

function untouched(check: SourceCheck): RecordContent<'sources'> {
  if (check.current !== undefined) {
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = check.current;
    return content;
  }
  const covered = COVERED_BODIES.find((row) => catalogueSourceId(row.jurisdictionSlug, row.slug) === check.sourceId);
  if (covered !== undefined) return catalogueSource(covered);
  return {
    jurisdictionId: check.jurisdictionId,
    publicBodyId: check.publicBodyId,
    sourceType: 'legistar',
    sourceTypeLabel: 'Legistar',
    officialSourceUrl: null,
    active: true,
    status: 'unknown',
    consecutiveFailures: 0,
  };
}

/** The change of a source's record by a run: the time of the check and its result. */
export function sourceCheckChange(check: SourceCheck): RecordChange {
  const before = untouched(check);
  const content: RecordContent<'sources'> = {
    ...before,
    officialSourceUrl: before.officialSourceUrl ?? check.siteUrl,
    status: check.succeeded ? 'healthy' : 'failing',
    lastCheckedAt: check.at,
    lastSuccessfulCheckAt: check.succeeded ? check.at : (before.lastSuccessfulCheckAt ?? null),
    consecutiveFailures: check.succeeded ? 0 : before.consecutiveFailures + 1,
  };
  return { op: 'upsert', resource: 'sources', id: check.sourceId, content };
}
