import { AGENDA_SEARCH, slashesAs } from '../../projections/agenda-search/tables.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import { sourceOf, startTimeOf, timezoneOf } from '../agenda/agenda-fields.ts';

/** More matches than this are not ranked, but the latest of them. */
export const MAX_CANDIDATES = 1000;

export const ENGLISH = `'pg_catalog.english'`;

/** A page of items, the best first. */
export interface CandidatePage {
  /** Columns: the details that `pageOf` lists. */
  readonly rows: readonly TextRow[];
  readonly hasMore: boolean;
  /** Whether there were more candidates than are ranked. */
  readonly limitReached: boolean;
}

/** Candidates with the column that entries of version 2 of the read model lack. */
export const withMatter = (candidates: string): string =>
  `select f.* from (select null::bigint as matter) version_2 cross join lateral (${candidates}) f`;

/** Of text, names, topics and title. */
const WEIGHTS = `'{0.15, 0.3, 0.4, 1.0}'`;
const RANK_STEPS = 1_000_000;
/** An item of which the source gives a title and nothing else comes after all others. */
const TITLE_ALONE = `0.001::real`;

/** SQL expressions. */
export interface Ranking {
  readonly query: string;
  /** Met by any word of it. */
  readonly anyWord: string;
  /** Parts of a query that an item may lack, each with its weight. Empty: an item must match the whole query. */
  readonly units: readonly { readonly query: string; readonly weight: number }[];
  /** Words side by side: each pair that an item has adds once its rank. */
  readonly pairs: readonly string[];
  /** Rank, start and id of the last item of the page before; where they are null, or without them, the first page. */
  readonly after: readonly [string, string, string] | null;
  readonly limit: string;
}

/** SQL of `ranked`: a page and one more of the best items, one of each matter, after a place; of the first thousand of `found`, which has the latest first. */
export function rankedItems({ query, anyWord, pairs, units, after, limit }: Ranking): string {
  const adjacent = ['1', ...pairs.map((pair) => `coalesce(c.words @@ ${pair}, false)::int`)].join(' + ');
  const match = `ts_rank(${WEIGHTS}, c.words, ${units.length === 0 ? query : anyWord}, 1) * (${adjacent})
    * case when c.matter is null then ${TITLE_ALONE} else 1 end`;
  const parts = units.map((unit) => `(c.words @@ ${unit.query})::int * ${unit.weight}`).join(' + ');
  const rank = parts === '' ? `(${match} * ${RANK_STEPS})::int` : `(${parts}) * 1000 + least(999, (${match} * 1000)::int)`;
  // Joined with nothing where it is looked at many times, so that it is fetched once from where it is stored; that costs a copy.
  const words = parts === '' && pairs.length < 3 ? 'words' : `words || ''::tsvector as words`;
  const unseen = after === null ? '' : `where ${after[0]} is null or (c.rank, c.starts_at, c.item_id) < (${after.join(', ')})`;
  return `ranked as materialized (
      select c.item_id, c.rank, c.starts_at from (
        select distinct on (c.matter_or_item) c.item_id, c.starts_at, c.rank from (
          select c.item_id, c.starts_at, ${rank} as rank, coalesce(c.matter, uuid_hash_extended(c.item_id, 0)) as matter_or_item from (
            select item_id, starts_at, ${words}, matter from found limit ${MAX_CANDIDATES}
          ) c
        ) c order by c.matter_or_item, c.rank desc, c.starts_at desc, c.item_id desc
      ) c ${unseen} order by c.rank desc, c.starts_at desc, c.item_id desc limit ${limit} + 1
    )`;
}

const HEADLINE = `'MaxFragments=1, MaxWords=40, MinWords=20, ShortWord=0, StartSel="", StopSel=""'`;
const HEADLINE_TEXT = 60_000;
/** A sign that hardly any text has stands for a slash while the excerpt is chosen. */
const headline = (text: string, anyWord: string): string =>
  `regexp_replace(ts_headline(${ENGLISH}, ${slashesAs(`E' \\x01 '`, text)}, ${anyWord}, ${HEADLINE}), E' ?\\x01 ?', '/', 'g')`;
/** A shorter text is shown as it is, and this much of the beginning and end of a longer one shows whether an excerpt reaches them. */
const EDGE = 250;

/** SQL of a `CandidatePage` of `ranked`, each item with an excerpt around any of the words. */
export function pageOf(generation: number, { anyWord, limit }: Ranking): string {
  const { jurisdictions, bodies, sources, meetings, items, entries } = AGENDA_SEARCH.at(generation);
  const details = [
    ...['p.item_id', 'p.rank', 'p.starts_at', 'i.title', 'j.name', 'b.name'],
    `case when length(d.shown) <= ${EDGE} then d.shown else ${headline(`left(d.shown, ${HEADLINE_TEXT})`, anyWord)} end`,
    ...[`left(d.shown, ${EDGE})`, `right(d.shown, ${EDGE})`, 'i.source_url', 's.type', 's.status', 's.succeeded_at', 'm.day'],
    ...[timezoneOf('m'), startTimeOf('m'), 'm.status', 'i.matter_file', 'i.outcome'],
  ];
  // A limit keeps the look-up of each item by itself, whatever the plan expects.
  return `(select json_build_object('rows', coalesce(json_agg(r.details order by r.rank desc, r.starts_at desc, r.item_id desc), '[]'),
      'hasMore', (select count(*) > ${limit} from ranked), 'limitReached', (select count(*) > ${MAX_CANDIDATES} from found))
    from (
      select p.*, d.details from (select * from ranked order by rank desc, starts_at desc, item_id desc limit ${limit}) p
      cross join lateral (
        select array[${details.map((column) => `(${column})::text`).join(', ')}] as details
        from ${items} i join ${meetings} m on m.meeting_id = i.meeting_id
        join ${bodies} b on b.body_id = m.body_id join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
        join ${entries} e on e.item_id = i.item_id
        cross join lateral (select case when i.text is not null and ts_rank('{1, 0, 0, 0}', e.words, ${anyWord}) > 0 then i.text else i.title end as shown) d
        left join lateral ${sourceOf(sources)} on true
        where i.item_id = p.item_id limit 1
      ) d
    ) r)`;
}
