import { AGENDA } from '../../projections/agenda/tables.ts';
import type { JsonPage } from '../../contract/inputs.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';

function agendaHit(generation: number, matchId: string): Statement {
  const { hits, coveredBodies, coveredTopics } = AGENDA.at(generation);
  return {
    name: `agenda_hit_g${generation}`,
    text: `select '{"matchId":"' || h.hit_id || '",' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}'
      from ${hits} h join ${coveredBodies} b on b.body_id = h.body_id join ${coveredTopics} t on t.topic_id = h.topic_id
      where h.hit_id = $1::uuid and ${requireLive(AGENDA.name, generation)}`,
    values: [matchId],
  };
}

/**
 * One public hit, whatever became of its meeting (GET /api/v1/public/agenda-hits/{matchId}). Refuses with 404 what is not
 * there, not complete or outside the active public coverage set. `matchId` is a uuid.
 */
export const createGetAgendaHit =
  (reads: LiveReads) =>
  async (matchId: string): Promise<JsonPage> => {
    const [row] = await reads.texts((generation) => agendaHit(generation(AGENDA.name), matchId));
    if (row === undefined) throw new Rejection('not_found', 'there is no such public hit');
    return { text: `{"data":${row[0]!}}`, items: 1 };
  };
