import { z } from 'zod';
import { freshnessAt } from '../agenda/agenda-fields.ts';

/** Source of records, and when it was last read. */
export interface SourceFacts extends ReturnType<typeof freshnessAt> {
  /** Null if no source is known. */
  readonly label: string | null;
  readonly officialUrl: string | null;
}

/**
 * Returns SQL for a lateral table `s`: the source with this id, else the source of the body, one that was read before
 * others. Both are SQL.
 */
export const sourceTable = (sources: string, sourceId: string, bodyId: string): string => `(
  select type_label, official_url, status, succeeded_at from ${sources}
  where source_id = ${sourceId} or body_id = ${bodyId}
  order by source_id = ${sourceId} desc nulls last, active desc, succeeded_at is null and status = 'unknown', source_id limit 1
) s`;

/** SQL columns of `s`. */
export const SOURCE_COLUMNS = `s.type_label as "sourceLabel", s.official_url as "officialUrl",
  s.status as "sourceStatus", s.succeeded_at::text as "succeededAt"`;

export const sourceColumns = {
  sourceLabel: z.string().nullable(),
  officialUrl: z.string().nullable(),
  sourceStatus: z.string().nullable(),
  succeededAt: z.string().nullable(),
};
type SourceRow = z.output<z.ZodObject<typeof sourceColumns>>;

/** Converts the columns of `s`. `now` is in milliseconds. */
export const sourceFacts = (
  { sourceLabel, officialUrl, sourceStatus, succeededAt }: SourceRow,
  now: number,
): SourceFacts => ({
  label: sourceLabel,
  officialUrl,
  ...freshnessAt(sourceStatus, succeededAt, now),
});
