import type { TextRow, Transactor } from '../../domain/ports/database.ts';
import type { InletStore } from '../../domain/ports/kafka.ts';
import { executeAlone } from './execute.ts';

const TAKE = `insert into civic.inlet_parts as p (topic, partition, token) values ($1, $2, 1)
  on conflict (topic, partition) do update set token = p.token + 1
  returning p.token, p.next_offset, p.command_id, p.claim_to, p.revisions`;
const CLAIM = `update civic.inlet_parts set command_id = $4::uuid, claim_to = $5,
  revisions = case when command_id = $4::uuid then revisions || $6::jsonb else $6::jsonb end
  where topic = $1 and partition = $2 and token = $3`;
const COMPLETE = `update civic.inlet_parts set next_offset = $4, command_id = null, claim_to = null, revisions = '{}'
  where topic = $1 and partition = $2 and token = $3 and next_offset <= $4`;

/** The processed offset of each partition, in PostgreSQL; every change is one statement. */
export function createInletStore(transactor: Transactor): InletStore {
  const run = executeAlone(transactor);
  return {
    async take({ topic, partition }) {
      const { rows } = await run(TAKE, [topic, partition]);
      const [token, next, commandId, to, revisions] = rows[0] as TextRow;
      return {
        token: Number(token),
        next: BigInt(next!),
        claim:
          commandId === null || commandId === undefined
            ? null
            : { commandId, to: BigInt(to!), revisions: new Map(Object.entries(JSON.parse(revisions!) as Record<string, number>)) },
      };
    },
    async claim({ topic, partition }, token, { commandId, to, revisions }) {
      const values = [topic, partition, token, commandId, to, JSON.stringify(Object.fromEntries(revisions))];
      return (await run(CLAIM, values)).count === 1;
    },
    complete: async ({ topic, partition }, token, next) => (await run(COMPLETE, [topic, partition, token, next])).count === 1,
  };
}
