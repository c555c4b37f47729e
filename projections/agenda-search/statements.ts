import type { Statement } from '../../domain/ports/database.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { AMOUNT_SIGNS, CURLY, DASHES, SEARCHED_LENGTH } from '../../domain/text/words.ts';
import { chunksOf } from '../../plumbing/chunks.ts';
import { bindRows } from '../rows.ts';
import type { Row } from '../tables.ts';
import { AGENDA_SEARCH, MARK, type SearchRecordTable, replaceSlashes, WEIGHT } from './tables.ts';

// Maximum characters per field. A word vector takes at most 1 MB, and a character up to four bytes; the rest of a
// longer text is not searched.
const [TITLE, FILE, NAMES] = [8000, 200, 1000];
/** Maximum characters of a text whose words are also kept as they are written. */
const FORMS = 8000;

/** Separator between two fields. It is not searched, and no phrase matches across it. */
const GAP = `E'\\nthe\\n'`;

const [MARKS, PLAIN_MARKS] = [CURLY.from + DASHES.from, CURLY.to.replaceAll("'", "''") + DASHES.to];

const ENGLISH = 'pg_catalog.english';
/** Does not reduce words to stems. */
const SIMPLE = 'pg_catalog.simple';

/**
 * Returns SQL for the words of a field. Only texts that contain quotation marks or dashes are rewritten, because few
 * do; the parser treats those as letters, and a comma as the end of a number.
 */
function words(field: string, max: number, weight: string, dictionary = ENGLISH): string {
  const text = replaceSlashes(`' '`, `left(${field}, ${max})`);
  const plain = `left(translate(civic.plain_text(${text}), '${MARKS}', '${PLAIN_MARKS}'), ${max})`;
  const prepared = `case when octet_length(${text}) = char_length(${text}) then ${text} else ${plain} end`;
  const withAmounts = AMOUNT_SIGNS.reduce(
    (amounts, [signs, groups]) => `regexp_replace(${amounts}, '${signs}', '${groups}', 'g')`,
    prepared,
  );
  return `setweight(to_tsvector('${dictionary}', ${withAmounts}), '${weight}')`;
}

/** Returns SQL for the entries of items of business whose required records all exist. */
function freshEntries(generation: number): string {
  const { jurisdictions, bodies, topics, meetings, items, hits, documents } = AGENDA_SEARCH.at(generation);
  const title = `concat_ws(${GAP}, left(i.matter_file, ${FILE}), i.title, i.matter_name)`;
  const names = `concat_ws(${GAP}, t.names, b.name, j.name)`;
  const texts = `concat_ws(${GAP}, i.action_text, i.matter_type, i.text, d.titles)`;
  return `select i.item_id, m.starts_at, m.day, m.period,
      ${words(title, TITLE, WEIGHT.title)}
      || ${words(`${GAP} || coalesce(t.names, '')`, NAMES, WEIGHT.topics)}
      || ${words(`${GAP} || b.name || ${GAP} || j.name`, NAMES, WEIGHT.place)}
      || ${words(`${GAP} || ${texts}`, SEARCHED_LENGTH, WEIGHT.text)}
      || array_to_tsvector(array['${MARK.body}' || m.body_id, '${MARK.period}' || m.period, '${MARK.day}' || m.day] || t.marks || string_to_array(i.marks, ',')) as words,
      ${words(title, TITLE, WEIGHT.title, SIMPLE)} || ${words(names, NAMES, WEIGHT.place, SIMPLE)}
      || ${words(texts, FORMS, WEIGHT.text, SIMPLE)} as forms, i.amount,
      case when num_nonnulls(i.agenda_number, i.matter_file, i.matter_type, i.text, i.action_text, i.outcome) > 0
        then hashtextextended(coalesce(j.jurisdiction_id || ' ' || i.matter_key, i.item_id::text), 0) end as matter
    from unnest($1::uuid[]) as x (id) join ${items} i on i.item_id = x.id and not i.heading
    join ${meetings} m on m.meeting_id = i.meeting_id
    join ${bodies} b on b.body_id = m.body_id
    join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
    left join lateral (
      select string_agg(t.names, ${GAP} order by t.topic_id) as names, array_agg('${MARK.topic}' || t.topic_id) as marks
      from (select distinct h.topic_id from ${hits} h where h.item_id = i.item_id) h join ${topics} t on t.topic_id = h.topic_id
    ) t on true
    left join lateral (
      select string_agg(d.title, ${GAP} order by d.document_id) as titles from ${documents} d where d.item_id = i.item_id
    ) d on true`;
}

export const countPeriods = (generation: number, itemIds: readonly string[]): Statement => ({
  text: `select e.period::text as period, count(*) as entries from unnest($1::uuid[]) as x (id) join ${AGENDA_SEARCH.at(generation).entries} e on e.item_id = x.id
    group by e.period`,
  values: [itemIds],
});

/** Deletes the entries of rows that are not items of business, and of items that lack a required record. */
export function deleteEntries(generation: number, itemIds: readonly string[]): Statement {
  const { jurisdictions, bodies, meetings, items, entries } = AGENDA_SEARCH.at(generation);
  return {
    text: `delete from ${entries} e using unnest($1::uuid[]) as x (id) where e.item_id = x.id and not exists (
      select from ${items} i join ${meetings} m on m.meeting_id = i.meeting_id join ${bodies} b on b.body_id = m.body_id
      join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id where i.item_id = e.item_id and not i.heading
    )`,
    values: [itemIds],
  };
}

export const upsertEntries = (generation: number, itemIds: readonly string[]): Statement => ({
  text: `insert into ${AGENDA_SEARCH.at(generation).entries} as e (item_id, starts_at, day, period, words, forms, amount, matter) ${freshEntries(generation)}
    on conflict (item_id) do update set starts_at = excluded.starts_at, day = excluded.day, period = excluded.period,
      words = excluded.words, forms = excluded.forms, amount = excluded.amount, matter = excluded.matter
    where (e.starts_at, e.day, e.period, e.words, e.forms, e.amount, e.matter) is distinct from (excluded.starts_at,
      excluded.day, excluded.period, excluded.words, excluded.forms, excluded.amount, excluded.matter)`,
  values: [itemIds],
});

type Additions = readonly (readonly [name: string, number: number])[];

/** Adds to the number of entries per period; deletes rows that reach zero. */
export function addToPeriods(generation: number, changes: Additions): readonly Statement[] {
  if (changes.length === 0) return [];
  const { periods } = AGENDA_SEARCH.at(generation);
  const ids = changes.map(([period]) => Number(period));
  return [
    {
      text: `insert into ${periods} as p (period, entries) select * from unnest($1::bigint[], $2::bigint[])
        on conflict (period) do update set entries = p.entries + excluded.entries`,
      values: [ids, changes.map(([, entries]) => entries)],
    },
    { text: `delete from ${periods} where entries = 0 and period = any ($1::bigint[])`, values: [ids] },
  ];
}

/**
 * Words per statement. PostgreSQL tracks updated rows in memory; beyond it each row would be compared with each other.
 */
const WORDS_AT_ONCE = 10_000;

/** Adds to the number of records per word; deletes words that no record contains. */
export function addToWords(generation: number, changes: Additions): readonly Statement[] {
  const { words: table } = AGENDA_SEARCH.at(generation);
  // Updates are cheapest in index order.
  const sorted = changes.toSorted(([left], [right]) => (left < right ? -1 : 1));
  const added: Statement[] = [];
  for (const chunk of chunksOf(sorted, WORDS_AT_ONCE)) {
    added.push({
      // Most words already exist, and an update costs less than an insert that conflicts.
      text: `with n as materialized (select * from unnest($1::text[], $2::bigint[]) as n (word, records)), known as (
          update ${table} w set records = w.records + n.records from n where w.word = n.word returning w.word
        )
        insert into ${table} (word, stem, records)
        select n.word, coalesce((ts_lexize('pg_catalog.english_stem', n.word))[1], n.word), n.records
        from n where n.word not in (select word from known)`,
      values: [chunk.map(([word]) => word), chunk.map(([, records]) => records)],
    });
  }
  const fewer = changes.filter(([, change]) => change < 0).map(([word]) => word);
  if (fewer.length === 0) return added;
  const text = `delete from ${table} w using unnest($1::text[]) as n (word) where w.word = n.word and w.records = 0`;
  return [...added, { text, values: [fewer] }];
}

// The statements below have no names, so that each is planned for the current tables rather than the empty ones of its
// first use.

const listColumns = (alias: string, names: readonly string[]): string =>
  names.map((name) => `${alias}.${name}`).join(', ');

/** Selects the ids of new rows and of rows whose searched columns changed. */
export function changedRecords(generation: number, table: SearchRecordTable, rows: readonly Row[]): Statement {
  const { id, searched } = table;
  const searchedRows = rows.map((row) => Object.fromEntries([id, ...searched].map((name) => [name, row[name]!])));
  const { unnest, values } = bindRows(table, searchedRows);
  return {
    text: `select r.${id} as id from ${unnest} left join ${table.at(generation)} t on t.${id} = r.${id}
      where t.${id} is null or (${listColumns('t', searched)}) is distinct from (${listColumns('r', searched)})`,
    values,
  };
}

export const storedTexts = (
  generation: number,
  { at, id, worded }: SearchRecordTable,
  ids: readonly string[],
): Statement => ({
  text: `select ${listColumns('t', worded)} from unnest($1::uuid[]) as x (id) join ${at(generation)} t on t.${id} = x.id`,
  values: [ids],
});

/** Joins from the id of a record to the items that it affects. */
const ITEMS_OF: Readonly<Record<string, (tables: ReturnType<typeof AGENDA_SEARCH.at>) => string>> = {
  jurisdictions: ({ bodies, meetings, items }) =>
    `join ${bodies} b on b.jurisdiction_id = x.id join ${meetings} m on m.body_id = b.body_id join ${items} i on i.meeting_id = m.meeting_id`,
  public_bodies: ({ meetings, items }) =>
    `join ${meetings} m on m.body_id = x.id join ${items} i on i.meeting_id = m.meeting_id`,
  meetings: ({ items }) => `join ${items} i on i.meeting_id = x.id`,
  topics: ({ hits }) => `join ${hits} i on i.topic_id = x.id`,
  agenda_hits: ({ hits }) => `join ${hits} i on i.hit_id = x.id`,
  documents: ({ documents }) => `join ${documents} i on i.document_id = x.id and i.item_id is not null`,
};

export const itemsOf = (generation: number, resource: Resource, ids: readonly string[]): Statement => ({
  text: `select distinct i.item_id as id from unnest($1::uuid[]) as x (id) ${ITEMS_OF[resource]!(AGENDA_SEARCH.at(generation))}`,
  values: [ids],
});
