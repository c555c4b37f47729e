import type { Transactor } from '../../../domain/ports/database.ts';
import type { InletPart, InletStore } from '../../../domain/ports/kafka.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

/** Columns of a partition. Offsets are text, because they might exceed the safe integers. */
const PARTITION = columnList({
  token: 'p.token',
  nextOffset: 'p.next_offset::text',
  commandId: 'p.command_id',
  claimTo: 'p.claim_to::text',
  revisions: 'p.revisions',
});
interface PartitionRow {
  readonly token: number;
  readonly nextOffset: string;
  readonly commandId: string | null;
  readonly claimTo: string | null;
  readonly revisions: Readonly<Record<string, number>>;
}
const hasToken = ({ topic, partition }: InletPart, token: number) =>
  sql`topic = ${topic} and partition = ${partition} and token = ${token}`;

/** Stores the progress of partitions. Every change is one statement. */
export function createInletStore(transactor: Transactor): InletStore {
  const { first, changed } = statementsIn(transactor);
  return {
    async take({ topic, partition }) {
      const row = await first<PartitionRow>(
        sql`insert into civic.inlet_parts as p (topic, partition, token) values (${topic}, ${partition}, 1)
          on conflict (topic, partition) do update set token = p.token + 1 returning ${PARTITION}`,
      );
      const { token, nextOffset, commandId, claimTo, revisions } = row!;
      const next = BigInt(nextOffset);
      if (commandId === null) return { token, next, claim: null };
      const claim = { commandId, to: BigInt(claimTo!), revisions: new Map(Object.entries(revisions)) };
      return { token, next, claim };
    },
    claim(part, token, { commandId, to, revisions }) {
      const added = JSON.stringify(Object.fromEntries(revisions));
      return changed(sql`update civic.inlet_parts set command_id = ${commandId}::uuid, claim_to = ${to},
        revisions = case when command_id = ${commandId}::uuid then revisions || ${added}::jsonb else ${added}::jsonb end
        where ${hasToken(part, token)}`);
    },
    complete: (part, token, next) =>
      changed(sql`update civic.inlet_parts
        set next_offset = ${next}, command_id = null, claim_to = null, revisions = '{}'
        where ${hasToken(part, token)} and next_offset <= ${next}`),
  };
}
