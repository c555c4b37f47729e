import { AGENDA } from '../../projections/agenda/tables.ts';
import type { JsonPage, RecentHitsInput } from '../../contract/inputs.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { liveRows } from '../live-tables.ts';
import { slugFilter } from './agenda-fields.ts';

/**
 * One public hit, whatever became of its meeting (GET /api/v1/public/agenda-hits/{matchId}). Refuses with 404 what is not
 * there, not complete or outside the active public coverage set. `matchId` is a uuid.
 */
export const createGetAgendaHit =
  (reads: LiveReads) =>
  async (matchId: string): Promise<JsonPage> => {
    const [row] = await liveRows(reads, AGENDA, {
      name: 'agenda_hit',
      text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
        `select '{"matchId":"' || h.hit_id || '",' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}'
        from ${hits} h join ${coveredBodies} b on b.body_id = h.body_id join ${coveredTopics} t on t.topic_id = h.topic_id
        where h.hit_id = $1::uuid and ${isLive}`,
      values: [matchId],
    });
    if (row === undefined) throw new Rejection('not_found', 'there is no such public hit');
    return { text: `{"data":${row[0]!}}`, items: 1 };
  };

const page = (texts: readonly string[]): JsonPage => ({ text: `{"data":[${texts.join(',')}]}`, items: texts.length });

/** The answer where the hits cannot be read. */
export const NO_RECENT_HITS = page([]);

/**
 * The most recently classified public hits (GET /api/v1/public/agenda-hits), without those of cancelled meetings. The newest of each covered
 * body and topic, and of these the newest: however many hits there are of a topic that is left out, none of them is looked at.
 */
export const createListRecentAgendaHits =
  (reads: LiveReads) =>
  async ({ jurisdictionSlug, topicSlug, excludeTopicSlug, limit }: RecentHitsInput): Promise<JsonPage> => {
    const rows = await liveRows(reads, AGENDA, {
      name: 'recent_hits',
      text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
        `select '{' || n.body_lead || ',' || n.topic_lead || ',' || h.context || ',' || h.own || '}'
        from (
          select b.lead as body_lead, t.lead as topic_lead, r.hit_id, r.classified_at, r.starts_at
          from ${coveredBodies} b
          join ${coveredTopics} t on ($2::text is null or t.slug = $2) and ($3::text is null or t.slug <> $3)
          join lateral (
            select hit_id, classified_at, starts_at from ${hits}
            where body_id = b.body_id and listed and topic_id = t.topic_id
            order by classified_at desc, starts_at desc, hit_id limit $4::int
          ) r on true
          where ($1::text is null or b.jurisdiction_slug = $1) and ${isLive}
          order by r.classified_at desc, r.starts_at desc, r.hit_id limit $4::int
        ) n
        join ${hits} h on h.hit_id = n.hit_id
        order by n.classified_at desc, n.starts_at desc, n.hit_id`,
      values: [slugFilter(jurisdictionSlug), slugFilter(topicSlug), slugFilter(excludeTopicSlug), limit],
    });
    return page(rows.map(([text]) => text!));
  };
