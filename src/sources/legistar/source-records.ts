import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { LegistarReader } from '../../../domain/ports/source-ports.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { catalogueSource, catalogueSourceId, COVERED_BODIES, NEVER_CHECKED } from '../catalogue/catalogue-records.ts';
import { upsert } from '../source.ts';
import type { ClientPlace } from './bodies.ts';
import type { CheckedSource } from './client-records.ts';

type Platform = LegistarReader['platform'];

function contentBefore(
  { sourceId, publicBodyId, current }: CheckedSource,
  jurisdictionId: string,
  { sourceType, label }: Platform,
): RecordContent<'sources'> {
  if (current !== undefined) {
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = current;
    return content;
  }
  const covered = COVERED_BODIES.find((row) => catalogueSourceId(row.jurisdictionSlug, row.slug) === sourceId);
  if (covered !== undefined) return catalogueSource(covered);
  return { jurisdictionId, publicBodyId, sourceType, sourceTypeLabel: label, officialSourceUrl: null, ...NEVER_CHECKED };
}

/** The change of a source's record by a run: the time of the check (ISO 8601), its result, and the address of the site where the run saw one. */
export function sourceCheckChange(
  source: CheckedSource,
  { jurisdictionId }: ClientPlace,
  check: {
    readonly at: string;
    readonly succeeded: boolean;
    readonly siteUrl: string | null;
    readonly platform: Platform;
    /** Null for a run that could not read the source. */
    readonly left: { readonly skipped: number; readonly shared: number; readonly degraded: number } | null;
  },
): RecordChange {
  const before = contentBefore(source, jurisdictionId, check.platform);
  return upsert('sources', source.sourceId, {
    ...before,
    officialSourceUrl: before.officialSourceUrl ?? check.siteUrl,
    status: check.succeeded ? 'healthy' : 'failing',
    lastCheckedAt: check.at,
    lastSuccessfulCheckAt: check.succeeded ? check.at : (before.lastSuccessfulCheckAt ?? null),
    consecutiveFailures: check.succeeded ? 0 : before.consecutiveFailures + 1,
    ...(check.left !== null && {
      lastCheckSkipped: check.left.skipped || undefined,
      lastCheckSkippedShared: check.left.shared || undefined,
      lastCheckDegraded: check.left.degraded || undefined,
    }),
  });
}

/** The record of a source before its first check. */
export const neverCheckedSource = (source: CheckedSource, { jurisdictionId }: ClientPlace, platform: Platform): RecordChange =>
  upsert('sources', source.sourceId, contentBefore(source, jurisdictionId, platform));
