import type { JsonPage, RecentHitsInput, UpcomingHitsInput } from '../../contract/inputs.ts';
import type { Statement, StatementValue } from '../../domain/ports/database.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { notOneOf } from '../../domain/text/plain-issues.ts';
import { Rejection } from '../../domain/rejections.ts';
import {
  decodeUpcomingCursor,
  encodeUpcomingCursor,
  UPCOMING_PAGE_SIZE,
  type UpcomingCursor,
} from '../../domain/cursor.ts';
import { LONGEST_DAY_MS } from '../../domain/local-day.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { isPublic, isUpcoming, slugFilter, upcomingUntil } from './agenda-fields.ts';
import { hitAt } from './hit-at.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { liveStatement, tablesOf, withLaterColumns } from '../live-tables.ts';

const COLUMNS = [
  'hit_id',
  'item_id',
  'topic_id',
  'classified_at',
  'own',
  'meeting_id',
  'body_id',
  'starts_at',
  'context',
  'listed',
];
export const hitsOf = (hits: string): string =>
  withLaterColumns(hits, COLUMNS, { upcoming_until: 'bigint', timezone: 'text' });

/**
 * Returns a public hit, even of a canceled meeting. Rejects with 404 if it does not exist, is incomplete or is not
 * publicly covered. `matchId` is a uuid.
 */
export const createGetAgendaHit =
  ({ reads, clock }: QueryContext) =>
  async (matchId: string): Promise<JsonPage> => {
    const [row] = await reads.rows<Parameters<typeof hitAt>[1]>(
      liveStatement(AGENDA, {
        name: 'agenda_hit',
        text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
          `select
          '{"matchId":"' || h.hit_id || '",' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}' as text,
          h.starts_at as "startsAt", coalesce(h.timezone, b.timezone) as timezone
        from ${hitsOf(hits)} h
        join ${coveredBodies} b on b.body_id = h.body_id join ${coveredTopics} t on t.topic_id = h.topic_id
        where h.hit_id = $1::uuid and ${isPublic('b')} and ${isLive}`,
        values: [matchId],
      }),
    );
    if (row === undefined) throw new Rejection('not_found', 'there is no such public hit');
    return { text: `{"data":${hitAt(clock.now(), row)}}`, items: 1 };
  };

const page = (texts: readonly string[]): JsonPage => ({ text: `{"data":[${texts.join(',')}]}`, items: texts.length });

/** Page returned when the hits cannot be read. */
export const NO_RECENT_HITS = page([]);

/** A public hit with its ids. */
export interface ListedHit {
  readonly text: string;
  readonly hitId: string;
  readonly itemId: string;
  readonly meetingId: string;
  /** Time in milliseconds. */
  readonly classifiedAt: number;
  /** Time zone of the meeting. */
  readonly timezone: string;
  /** Start of the meeting in milliseconds. */
  readonly startsAt: number;
}

/** Returns the SQL columns that follow the text. `timezone` is the time zone of the body. */
export const columnsOf = (timezone: string): string =>
  `h.hit_id as "hitId", h.item_id as "itemId", h.meeting_id as "meetingId", h.classified_at as "classifiedAt",
  coalesce(h.timezone, ${timezone}) as timezone, h.starts_at as "startsAt"`;

/**
 * Returns the most recently classified public hits, without those of canceled meetings. Reads the newest hits of each
 * covered body and topic and then the newest of these, so that other topics cost nothing.
 */
export const createReadRecentHits =
  ({ reads, clock }: QueryContext) =>
  async ({ jurisdictionSlug, topicSlug, excludeTopicSlug, limit }: RecentHitsInput): Promise<readonly ListedHit[]> => {
    const rows = await reads.rows<ListedHit>(
      liveStatement(AGENDA, {
        name: 'recent_hits',
        text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
          `select '{' || n.body_lead || ',' || n.topic_lead || ',' || h.context || ',' || h.own || '}' as text,
          ${columnsOf('n.timezone')}
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
      }),
    );
    const now = clock.now();
    return rows.map((hit) => ({ ...hit, text: hitAt(now, hit) }));
  };

export function createListRecentAgendaHits(context: QueryContext) {
  const readHits = createReadRecentHits(context);
  return async (input: RecentHitsInput): Promise<JsonPage> => page((await readHits(input)).map(({ text }) => text));
}

/** Returns up to `limit` upcoming public hits of each covered topic. The topic with the nearest meeting comes first. */
export const createReadNextHits =
  ({ reads, clock }: QueryContext) =>
  (limit: number): Promise<readonly ListedHit[]> =>
    reads.rows<ListedHit>(
      liveStatement(AGENDA, {
        name: 'next_hits',
        text: ({ hits, coveredBodies, coveredTopics, isLive }) =>
          `select '{' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}' as text,
          ${columnsOf('b.timezone')}
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
      }),
    );

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LAST_TIME = '9223372036854775807';

/**
 * Builds the statement for a page of upcoming hits, which reads one range of one index. The first row is the topic's
 * id, if it is covered, and the number of upcoming hits. The others are hits with their keys, one more than the page
 * has. The keys are compared as a row, so that no plan reads the hits of other topics.
 */
function upcomingHits(
  generation: number,
  input: UpcomingHitsInput,
  now: number,
  after: UpcomingCursor | null,
): Statement {
  const { hits, coveredBodies, coveredTopics, isLive } = tablesOf(AGENDA, generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue) => `$${values.push(value)}`;
  const topic = '(select topic_id from topic)';
  const upTo = `(h.topic_id, h.starts_at, h.classified_at, h.hit_id)
    <= (${topic}, ${LAST_TIME}, ${LAST_TIME}, '${LAST_UUID}'::uuid)`;
  const slug = parameter(slugFilter(input.topicSlug));
  const present = `${parameter(now)}::bigint`;
  const placesAfter = (startsAt: string, classifiedAt: string, hitId: string) =>
    `h.listed and (h.topic_id, h.starts_at, h.classified_at, h.hit_id)
      > (${topic}, ${startsAt}::bigint, ${classifiedAt}::bigint, ${hitId}::uuid)
      and ${upTo} and ${upcomingUntil('h')} >= ${present}`;
  // Start after all hits whose meeting is certainly over now.
  const upcoming = () => placesAfter(parameter(now - LONGEST_DAY_MS - 1), LAST_TIME, `'${LAST_UUID}'`);
  const unseen =
    after === null
      ? upcoming()
      : placesAfter(parameter(after.startsAt), parameter(after.classifiedAt), parameter(after.hitId));
  const total =
    input.count || input.page !== undefined ? `(select count(*) from ${hitsOf(hits)} h where ${upcoming()})` : 'null';
  const skipped = input.page === undefined ? '' : `offset ${parameter((input.page - 1) * UPCOMING_PAGE_SIZE)}::int`;
  const parts = [
    after === null ? '' : '_after',
    total === 'null' ? '' : '_total',
    input.page === undefined ? '' : '_page',
  ];
  return {
    name: `upcoming_hits_g${generation}${parts.join('')}`,
    text: `with topic as materialized (
        select topic_id, lead from ${coveredTopics} where slug = ${slug} and ${isLive}
      ), page as materialized (
        select h.* from ${hitsOf(hits)} h where ${unseen}
        order by h.topic_id, h.starts_at, h.classified_at, h.hit_id limit ${UPCOMING_PAGE_SIZE + 1} ${skipped}
      )
      select json_build_object('topic', ${topic}, 'total', ${total}) as facts, null as text, null as "hitId",
        null as "itemId", null as "meetingId", null as "classifiedAt", null as timezone, null as "startsAt"
      union all
      select null, '{"matchId":"' || h.hit_id || '",' ||
        (select b.lead from ${coveredBodies} b where b.body_id = h.body_id) || ',' || (select lead from topic) || ',' || h.context || ',' || h.own || '}',
        ${columnsOf(`(select b.timezone from ${coveredBodies} b where b.body_id = h.body_id)`)}
      from page h`,
    values,
  };
}

interface FactsRow {
  /** The topic's id, if it is covered, and the number of upcoming hits, if requested. */
  readonly facts: { readonly topic: string | null; readonly total: number | null };
}

/** The first row has the facts, the others are hits. */
type UpcomingRow = FactsRow | (ListedHit & { readonly facts: null });

const json = (value: string | null): string => (value === null ? 'null' : `"${value}"`);

function toPage(
  { page, count }: UpcomingHitsInput,
  texts: readonly string[],
  nextCursor: string | null,
  total: number,
): JsonPage {
  const hits = `"hits":[${texts.join(',')}]`;
  const pagination = (next: string | null) =>
    `"meta":{"pagination":{"limit":${UPCOMING_PAGE_SIZE},"returned":${texts.length},"nextCursor":${json(next)}}}`;
  const totalCount = count ? `,"totalCount":${total}` : '';
  const text =
    page === undefined
      ? `{"data":{${hits},"nextCursor":${json(nextCursor)}${totalCount}},${pagination(nextCursor)}}`
      : `{"data":{${hits},"totalCount":${total},"page":${page},"pageSize":${UPCOMING_PAGE_SIZE}},${pagination(null)}}`;
  return { text, items: texts.length };
}

/** Returns the page for when the hits cannot be read. */
export const noUpcomingHits = (input: UpcomingHitsInput): JsonPage => toPage(input, [], null, 0);

const COVERED_TOPICS = {
  name: 'covered_topic_slugs',
  text: ({ coveredTopics, isLive }: ReturnType<typeof tablesOf<typeof AGENDA>>) =>
    `select t.slug from ${coveredTopics} t where ${isLive} order by t.slug`,
  values: [],
};

/**
 * Returns the hits of upcoming meetings, the next meeting first. Rejects with 400 a topic that is not covered and a
 * cursor that does not decode. `cursor` and `page` exclude each other.
 */
export function createReadUpcomingHits({ reads, clock }: QueryContext) {
  const topicSlugs = async () =>
    (await reads.rows<{ slug: string }>(liveStatement(AGENDA, COVERED_TOPICS))).map(({ slug }) => slug);
  return async (input: UpcomingHitsInput) => {
    const cursor =
      input.cursor === undefined
        ? null
        : decodedCursor(decodeUpcomingCursor(input.cursor), 'that of the upcoming hits');
    const now = clock.now();
    // A cursor at a meeting that is certainly over equals the start of the list.
    const after = cursor !== null && cursor.startsAt >= now - LONGEST_DAY_MS ? cursor : null;
    const rows = await reads.rows<UpcomingRow>((generation) =>
      upcomingHits(generation(AGENDA.name), input, now, after),
    );
    const { facts } = rows[0] as FactsRow;
    if (facts.topic === null)
      throw new Rejection('invalid_parameter', `topicSlug ${notOneOf(input.topicSlug, await topicSlugs())}`);
    const hitRows = rows.filter((row) => row.facts === null);
    const hits = hitRows.slice(0, UPCOMING_PAGE_SIZE);
    return {
      hits,
      nextCursor: hitRows.length > hits.length ? encodeUpcomingCursor(hits.at(-1)!) : null,
      total: facts.total ?? 0,
    };
  };
}

export function createListUpcomingAgendaHits(context: QueryContext) {
  const read = createReadUpcomingHits(context);
  return async (input: UpcomingHitsInput): Promise<JsonPage> => {
    const { hits, nextCursor, total } = await read(input);
    const texts = hits.map(({ text }) => text);
    return toPage(input, texts, nextCursor, total);
  };
}
