import { replacing } from '../row-set.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import { type PublishedRecord, recordRows } from '../published-records.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { agendaTables } from './tables.ts';
import type { CoveredBodySlugs } from '../../domain/coverage.ts';

const RESOLVED = ['meeting_id', 'body_id', 'starts_at', 'context', 'listed'] as const;

/** The values of `RESOLVED` for the hits `from`, with their joins to item, meeting and coverage. */
function resolution(generation: number, from: string) {
  const { items, meetings, coveredBodies } = agendaTables(generation);
  return {
    values: `i.meeting_id, m.body_id, m.starts_at, m.lead || ',' || i.lead, coalesce(m.on_calendar and c.body_id is not null, false)`,
    joins: `left join ${items} i on i.item_id = ${from}.item_id
      left join ${meetings} m on m.meeting_id = i.meeting_id
      left join ${coveredBodies} c on c.body_id = m.body_id`,
  };
}

/** Writes hits with their resolved values. Unnamed, like the following statements, so that it is planned for the current tables. */
export function upsertHits(generation: number, columns: ColumnArrays, published: readonly PublishedRecord[]): Statement {
  const record = RECORD_TABLES.agenda_hits;
  const { names, unnest, values } = recordRows(columns, record.columns, published);
  const { values: resolved, joins } = resolution(generation, 'n');
  return {
    text: `insert into ${agendaTables(generation).hits} (${[...names, ...RESOLVED].join(', ')})
      select n.*, ${resolved} from ${unnest} as n (${names.join(', ')}) ${joins}
      ${replacing([...names, ...RESOLVED])}`,
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
  const { hits } = agendaTables(generation);
  const { values, joins } = resolution(generation, 'a');
  return {
    text: `update ${hits} h set (${RESOLVED.join(', ')}) = (${RESOLVED.map((name) => `r.${name}`).join(', ')})
      from (
        select a.hit_id, ${values} from unnest($1::uuid[]) as x (id) join ${hits} a on a.${column} = x.id ${joins}
      ) r (hit_id, ${RESOLVED.join(', ')})
      where h.hit_id = r.hit_id
        and (${RESOLVED.map((name) => `h.${name}`).join(', ')}) is distinct from (${RESOLVED.map((name) => `r.${name}`).join(', ')})`,
    values: [columns.uuids(ids)],
  };
}

/** Empties the covered bodies and returns their ids. */
export const deleteCoveredBodies = (generation: number): Statement => ({
  text: `delete from ${agendaTables(generation).coveredBodies} returning body_id`,
  values: [],
});

/** The active bodies of the list in active jurisdictions, the oldest of each slug; returns their ids. */
export function insertCoveredBodies(generation: number, covered: readonly CoveredBodySlugs[]): Statement {
  const { jurisdictions, bodies, coveredBodies } = agendaTables(generation);
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
  text: `delete from ${agendaTables(generation).coveredTopics}`,
  values: [],
});

/** The topics that may be selected and are classified, the oldest of each slug. */
export function insertCoveredTopics(generation: number): Statement {
  const { topics, coveredTopics } = agendaTables(generation);
  return {
    text: `insert into ${coveredTopics} (topic_id, slug, lead)
      select topic_id, slug, '"topicSlug":' || to_json(slug)
      from (select distinct on (slug) topic_id, slug, open from ${topics} order by slug, created_at, topic_id) t where open`,
    values: [],
  };
}
