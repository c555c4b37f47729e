import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { PublishedRecord } from '../record-changes.ts';
import { recordRows, replacing } from '../record-columns.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { agendaTables } from './tables.ts';

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
    text: `insert into ${agendaTables(generation).hits} (${names}, ${RESOLVED.join(', ')})
      select n.*, ${resolved} from ${unnest} as n (${names}) ${joins}
      ${replacing([...record.columns.map(({ name }) => name), ...RESOLVED])}`,
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
