import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { getCoverage } from '../../contract/tools/get-coverage.ts';
import type { z } from 'zod';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { liveRows } from '../live-tables.ts';

export type Topic = z.output<typeof getCoverage.data>['topics'][number];

/** The topics that a search can be narrowed to and that customers can choose, by slug. Of several topics with one slug the oldest counts. */
export const createListTopics =
  ({ reads }: { readonly reads: LiveReads }) =>
  async (): Promise<readonly Topic[]> => {
    const rows = await liveRows(reads, AGENDA_SEARCH, {
      // Version 1 of the read model has neither column: its topics are not listed while version 2 is built.
      text: ({ topics, isLive }) => `select slug, label from (
          select distinct on (t.slug) t.slug, to_jsonb(t) ->> 'label' as label, to_jsonb(t) ->> 'selectable' as selectable
          from ${topics} t order by t.slug, t.created_at, t.topic_id
        ) t where selectable = 'true' and ${isLive} order by slug`,
    });
    return rows.map(([slug, label]) => ({ topicSlug: slug!, publicLabel: label! }));
  };
