import type { ColumnArrays, Transactor } from '../../domain/ports/database.ts';
import type { SharedCounts } from '../../domain/ports/shared-counts.ts';

const ADD = `insert into civic.public_counts (window_start, counted, process, requests)
  select $1::bigint, c.counted, $2::uuid, c.requests from unnest($3::text[], $4::bigint[]) c(counted, requests)
  on conflict (window_start, counted, process) do update set requests = excluded.requests`;
const SUM = `select counted, sum(requests)::text from civic.public_counts
  where window_start = $1::bigint and counted = any($3::text[]) and process <> $2::uuid group by counted`;
const FORGET = 'delete from civic.public_counts where window_start < $1::bigint';

/** Counts in an unlogged table. Each process writes its own rows, so that no two wait for each other. `process` is a uuid. */
export const createSharedCounts = (transactor: Transactor, columns: ColumnArrays, process: string): SharedCounts => ({
  exchange: (window, counts) =>
    transactor.transaction(async (transaction) => {
      const counted = columns.texts([...counts.keys()]);
      await transaction.execute({
        name: 'add_public_counts',
        text: ADD,
        values: [window, process, counted, columns.bigints([...counts.values()])],
      });
      const { rows } = await transaction.execute({ name: 'sum_public_counts', text: SUM, values: [window, process, counted] });
      return new Map(rows.map(([name, requests]) => [name!, Number(requests)]));
    }),
  async forget(before) {
    await transactor.transaction((transaction) => transaction.execute({ text: FORGET, values: [before] }));
  },
});
