import type { LiveReads } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { tablesOf } from '../live-tables.ts';

export interface CoveredTopic {
  readonly slug: string;
  readonly label: string;
  readonly description: string;
}

/** The topics whose hits are public, by the name that readers see. */
export const createListCoveredTopics = (reads: LiveReads) => async (): Promise<readonly CoveredTopic[]> => {
  const rows = await reads.texts((live) => {
    const { coveredTopics, isLive } = tablesOf(AGENDA, live(AGENDA.name));
    const history = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
    return {
      text: `select t.slug, h.body::jsonb ->> 'publicLabel', h.body::jsonb ->> 'description' from ${coveredTopics} t
          cross join ${currentRow(history.history, 'h', { id: 't.topic_id', resource: `'topics'` })}
          where ${isLive} and ${history.isLive} order by 2, 1`,
      values: [],
    };
  });
  return rows.map(([slug, label, description]) => ({ slug: slug!, label: label!, description: description! }));
};
