import type { TextRow } from '../../domain/ports/database.ts';
import { freshnessAt } from '../agenda/agenda-fields.ts';

/** Where records come from, and when the source was last seen well. */
export interface SourceFacts extends ReturnType<typeof freshnessAt> {
  /** Null where no source is known. */
  readonly label: string | null;
  readonly officialUrl: string | null;
}

/** SQL of a lateral table `s`: the source with this id, else the one of the body; both are SQL. */
export const sourceTable = (sources: string, sourceId: string, bodyId: string): string => `(
  select type_label, official_url, status, succeeded_at from ${sources} where source_id = ${sourceId} or body_id = ${bodyId}
  order by source_id = ${sourceId} desc nulls last, active desc, source_id limit 1
) s`;

export const SOURCE_COLUMNS = 's.type_label, s.official_url, s.status, s.succeeded_at::text';

/** From a row of `SOURCE_COLUMNS`. `now` in milliseconds. */
export const sourceFacts = ([label = null, officialUrl = null, status = null, succeededAt = null]: TextRow, now: number): SourceFacts => ({
  label,
  officialUrl,
  ...freshnessAt(status, succeededAt, now),
});
