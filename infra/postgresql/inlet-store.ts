import { columns, number, text, textOrNull } from '../../domain/columns.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { InletPart, InletStore } from '../../domain/ports/kafka.ts';
import { sql, statementsIn } from './statements.ts';

const TAKEN = columns({
  token: ['p.token', number],
  next: ['p.next_offset', (value) => BigInt(value!)],
  commandId: ['p.command_id', textOrNull],
  to: ['p.claim_to', textOrNull],
  revisions: ['p.revisions', text],
});
const held = ({ topic, partition }: InletPart, token: number) => sql`topic = ${topic} and partition = ${partition} and token = ${token}`;

/** Every change is one statement. */
export function createInletStore(transactor: Transactor): InletStore {
  const { first, changed } = statementsIn(transactor);
  return {
    async take({ topic, partition }) {
      const row = await first(
        TAKEN,
        sql`insert into civic.inlet_parts as p (topic, partition, token) values (${topic}, ${partition}, 1)
          on conflict (topic, partition) do update set token = p.token + 1 returning ${TAKEN}`,
      );
      const { token, next, commandId, to, revisions } = row!;
      if (commandId === null) return { token, next, claim: null };
      const known = Object.entries(JSON.parse(revisions) as Record<string, number>);
      return { token, next, claim: { commandId, to: BigInt(to!), revisions: new Map(known) } };
    },
    claim(part, token, { commandId, to, revisions }) {
      const added = JSON.stringify(Object.fromEntries(revisions));
      return changed(sql`update civic.inlet_parts set command_id = ${commandId}::uuid, claim_to = ${to},
        revisions = case when command_id = ${commandId}::uuid then revisions || ${added}::jsonb else ${added}::jsonb end
        where ${held(part, token)}`);
    },
    complete: (part, token, next) =>
      changed(sql`update civic.inlet_parts set next_offset = ${next}, command_id = null, claim_to = null, revisions = '{}'
        where ${held(part, token)} and next_offset <= ${next}`),
  };
}
