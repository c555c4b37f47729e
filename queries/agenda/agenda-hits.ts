import type { JsonPage, RecentHitsInput, UpcomingHitsInput } from '../../contract/inputs.ts';
import type { Statement, StatementValue, TextRow } from '../../domain/ports/database.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { notOneOf } from '../../domain/plain-issues.ts';
import { Rejection } from '../../domain/rejections.ts';
import { decodeUpcomingCursor, encodeUpcomingCursor, UPCOMING_PAGE_SIZE, type UpcomingCursor } from '../../domain/cursor.ts';
import { LONGEST_DAY_MS } from '../../domain/local-day.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { isPublic, isUpcoming, slugFilter, upcomingUntil } from './agenda-fields.ts';
import { hitAt } from './hit-at.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { liveRows, tablesOf, withLaterColumns } from '../live-tables.ts';

const COLUMNS = ['hit_id', 'item_id', 'topic_id', 'classified_at', 'own', 'meeting_id', 'body_id', 'starts_at', 'context', 'listed'];
const hitsOf = (hits: string): string => withLaterColumns(hits, COLUMNS, { upcoming_until: 'bigint', timezone: 'text' });

/** One public hit, also of a cancelled meeting. Refuses with 404 what is not there, not complete or not publicly covered. `matchId` is a uuid. */
export const createGetAgendaHit =
  ({ reads, clock }: QueryContext) =>
  async (matchId: string): Promise<JsonPage> => {
    const [row] = await liveRows(reads, AGENDA, {
      name: 'agenda_hit',
      text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
        `select '{"matchId":"' || h.hit_id || '",' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}', h.starts_at::text, coalesce(h.timezone, b.timezone)
        from ${hitsOf(hits)} h join ${coveredBodies} b on b.body_id = h.body_id join ${coveredTopics} t on t.topic_id = h.topic_id
        where h.hit_id = $1::uuid and ${isPublic('b')} and ${isLive}`,
      values: [matchId],
    });
    if (row === undefined) throw new Rejection('not_found', 'there is no such public hit');
    const [hit, startsAt, timezone] = row;
    return { text: `{"data":${hitAt(clock.now(), { text: hit!, startsAt: Number(startsAt), timezone: timezone! })}}`, items: 1 };
  };

const page = (texts: readonly string[]): JsonPage => ({ text: `{"data":[${texts.join(',')}]}`, items: texts.length });

/** The answer where the hits cannot be read. */
export const NO_RECENT_HITS = page([]);

/** A hit as the public reads it, and what leads to it. */
export interface ListedHit {
  readonly text: string;
  readonly hitId: string;
  readonly itemId: string;
  readonly meetingId: string;
  /** Milliseconds. */
  readonly classifiedAt: number;
  /** Of its meeting. */
  readonly timezone: string;
}

/** SQL of the columns after the text, and of the start of the meeting; `timezone` is that of the body. */
const columnsOf = (timezone: string): string =>
  `h.hit_id::text, h.item_id::text, h.meeting_id::text, h.classified_at::text, coalesce(h.timezone, ${timezone}), h.starts_at::text`;
const listedHit = ([text, hitId, itemId, meetingId, classifiedAt, timezone]: TextRow): ListedHit => ({
  text: text!,
  hitId: hitId!,
  itemId: itemId!,
  meetingId: meetingId!,
  classifiedAt: Number(classifiedAt),
  timezone: timezone!,
});

/**
 * The most recently classified public hits, without those of cancelled meetings: the newest of each covered body and topic, and of these
 * the newest. Hits of a topic that is left out are not read, however many there are.
 */
export const createReadRecentHits =
  ({ reads, clock }: QueryContext) =>
  async ({ jurisdictionSlug, topicSlug, excludeTopicSlug, limit }: RecentHitsInput): Promise<readonly ListedHit[]> => {
    const rows = await liveRows(reads, AGENDA, {
      name: 'recent_hits',
      text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
        `select '{' || n.body_lead || ',' || n.topic_lead || ',' || h.context || ',' || h.own || '}', ${columnsOf('n.timezone')}
        from (
          select b.lead as body_lead, b.timezone, t.lead as topic_lead, r.hit_id, r.classified_at, r.starts_at
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
        join ${hitsOf(hits)} h on h.hit_id = n.hit_id
        order by n.classified_at desc, n.starts_at desc, n.hit_id`,
      values: [slugFilter(jurisdictionSlug), slugFilter(topicSlug), slugFilter(excludeTopicSlug), limit],
    });
    const now = clock.now();
    return rows.map((row) => {
      const hit = listedHit(row);
      return { ...hit, text: hitAt(now, { text: hit.text, startsAt: Number(row.at(-1)), timezone: hit.timezone }) };
    });
  };

export function createListRecentAgendaHits(context: QueryContext) {
  const read = createReadRecentHits(context);
  return async (input: RecentHitsInput): Promise<JsonPage> => page((await read(input)).map(({ text }) => text));
}

/** The next public hits of each covered topic, at most `limit` of each: the topic of the nearest meeting first. */
export const createReadNextHits =
  ({ reads, clock }: QueryContext) =>
  async (limit: number): Promise<readonly ListedHit[]> => {
    const rows = await liveRows(reads, AGENDA, {
      name: 'next_hits',
      text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
        `select '{' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}', ${columnsOf('b.timezone')}
        from ${coveredTopics} t
        join lateral (
          select * from ${hitsOf(hits)} u
          where topic_id = t.topic_id and listed and ${isUpcoming('u', '$1')}
          order by starts_at, classified_at, hit_id limit $2::int
        ) h on true
        join ${coveredBodies} b on b.body_id = h.body_id
        where ${isLive}
        order by min(h.starts_at) over (partition by t.topic_id), t.slug, h.starts_at, h.classified_at, h.hit_id`,
      values: [clock.now(), limit],
    });
    return rows.map(listedHit);
  };

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
  const present = `${parameter(now)}::bigint`;
  const from = (startsAt: string, classifiedAt: string, hitId: string) =>
    `h.listed and (h.topic_id, h.starts_at, h.classified_at, h.hit_id) > (${topic}, ${startsAt}::bigint, ${classifiedAt}::bigint, ${hitId}::uuid)
      and ${upTo} and ${upcomingUntil('h')} >= ${present}`;
  // After everything that starts so early that it is over at this very moment.
  const upcoming = () => from(parameter(now - LONGEST_DAY_MS - 1), LAST_TIME, `'${LAST_UUID}'`);
  const unseen = after === null ? upcoming() : from(parameter(after.startsAt), parameter(after.classifiedAt), parameter(after.hitId));
  const total = input.count || input.page !== undefined ? `(select count(*) from ${hitsOf(hits)} h where ${upcoming()})::text` : 'null';
  const skipped = input.page === undefined ? '' : `offset ${parameter((input.page - 1) * UPCOMING_PAGE_SIZE)}::int`;
  const form = `${after === null ? '' : '_after'}${total === 'null' ? '' : '_total'}${input.page === undefined ? '' : '_page'}`;
  return {
    name: `upcoming_hits_g${generation}${form}`,
    text: `with topic as materialized (
        select topic_id, lead from ${coveredTopics} where slug = ${slug} and ${isLive}
      ), page as materialized (
        select h.* from ${hitsOf(hits)} h where ${unseen}
        order by h.topic_id, h.starts_at, h.classified_at, h.hit_id limit ${UPCOMING_PAGE_SIZE + 1} ${skipped}
      )
      select ${topic}::text, ${total}, null, null, null, null, null
      union all
      select '{"matchId":"' || h.hit_id || '",' || (select b.lead from ${coveredBodies} b where b.body_id = h.body_id) || ',' ||
        (select lead from topic) || ',' || h.context || ',' || h.own || '}',
        ${columnsOf(`(select b.timezone from ${coveredBodies} b where b.body_id = h.body_id)`)}
      from page h`,
    values,
  };
}

const json = (value: string | null): string => (value === null ? 'null' : `"${value}"`);

function answer({ page, count }: UpcomingHitsInput, texts: readonly string[], nextCursor: string | null, total: number): JsonPage {
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
export const noUpcomingHits = (input: UpcomingHitsInput): JsonPage => answer(input, [], null, 0);

const COVERED_TOPICS = {
  name: 'covered_topic_slugs',
  text: ({ coveredTopics, isLive }: ReturnType<typeof tablesOf<typeof AGENDA>>) =>
    `select t.slug from ${coveredTopics} t where ${isLive} order by t.slug`,
  values: [],
};

/**
 * Hits of meetings from now on, the next meeting first. Refuses with 400 a topic that is not covered and a cursor that does not decode. Not
 * both of `cursor` and `page`.
 */
export function createReadUpcomingHits({ reads, clock }: QueryContext) {
  const topicSlugs = async () => (await liveRows(reads, AGENDA, COVERED_TOPICS)).map(([slug]) => slug!);
  return async (input: UpcomingHitsInput) => {
    const cursor = input.cursor === undefined ? null : decodedCursor(decodeUpcomingCursor(input.cursor), 'that of the upcoming hits');
    const now = clock.now();
    // What is so early is upcoming no more.
    const after = cursor !== null && cursor.startsAt >= now - LONGEST_DAY_MS ? cursor : null;
    const [meta, ...rows] = await reads.texts((generation) => upcomingHits(generation(AGENDA.name), input, now, after));
    if (meta![0] === null) throw new Rejection('invalid_parameter', `topicSlug ${notOneOf(input.topicSlug, await topicSlugs())}`);
    const shown = rows.slice(0, UPCOMING_PAGE_SIZE);
    const hits = shown.map(listedHit);
    const { hitId, classifiedAt } = hits.at(-1) ?? {};
    const last = { startsAt: Number(shown.at(-1)?.at(-1)), classifiedAt: classifiedAt!, hitId: hitId! };
    return { hits, nextCursor: rows.length > shown.length ? encodeUpcomingCursor(last) : null, total: Number(meta![1]) };
  };
}

export function createListUpcomingAgendaHits(context: QueryContext) {
  const read = createReadUpcomingHits(context);
  return async (input: UpcomingHitsInput): Promise<JsonPage> => {
    const { hits, nextCursor, total } = await read(input);
    const texts = hits.map(({ text }) => text);
    return answer(input, texts, nextCursor, total);
  };
}
