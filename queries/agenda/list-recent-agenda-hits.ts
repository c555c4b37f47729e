import { AGENDA } from '../../projections/agenda/tables.ts';
import type { JsonPage, RecentHitsInput } from '../../contract/inputs.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import { slugFilter } from './agenda-fields.ts';

/**
 * The newest of each covered body and topic, and of these the newest: however many hits there are of a topic that is left out, none of them
 * is looked at. Rows are the hits' texts.
 */
function recentHits(generation: number, { jurisdictionSlug, topicSlug, excludeTopicSlug, limit }: RecentHitsInput): Statement {
  const { hits, coveredBodies, coveredTopics } = AGENDA.at(generation);
  return {
    name: `recent_hits_g${generation}`,
    text: `select '{' || n.body_lead || ',' || n.topic_lead || ',' || h.context || ',' || h.own || '}'
      from (
        select b.lead as body_lead, t.lead as topic_lead, r.hit_id, r.classified_at, r.starts_at
        from ${coveredBodies} b
        join ${coveredTopics} t on ($2::text is null or t.slug = $2) and ($3::text is null or t.slug <> $3)
        join lateral (
          select hit_id, classified_at, starts_at from ${hits}
          where body_id = b.body_id and listed and topic_id = t.topic_id
          order by classified_at desc, starts_at desc, hit_id limit $4::int
        ) r on true
        where ($1::text is null or b.jurisdiction_slug = $1) and ${requireLive(AGENDA.name, generation)}
        order by r.classified_at desc, r.starts_at desc, r.hit_id limit $4::int
      ) n
      join ${hits} h on h.hit_id = n.hit_id
      order by n.classified_at desc, n.starts_at desc, n.hit_id`,
    values: [slugFilter(jurisdictionSlug), slugFilter(topicSlug), slugFilter(excludeTopicSlug), limit],
  };
}

const page = (texts: readonly string[]): JsonPage => ({ text: `{"data":[${texts.join(',')}]}`, items: texts.length });

/** The answer where the hits cannot be read. */
export const NO_RECENT_HITS = page([]);

/** The most recently classified public hits (GET /api/v1/public/agenda-hits), without those of cancelled meetings. */
export const createListRecentAgendaHits =
  (reads: LiveReads) =>
  async (input: RecentHitsInput): Promise<JsonPage> => {
    const rows = await reads.texts((generation) => recentHits(generation(AGENDA.name), input));
    return page(rows.map(([text]) => text!));
  };
