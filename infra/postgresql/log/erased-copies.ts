import type { Transactor } from '../../../domain/ports/database.ts';
import type { ErasedCopies } from '../../../domain/ports/event-log.ts';
import { isResource } from '../../../domain/records/resources.ts';
import { category, streamId } from '../../../domain/streams.ts';
import { withClient } from '../connection/schema-state.ts';
import { sql } from '../connection/statements.ts';

const TABLES = `select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'civic' and c.relkind in ('r', 'm') order by 1`;

const recordIdsOf = (streams: readonly string[]): readonly string[] =>
  streams.filter((stream) => isResource(category(stream))).map(streamId);

export const createErasedCopies = (transactor: Transactor, dsn: string): ErasedCopies => ({
  async clear(streams, until) {
    await transactor.transaction(async (transaction) => {
      // Change the mark first. A concurrent command either sees it and saves no checkpoint, or its checkpoint is
      // deleted here.
      await transaction.query(sql`update civic.erasure_mark set drops = drops + 1`);
      await transaction.query(sql`delete from civic.decider_checkpoints where stream = any (${[...streams]}::text[])`);
      // The erased text might be in the documents that the records were published from, or in one that no record shows.
      await transaction.query(
        sql`delete from civic.document_texts where record_ids = '{}' or record_ids && ${recordIdsOf(streams)}::uuid[]`,
      );
    });
    // A second transaction, so that commands which save a checkpoint do not wait for the ledger.
    return transactor.transaction(async (transaction) => {
      // Release the generations that nothing folds, so that the projector drops their tables.
      await transaction.query(sql`update civic.generations set kept_until = null, changed_at = 0, lease_until = 0
        where state in ('retired', 'refused') or (state = 'scratch' and owner is null)`);
      // Delete saved results. If such a payment is presented again, the answer is that its result is gone; it is not
      // billed.
      await transaction.query(sql`update civic.payments set result = null
        where state = 'SETTLED' and result is not null and created_at <= ${until}`);
      // Count the payments whose result was possibly read but is not saved yet. The worker ends payments of dead
      // processes.
      const underWay = await transaction.query<{ count: number }>(sql`select count(*) from civic.payments
        where created_at <= ${until} and (result is not null or state in ('RESERVED', 'VERIFIED'))`);
      return underWay.rows[0]!.count;
    });
  },
  reclaim: () =>
    withClient({ dsn, purpose: 'erasure' }, async (client) => {
      const { rows } = await client.query<{ name: string }>(TABLES);
      for (const { name: table } of rows) {
        // Ignore the tables of a generation that was just dropped.
        await client.query(`vacuum ${table}`).catch((error: { readonly code?: string }) => {
          if (error.code !== '42P01') throw error;
        });
      }
    }),
});
