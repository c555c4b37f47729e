import type { CoveredBodySlugs } from '../../domain/coverage.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import { replacing, rowSet } from '../rows.ts';
import type { Row } from '../tables.ts';
import { AGENDA, RESOLVED } from './tables.ts';

const NAMES = Object.keys(RESOLVED);
const resolvedOf = (row: string): string => NAMES.map((name) => `${row}.${name}`).join(', ');

/** The values of `RESOLVED` for the hits `from`, with their joins to item, meeting and coverage. */
function resolution(generation: number, from: string) {
  const { items, meetings, coveredBodies } = AGENDA.at(generation);
  return {
    values: `i.meeting_id, m.body_id, m.starts_at, m.lead || ',' || i.lead, coalesce(m.on_calendar and c.body_id is not null, false)`,
    joins: `left join ${items} i on i.item_id = ${from}.item_id
      left join ${meetings} m on m.meeting_id = i.meeting_id
      left join ${coveredBodies} c on c.body_id = m.body_id`,
  };
}

/** Writes hits with their resolved values. Unnamed, like the following statements, so that it is planned for the current tables. */
export function upsertHits(generation: number, columns: ColumnArrays, hits: readonly Row[]): Statement {
  const table = AGENDA.tables.hits;
  const { names, unnest, values } = rowSet(columns, table, hits);
  const { values: resolved, joins } = resolution(generation, 'r');
  const all = [...names, ...NAMES];
  return {
    text: `insert into ${table.at(generation)} as t (${all.join(', ')}) select r.*, ${resolved} from ${unnest} ${joins} ${replacing(table, all)}`,
    values,
  };
}

/** Updates the hits that name one of these ids in a column, where a value has changed. */
export function resolveHits(
  generation: number,
  columns: ColumnArrays,
  column: 'item_id' | 'meeting_id' | 'body_id',
  ids: readonly string[],
): Statement {
  const { hits } = AGENDA.at(generation);
  const { values, joins } = resolution(generation, 'a');
  return {
    text: `update ${hits} h set (${NAMES.join(', ')}) = (${resolvedOf('r')})
      from (
        select a.hit_id, ${values} from unnest($1::uuid[]) as x (id) join ${hits} a on a.${column} = x.id ${joins}
      ) r (hit_id, ${NAMES.join(', ')})
      where h.hit_id = r.hit_id and (${resolvedOf('h')}) is distinct from (${resolvedOf('r')})`,
    values: [columns.uuids(ids)],
  };
}

/** Empties the covered bodies and returns their ids. */
export const deleteCoveredBodies = (generation: number): Statement => ({
  text: `delete from ${AGENDA.at(generation).coveredBodies} returning body_id`,
  values: [],
});

/** The active bodies of the list in active jurisdictions, the oldest of each slug; returns their ids. */
export function insertCoveredBodies(generation: number, covered: readonly CoveredBodySlugs[]): Statement {
  const { jurisdictions, bodies, coveredBodies } = AGENDA.at(generation);
  return {
    text: `insert into ${coveredBodies} (body_id, jurisdiction_slug, body_slug, jurisdiction_name, body_name, timezone, lead)
      select b.body_id, j.slug, b.slug, j.name, b.name, b.timezone,
        '"jurisdictionSlug":' || to_json(j.slug) || ',"jurisdictionName":' || to_json(j.name) || ',"bodyName":' || to_json(b.name)
      from unnest($1::text[], $2::text[]) as c (jurisdiction_slug, body_slug)
      join lateral (
        select * from ${jurisdictions} where slug = c.jurisdiction_slug order by created_at, jurisdiction_id limit 1
      ) j on j.active
      join lateral (
        select * from ${bodies} where jurisdiction_id = j.jurisdiction_id and slug = c.body_slug order by created_at, body_id limit 1
      ) b on b.active
      returning body_id`,
    values: [covered.map(({ jurisdictionSlug }) => jurisdictionSlug), covered.map(({ slug }) => slug)],
  };
}

export const deleteCoveredTopics = (generation: number): Statement => ({
  text: `delete from ${AGENDA.at(generation).coveredTopics}`,
  values: [],
});

/** The topics that may be selected and are classified, the oldest of each slug. */
export function insertCoveredTopics(generation: number): Statement {
  const { topics, coveredTopics } = AGENDA.at(generation);
  return {
    text: `insert into ${coveredTopics} (topic_id, slug, lead)
      select topic_id, slug, '"topicSlug":' || to_json(slug)
      from (select distinct on (slug) topic_id, slug, open from ${topics} order by slug, created_at, topic_id) t where open`,
    values: [],
  };
}
