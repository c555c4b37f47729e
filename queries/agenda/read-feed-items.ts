import type { QueryContext } from '../../domain/ports/projection.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { liveStatement } from '../live-tables.ts';
import { slugFilter } from './agenda-fields.ts';
import { columnsOf, hitsOf, type ListedHit } from './agenda-hits.ts';
import { hitAt } from './hit-at.ts';

export interface FeedItemsInput {
  readonly jurisdictionSlug?: string;
  readonly topicSlug?: string;
  /** Last item of the previous page. `classifiedAt` is the time of its newest hit in milliseconds. */
  readonly after: { readonly classifiedAt: number; readonly itemId: string } | null;
  /** Number of items. */
  readonly limit: number;
}

/**
 * Returns all public hits of the most recently classified items, without those of canceled meetings. Items are ordered
 * by their newest hit, newest first; the hits of an item are consecutive, oldest first.
 */
export const createReadFeedItems =
  ({ reads, clock }: QueryContext) =>
  async ({ jurisdictionSlug, topicSlug, after, limit }: FeedItemsInput): Promise<readonly ListedHit[]> => {
    const rows = await reads.rows<ListedHit>(
      liveStatement(AGENDA, {
        name: 'feed_items',
        text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
          `with page as materialized (
          select h.item_id, max(h.classified_at) as newest
          from ${coveredBodies} b
          join ${hits} h on h.body_id = b.body_id and h.listed
          join ${coveredTopics} t on t.topic_id = h.topic_id
          where ($1::text is null or b.jurisdiction_slug = $1) and ($2::text is null or t.slug = $2) and ${isLive}
          group by h.item_id
          having $3::bigint is null or (max(h.classified_at), h.item_id) < ($3::bigint, $4::uuid)
          order by newest desc, h.item_id desc limit $5::int
        )
        select '{' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}' as text,
          ${columnsOf('b.timezone')}
        from page p
        join ${hitsOf(hits)} h on h.item_id = p.item_id and h.listed
        join ${coveredBodies} b on b.body_id = h.body_id
        join ${coveredTopics} t on t.topic_id = h.topic_id and ($2::text is null or t.slug = $2)
        order by p.newest desc, p.item_id desc, h.classified_at, h.hit_id`,
        values: [
          slugFilter(jurisdictionSlug),
          slugFilter(topicSlug),
          after?.classifiedAt ?? null,
          after?.itemId ?? null,
          limit,
        ],
      }),
    );
    const now = clock.now();
    return rows.map((hit) => ({ ...hit, text: hitAt(now, hit) }));
  };
