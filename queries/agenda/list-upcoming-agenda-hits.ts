import { AGENDA } from '../../projections/agenda/tables.ts';
import type { JsonPage, UpcomingHitsInput } from '../../contract/inputs.ts';
import type { Statement, StatementValue, TextRow } from '../../domain/ports/database.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { decodeUpcomingCursor, encodeUpcomingCursor, UPCOMING_PAGE_SIZE, type UpcomingCursor } from '../../domain/upcoming-cursor.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { tablesOf } from '../live-tables.ts';
import { slugFilter } from './agenda-fields.ts';

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LAST_TIME = '9223372036854775807';

/**
 * One range of one index, read from a place in it, and whether the topic is covered. The first row is the topic's id and the number of
 * upcoming hits; the others are hits with their keys, one more than a page holds. The keys are compared as one, so that no plan reads
 * another topic's hits.
 */
function upcomingHits(generation: number, input: UpcomingHitsInput, now: number, after: UpcomingCursor | null): Statement {
  const { hits, coveredBodies, coveredTopics, isLive } = tablesOf(AGENDA, generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue) => `$${values.push(value)}`;
  const topic = '(select topic_id from topic)';
  const upTo = `(h.topic_id, h.starts_at, h.classified_at, h.hit_id) <= (${topic}, ${LAST_TIME}, ${LAST_TIME}, '${LAST_UUID}'::uuid)`;
  const slug = parameter(slugFilter(input.topicSlug));
  const from = (startsAt: string, classifiedAt: string, hitId: string) =>
    `h.listed and (h.topic_id, h.starts_at, h.classified_at, h.hit_id) > (${topic}, ${startsAt}::bigint, ${classifiedAt}::bigint, ${hitId}::uuid) and ${upTo}`;
  // After everything that starts before this very moment.
  const upcoming = () => from(parameter(now - 1), LAST_TIME, `'${LAST_UUID}'`);
  const unseen = after === null ? upcoming() : from(parameter(after.startsAt), parameter(after.classifiedAt), parameter(after.hitId));
  const total = input.count || input.page !== undefined ? `(select count(*) from ${hits} h where ${upcoming()})::text` : 'null';
  const skipped = input.page === undefined ? '' : `offset ${parameter((input.page - 1) * UPCOMING_PAGE_SIZE)}::int`;
  const form = `${after === null ? '' : '_after'}${total === 'null' ? '' : '_total'}${input.page === undefined ? '' : '_page'}`;
  return {
    name: `upcoming_hits_g${generation}${form}`,
    text: `with topic as materialized (
        select topic_id, lead from ${coveredTopics} where slug = ${slug} and ${isLive}
      ), page as materialized (
        select h.hit_id, h.body_id, h.starts_at, h.classified_at, h.context, h.own from ${hits} h where ${unseen}
        order by h.topic_id, h.starts_at, h.classified_at, h.hit_id limit ${UPCOMING_PAGE_SIZE + 1} ${skipped}
      )
      select ${topic}::text, ${total}, null, null
      union all
      select p.hit_id::text, p.starts_at::text, p.classified_at::text,
        '{"matchId":"' || p.hit_id || '",' || (select b.lead from ${coveredBodies} b where b.body_id = p.body_id) || ',' ||
        (select lead from topic) || ',' || p.context || ',' || p.own || '}'
      from page p`,
    values,
  };
}

interface Page {
  readonly texts: readonly string[];
  readonly nextCursor: string | null;
  readonly total: number;
}

const json = (value: string | null): string => (value === null ? 'null' : `"${value}"`);

function answer({ page, count }: UpcomingHitsInput, { texts, nextCursor, total }: Page): JsonPage {
  const hits = `"hits":[${texts.join(',')}]`;
  const pagination = (next: string | null) =>
    `"meta":{"pagination":{"limit":${UPCOMING_PAGE_SIZE},"returned":${texts.length},"nextCursor":${json(next)}}}`;
  const text =
    page === undefined
      ? `{"data":{${hits},"nextCursor":${json(nextCursor)}${count ? `,"totalCount":${total}` : ''}},${pagination(nextCursor)}}`
      : `{"data":{${hits},"totalCount":${total},"page":${page},"pageSize":${UPCOMING_PAGE_SIZE}},${pagination(null)}}`;
  return { text, items: texts.length };
}

/** The answer where the hits cannot be read. */
export const noUpcomingHits = (input: UpcomingHitsInput): JsonPage => answer(input, { texts: [], nextCursor: null, total: 0 });

/**
 * Hits of meetings from now on, the next meeting first (GET /api/v1/public/upcoming-agenda-hits). Refuses with 400 a topic
 * that is not covered and a cursor that does not decode. Not both of `cursor` and `page`.
 */
export const createListUpcomingAgendaHits =
  ({ reads, clock }: QueryContext) =>
  async (input: UpcomingHitsInput): Promise<JsonPage> => {
    const cursor = input.cursor === undefined ? null : decodedCursor(decodeUpcomingCursor(input.cursor), 'that of the upcoming hits');
    const now = clock.now();
    // A meeting that has begun since the cursor was minted is upcoming no more.
    const after = cursor !== null && cursor.startsAt >= now ? cursor : null;
    const [meta, ...rows] = await reads.texts((generation) => upcomingHits(generation(AGENDA.name), input, now, after));
    if (meta![0] === null) throw new Rejection('invalid_parameter', 'topicSlug is not a topic that is publicly covered');
    const shown = rows.slice(0, UPCOMING_PAGE_SIZE);
    const nextCursor = rows.length > shown.length ? encodeUpcomingCursor(keyOf(shown.at(-1)!)) : null;
    return answer(input, { texts: shown.map(([, , , text]) => text!), nextCursor, total: Number(meta![1]) });
  };

const keyOf = ([hitId, startsAt, classifiedAt]: TextRow): UpcomingCursor => ({
  startsAt: Number(startsAt),
  classifiedAt: Number(classifiedAt),
  hitId: hitId!,
});
