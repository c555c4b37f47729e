import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { withLaterColumns } from '../live-tables.ts';
import { sourceOf, startTimeOf, timezoneOf } from '../agenda/agenda-fields.ts';

/** Number of matches that are ranked: the latest. */
export const MAX_CANDIDATES = 1000;

/** An item with what a search shows of it. */
export interface RankedItem {
  readonly itemId: string;
  readonly rank: number;
  /** Milliseconds, as text. */
  readonly startsAt: string;
  readonly title: string;
  readonly jurisdiction: string;
  readonly body: string;
  /** The part of the text, or of the title, around the words of the query. */
  readonly part: string;
  /** Beginning and end of the whole text. */
  readonly beginning: string;
  readonly end: string;
  readonly sourceUrl: string;
  readonly sourceType: string | null;
  readonly sourceStatus: string | null;
  /** Milliseconds, as text. */
  readonly succeededAt: string | null;
  readonly day: string;
  readonly timezone: string | null;
  /** JSON. */
  readonly startTime: string | null;
  readonly meetingStatus: string;
  readonly matterFile: string | null;
  readonly outcome: string | null;
  readonly facts: Pick<AgendaItem, 'amounts' | 'parties'> | null;
}

/** A page of items, the best first. */
export interface CandidatePage {
  readonly rows: readonly RankedItem[];
  readonly hasMore: boolean;
  /** True if there were more candidates than are ranked. */
  readonly limitReached: boolean;
}

/** Adds the columns that entries of earlier versions of the read model lack. */
export const withLaterEntries = (candidates: string): string =>
  `select f.* from (select null::bigint as matter, null::tsvector as forms, null::bigint as amount) earlier
    cross join lateral (${candidates}) f`;

/** Weights of text, names, topics and title. */
const WEIGHTS = `'{0.15, 0.3, 0.4, 1.0}'`;
const RANK_STEPS = 100_000_000;
const LENIENT_STEPS = 1000;
/** Added to the rank of an item of a preferred body: more than any other rank. */
export const PREFERRED_BODY = 1_000_000_000;
const HIGHEST_RANK = 2_147_483_647;
/**
 * Weights of a word as it was typed, which counts twice in the title, or of its meaning, and of a pair side by side. An item with neither
 * has weight 1. The text weighs less than a tenth of the title, which these have to outweigh.
 */
const [EXACT, ADJACENT] = [30, 20];
/** Rank factor of an item that has only a title: it comes after all others. */
const TITLE_ALONE = `0.001::real`;

/** SQL expressions. */
export interface Ranking {
  /** Query for `ts_rank`. */
  readonly query: string;
  /** Parts of a query that an item might lack, each with its weight. Empty: an item must match the whole query. */
  readonly units: readonly { readonly query: string; readonly weight: number }[];
  /** Neighboring words: each pair that an item contains side by side raises its rank. */
  readonly pairs: readonly string[];
  /** Words as they were typed, for the forms of an entry. */
  readonly exact: readonly string[];
  readonly exactInTitle: readonly string[];
  /** Marks that are preferred to the words they stand for. */
  readonly preferred: readonly string[];
  /** Items of these bodies come first; null if there are none. */
  readonly preferredBodies: string | null;
  /**
   * Start, id and rank of the last item of the previous page; null for the first page. Without a rank it is that of the
   * item now.
   */
  readonly after: { readonly rank: string | null; readonly startsAt: string; readonly itemId: string } | null;
  readonly limit: string;
}

const BEST_FIRST = 'c.rank desc, c.starts_at desc, c.item_id desc';

/**
 * SQL of two CTEs. `scored`: the candidates of `found` with their rank, and a number that items of one matter share.
 * `ranked`: the best item of each matter after the previous page, one more than the page has.
 */
export function rankedItems(ranking: Ranking): string {
  const { pairs, exact, units, after, limit } = ranking;
  // A copy of the words is read once from storage instead of once per expression.
  const words = units.length === 0 && pairs.length < 3 ? 'words' : `words || ''::tsvector as words`;
  const forms = exact.length < 2 ? 'forms' : `forms || ''::tsvector as forms`;
  const unseen = after === null ? '' : `where (c.rank, c.starts_at, c.item_id) < (${positionOf(after)})`;
  return `scored as (
      select c.item_id, c.starts_at, ${rankOf(ranking)} as rank, coalesce(c.matter, uuid_hash_extended(c.item_id, 0)) as matter
      from (select item_id, starts_at, ${words}, ${forms}, matter from found limit ${MAX_CANDIDATES}) c
    ),
    ranked as materialized (
      select c.* from (
        select distinct on (c.matter) c.item_id, c.rank, c.starts_at from scored c order by c.matter, ${BEST_FIRST}
      ) c ${unseen} order by ${BEST_FIRST} limit ${limit} + 1
    )`;
}

/** If the item of an earlier cursor is no longer found, the search starts again. */
const positionOf = ({ rank, startsAt, itemId }: NonNullable<Ranking['after']>): string =>
  `${rank ?? `coalesce((select s.rank from scored s where s.item_id = ${itemId}), ${HIGHEST_RANK})`}, ${startsAt}, ${itemId}`;

/** SQL of the rank of a candidate `c`: by the parts that it has, then by `ts_rank`. At most one in each step. */
function rankOf(ranking: Ranking): string {
  const { query, pairs, exact, exactInTitle, preferred, preferredBodies, units } = ranking;
  const adjacency = shareOf(
    pairs.map((pair) => `c.words @@ ${pair}`),
    ADJACENT,
  );
  const exactness = [...exact, ...exactInTitle].map((word) => `c.forms @@ ${word}`);
  const preference = preferred.map((marks) => `c.words @@ ${marks}`);
  const match = `ts_rank(${WEIGHTS}, c.words, ${query}, 1) * ${adjacency}
    * ${shareOf(exactness, EXACT)} * ${shareOf(preference, EXACT)}
    * case when c.matter is null then ${TITLE_ALONE} else 1 end`;
  const first = preferredBodies === null ? '' : `(c.words @@ ${preferredBodies})::int * ${PREFERRED_BODY} + `;
  if (units.length === 0) return `${first}(${match} * ${RANK_STEPS})::int`;
  const parts = units.map((unit) => `(c.words @@ ${unit.query})::int * ${unit.weight}`).join(' + ');
  return `${first}(${parts}) * ${LENIENT_STEPS} + least(${LENIENT_STEPS - 1}, (${match} * ${LENIENT_STEPS})::int)`;
}

/** SQL of a share of at most one: each condition that is true adds `weight` to the 1 that all have. */
function shareOf(conditions: readonly string[], weight: number): string {
  if (conditions.length === 0) return '1';
  const sum = conditions.map((condition) => `coalesce(${condition}, false)::int`).join(' + ');
  return `((1 + ${weight} * (${sum})) / ${1 + weight * conditions.length}::real)`;
}

/** SQL of the columns of a `RankedItem`, by name. */
const RANKED_ITEM: Readonly<Record<keyof RankedItem, string>> = {
  itemId: 'p.item_id',
  rank: 'p.rank',
  startsAt: 'p.starts_at::text',
  title: 'i.title',
  jurisdiction: 'j.name',
  body: 'b.name',
  part: 'd.part',
  beginning: 'd.beginning',
  end: 'd.ending',
  sourceUrl: 'i.source_url',
  sourceType: 's.type',
  sourceStatus: 's.status',
  succeededAt: 's.succeeded_at::text',
  day: 'm.day::text',
  timezone: timezoneOf('m'),
  startTime: startTimeOf('m'),
  meetingStatus: 'm.status',
  matterFile: 'i.matter_file',
  outcome: 'i.outcome',
  facts: 'x.facts::json',
};

/** SQL of a `CandidatePage` of `ranked`; `excerpt` selects the part of the text of an item that it shows. */
export function pageOf(generation: number, { limit }: Ranking, excerpt: string): string {
  const { jurisdictions, bodies, sources, meetings, items, entries } = AGENDA_SEARCH.at(generation);
  const columns = Object.entries(RANKED_ITEM).map(([name, column]) => `'${name}', ${column}`);
  // The limit makes PostgreSQL look up each item by its key, whatever number of rows the plan expects.
  return `(select json_build_object(
      'rows', coalesce(json_agg(r.item order by r.rank desc, r.starts_at desc, r.item_id desc), '[]'),
      'hasMore', (select count(*) > ${limit} from ranked),
      'limitReached', (select count(*) > ${MAX_CANDIDATES} from found)
    ) from (
      select p.*, d.item from (select c.* from ranked c order by ${BEST_FIRST} limit ${limit}) p
      cross join lateral (
        select json_build_object(${columns.join(', ')}) as item
        from ${items} i join ${meetings} m on m.meeting_id = i.meeting_id
        join ${bodies} b on b.body_id = m.body_id join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
        join ${withLaterColumns(items, ['item_id'], { facts: 'text' })} x on x.item_id = i.item_id
        cross join lateral (${withLaterEntries(`select words, forms from ${entries} where item_id = p.item_id`)}) e
        cross join lateral (${excerpt}) d
        left join lateral ${sourceOf(sources)} on true
        where i.item_id = p.item_id limit 1
      ) d
    ) r)`;
}
