import { sql } from 'slonik';
import { z } from 'zod';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { currentRow, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { liveTokens, programSql, tablesOf } from '../live-tables.ts';

const coveredTopic = z.object({ slug: z.string(), label: z.string(), description: z.string() });
export type CoveredTopic = Readonly<z.output<typeof coveredTopic>>;

/** Returns the topics whose hits are public, ordered by displayed name. */
export const createListCoveredTopics = (reads: LiveReads) => (): Promise<readonly CoveredTopic[]> =>
  reads.many((live) => {
    const { coveredTopics, isLive } = liveTokens(AGENDA, live);
    const { history, isLive: isHistoryLive } = tablesOf(RECORD_HISTORY, live(RECORD_HISTORY.name));
    const topicRow = currentRow(history, 'h', { id: 't.topic_id', resource: `'topics'` });
    return sql.type(coveredTopic)`
      select t.slug, h.body::jsonb ->> 'publicLabel' as label, h.body::jsonb ->> 'description' as description
      from ${coveredTopics} t cross join ${programSql(topicRow)}
      where ${isLive} and ${programSql(isHistoryLive)} order by label, t.slug`;
  });
