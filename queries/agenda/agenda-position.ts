import { AGENDA } from '../../projections/agenda/tables.ts';
import type { ReadDatabase } from '../../domain/ports/database.ts';

const POSITION = `select g.generation || ':' || g.checkpoint from civic.projections p
  join civic.generations g on g.generation = p.live_generation where p.name = $1`;

/** Where the agenda stands: another text whenever something was folded into it or another generation went live. Empty where there is none. */
export const readAgendaPosition = async (database: ReadDatabase): Promise<string> => {
  const [row] = await database.texts({ name: 'agenda_position', text: POSITION, values: [AGENDA] });
  return row?.[0] ?? '';
};
