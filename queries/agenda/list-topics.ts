import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { getCoverage } from '../../contract/tools/get-coverage.ts';
import type { z } from 'zod';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';

export type Topic = z.output<typeof getCoverage.data>['topics'][number];

/** The topics that a search can be narrowed to and that customers can choose, by slug. Of several topics with one slug the oldest counts. */
export function createListTopics({ reads }: { readonly reads: LiveReads }): () => Promise<readonly Topic[]> {
  return async () => {
    const rows = await reads.texts((live) => {
      const generation = live(AGENDA_SEARCH.name);
      const { topics } = AGENDA_SEARCH.at(generation);
      // Version 1 of the read model has neither column: its topics are not listed while version 2 is built.
      return {
        text: `select slug, label from (
            select distinct on (t.slug) t.slug, to_jsonb(t) ->> 'label' as label, to_jsonb(t) ->> 'selectable' as selectable
            from ${topics} t order by t.slug, t.created_at, t.topic_id
          ) t where selectable = 'true' and ${requireLive(AGENDA_SEARCH.name, generation)} order by slug`,
        values: [],
      };
    });
    return rows.map(([slug, label]) => ({ topicSlug: slug!, publicLabel: label! }));
  };
}
