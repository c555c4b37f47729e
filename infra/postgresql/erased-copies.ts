import type { Transactor } from '../../domain/ports/database.ts';
import type { ErasedCopies } from '../../domain/ports/event-log.ts';
import { withClient } from './schema-state.ts';
import { sql } from './statements.ts';

const TABLES = `select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'civic' and c.relkind in ('r', 'm') order by 1`;

export const createErasedCopies = (transactor: Transactor, dsn: string): ErasedCopies => ({
  async clear(streams, until) {
    await transactor.transaction(async (transaction) => {
      // First: a concurrent command either sees the mark and stores no checkpoint, or its checkpoint is deleted with the others.
      await transaction.execute(sql`update civic.erasure_mark set drops = drops + 1`);
      await transaction.execute(sql`delete from civic.decider_checkpoints where stream = any (${[...streams]}::text[])`);
    });
    // In a transaction of its own: commands that store a checkpoint do not wait for the ledger.
    return transactor.transaction(async (transaction) => {
      // Generations without a follower; the projector drops their tables.
      await transaction.execute(sql`update civic.generations set kept_until = null, changed_at = 0, lease_until = 0
        where state in ('retired', 'refused') or (state = 'scratch' and owner is null)`);
      // A payment without its result, presented again, is answered that the result is no longer stored; it is not billed.
      await transaction.execute(sql`update civic.payments set result = null
        where state = 'SETTLED' and result is not null and created_at <= ${until}`);
      // Payments whose result may have been read and not been saved. The worker ends payments whose process died.
      const underWay = await transaction.execute(sql`select count(*)::text from civic.payments
        where created_at <= ${until} and (result is not null or state in ('RESERVED', 'VERIFIED'))`);
      return Number(underWay.rows[0]![0]);
    });
  },
  reclaim: () =>
    withClient({ dsn, purpose: 'erasure' }, async (client) => {
      const { rows } = await client.query<[string]>({ text: TABLES, rowMode: 'array' });
      for (const [table] of rows) {
        // The tables of a generation may just have been dropped.
        await client.query(`vacuum ${table}`).catch((error: { readonly code?: string }) => {
          if (error.code !== '42P01') throw error;
        });
      }
    }),
});
