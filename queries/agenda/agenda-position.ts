import { AGENDA } from '../../projections/agenda/tables.ts';
import type { ReadDatabase } from '../../domain/ports/database.ts';

const POSITION = `select g.generation || ':' || g.checkpoint from civic.projections p
  join civic.generations g on g.generation = p.live_generation where p.name = $1`;

/** A text that changes with each fold into the agenda and with each switch of its generation. Empty without a generation. */
export async function readAgendaPosition(database: ReadDatabase): Promise<string> {
  const [row] = await database.texts({ name: 'agenda_position', text: POSITION, values: [AGENDA] });
  return row?.[0] ?? '';
}
