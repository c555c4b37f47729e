import { AGENDA_SEARCH, replaceSlashes } from '../../projections/agenda-search/tables.ts';
import type { AgendaItem } from '../../contract/tools/get-agenda-item.ts';
import { withLaterColumns } from '../live-tables.ts';
import { sourceOf, startTimeOf, timezoneOf } from '../agenda/agenda-fields.ts';

/** Number of matches that are ranked: the latest. */
export const MAX_CANDIDATES = 1000;

export const ENGLISH = `'pg_catalog.english'`;

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
/**
 * Weights of a word as it was typed, which counts twice in the title, and of a pair side by side. An item with neither
 * has weight 1. The text weighs less than a tenth of the title, which these have to outweigh.
 */
const [EXACT, ADJACENT] = [30, 20];
/** Rank factor of an item that has only a title: it comes after all others. */
const TITLE_ALONE = `0.001::real`;

/** SQL expressions. */
export interface Ranking {
  readonly query: string;
  /** Matches any word of the query. */
  readonly anyWord: string;
  /** Parts of a query that an item might lack, each with its weight. Empty: an item must match the whole query. */
  readonly units: readonly { readonly query: string; readonly weight: number }[];
  /** Neighboring words: each pair that an item contains side by side raises its rank. */
  readonly pairs: readonly string[];
  /** Words as they were typed, for the forms of an entry. */
  readonly exact: readonly string[];
  readonly exactInTitle: readonly string[];
  /** Rank, start and id of the last item of the previous page; null for the first page. */
  readonly after: readonly [rank: string, startsAt: string, itemId: string] | null;
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
  const unseen = after === null ? '' : `where (c.rank, c.starts_at, c.item_id) < (${after.join(', ')})`;
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

/** SQL of the rank of a candidate `c`: by the parts that it has, then by `ts_rank`. At most one in each step. */
function rankOf({ query, anyWord, pairs, exact, exactInTitle, units }: Ranking): string {
  const adjacency = shareOf(
    pairs.map((pair) => `c.words @@ ${pair}`),
    ADJACENT,
  );
  const inForms = [...exact, ...exactInTitle].map((word) => `c.forms @@ ${word}`);
  const match = `ts_rank(${WEIGHTS}, c.words, ${units.length === 0 ? query : anyWord}, 1) * ${adjacency}
    * ${shareOf(inForms, EXACT)} * case when c.matter is null then ${TITLE_ALONE} else 1 end`;
  if (units.length === 0) return `(${match} * ${RANK_STEPS})::int`;
  const parts = units.map((unit) => `(c.words @@ ${unit.query})::int * ${unit.weight}`).join(' + ');
  return `(${parts}) * ${LENIENT_STEPS} + least(${LENIENT_STEPS - 1}, (${match} * ${LENIENT_STEPS})::int)`;
}

/** SQL of a share of at most one: each condition that is true adds `weight` to the 1 that all have. */
function shareOf(conditions: readonly string[], weight: number): string {
  if (conditions.length === 0) return '1';
  const sum = conditions.map((condition) => `coalesce(${condition}, false)::int`).join(' + ');
  return `((1 + ${weight} * (${sum})) / ${1 + weight * conditions.length}::real)`;
}

const HEADLINE = `'MaxFragments=1, MaxWords=40, MinWords=20, ShortWord=0, StartSel="", StopSel=""'`;
const HEADLINE_TEXT = 60_000;
/** Replaces slashes by a control character, which hardly any text contains, while the excerpt is chosen. */
const headline = (text: string, anyWord: string): string =>
  `regexp_replace(ts_headline(${ENGLISH}, ${replaceSlashes(`E' \\x01 '`, text)}, ${anyWord}, ${HEADLINE}), E' ?\\x01 ?', '/', 'g')`;
/**
 * A shorter text is shown whole. The same number of characters at each end shows whether an excerpt reaches the ends.
 */
const EDGE = 250;

/** SQL of the columns of a `RankedItem`, by name. */
const rankedItem = (anyWord: string): Readonly<Record<keyof RankedItem, string>> => ({
  itemId: 'p.item_id',
  rank: 'p.rank',
  startsAt: 'p.starts_at::text',
  title: 'i.title',
  jurisdiction: 'j.name',
  body: 'b.name',
  part: `case when length(d.shown) <= ${EDGE} then d.shown else ${headline(`left(d.shown, ${HEADLINE_TEXT})`, anyWord)} end`,
  beginning: `left(d.shown, ${EDGE})`,
  end: `right(d.shown, ${EDGE})`,
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
});

/** SQL of a `CandidatePage` of `ranked`, each item with an excerpt around any of the words. */
export function pageOf(generation: number, { anyWord, limit }: Ranking): string {
  const { jurisdictions, bodies, sources, meetings, items, entries } = AGENDA_SEARCH.at(generation);
  const columns = Object.entries(rankedItem(anyWord)).map(([name, column]) => `'${name}', ${column}`);
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
        join ${entries} e on e.item_id = i.item_id
        join ${withLaterColumns(items, ['item_id'], { facts: 'text' })} x on x.item_id = i.item_id
        cross join lateral (
          select case when i.text is not null and ts_rank('{1, 0, 0, 0}', e.words, ${anyWord}) > 0 then i.text else i.title end as shown
        ) d
        left join lateral ${sourceOf(sources)} on true
        where i.item_id = p.item_id limit 1
      ) d
    ) r)`;
}
