import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { type SourceStatus, sourceStatusAt } from '../../domain/source-status.ts';

/** What is known of a source's checks at a moment, from the text of its columns; `unknown` where there is no source. `now` in milliseconds. */
export function freshnessAt(status: string | null, succeededAt: string | null, now: number): AgendaItem['freshness'] {
  const checkedAt = succeededAt === null ? null : Number(succeededAt);
  return {
    status: sourceStatusAt((status ?? 'unknown') as SourceStatus, checkedAt, now),
    lastSuccessfulCheckAt: checkedAt === null ? null : new Date(checkedAt).toISOString(),
  };
}
