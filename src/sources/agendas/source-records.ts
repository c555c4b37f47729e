import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { catalogueSource, catalogueSourceId, COVERED_BODIES, NEVER_CHECKED } from '../catalogue/catalogue-records.ts';
import { upsert } from '../source.ts';
import type { ClientPlace } from './bodies.ts';
import { oneLine } from './values.ts';
import type { CheckedSource, UnreadSource } from './client-records.ts';

/** Maximum characters of a reason in the record. */
const MAX_FAILURE = 300;

type Platform = AgendaReader['platform'];

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
  return {
    jurisdictionId,
    publicBodyId,
    sourceType,
    sourceTypeLabel: label,
    officialSourceUrl: null,
    ...NEVER_CHECKED,
  };
}

/**
 * Changes the record of a source after a run: the time of the check (ISO 8601), its result, and the address of the site
 * if the run found one.
 */
export function sourceCheckChange(
  source: CheckedSource,
  { jurisdictionId }: ClientPlace,
  check: {
    readonly at: string;
    /** Null for a check that succeeded. */
    readonly failure: string | null;
    readonly siteUrl: string | null;
    readonly platform: Platform;
    /** Version of the rules with which the run read the whole source; null if it read a part. */
    readonly readingVersion: number | null;
    /** Null for a run that read no agenda in a file. */
    readonly textEvidence: RecordContent<'sources'>['agendaTextEvidence'];
    /** Null for a run that could not read the source. */
    readonly left: { readonly skipped: number; readonly shared: number; readonly degraded: number } | null;
  },
): RecordChange {
  const before = contentBefore(source, jurisdictionId, check.platform);
  const succeeded = check.failure === null;
  return upsert('sources', source.sourceId, {
    ...before,
    // A source that was not read is active again with its body.
    active: before.active || before.status === 'unknown',
    officialSourceUrl: before.officialSourceUrl ?? check.siteUrl,
    status: succeeded ? 'healthy' : 'failing',
    lastCheckedAt: check.at,
    lastSuccessfulCheckAt: succeeded ? check.at : (before.lastSuccessfulCheckAt ?? null),
    consecutiveFailures: succeeded ? 0 : before.consecutiveFailures + 1,
    agendaTextEvidence: check.textEvidence ?? before.agendaTextEvidence,
    lastCheckFailure: oneLine(check.failure)?.slice(0, MAX_FAILURE),
    ...(check.readingVersion !== null && { readingVersion: check.readingVersion }),
    ...(check.left !== null && {
      lastCheckSkipped: check.left.skipped || undefined,
      lastCheckSkippedShared: check.left.shared || undefined,
      lastCheckDegraded: check.left.degraded || undefined,
    }),
  });
}

/** The record of a source before its first check. */
export const neverCheckedSource = (
  source: CheckedSource,
  { jurisdictionId }: ClientPlace,
  platform: Platform,
): RecordChange => upsert('sources', source.sourceId, contentBefore(source, jurisdictionId, platform));

/** The record of a source that is no longer read. One of the catalogue stays active, because its body is always listed. */
export function unreadSourceChange(
  source: UnreadSource & { readonly readingVersion: number | null },
  { jurisdictionId, adopted }: ClientPlace,
  platform: Platform,
): RecordChange {
  const {
    lastCheckSkipped: _skipped,
    lastCheckSkippedShared: _shared,
    lastCheckDegraded: _degraded,
    lastCheckFailure: _failure,
    ...before
  } = contentBefore(source, jurisdictionId, platform);
  return upsert('sources', source.sourceId, {
    ...before,
    active: before.active && adopted.some(({ sourceId }) => sourceId === source.sourceId),
    status: 'unknown',
    lastCheckedAt: before.lastCheckedAt ?? source.readAt,
    lastSuccessfulCheckAt: before.lastSuccessfulCheckAt ?? source.readAt,
    consecutiveFailures: 0,
    ...(source.readAt !== null && source.readingVersion !== null && { readingVersion: source.readingVersion }),
  });
}
