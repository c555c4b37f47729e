import type { Transactor } from '../../domain/ports/database.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { SetBacks } from '../../domain/ports/history.ts';
import { executeAlone } from './execute.ts';

export const OPEN_SET_BACKS =
  'select held, head, noticed_at::text from civic.history_set_backs where acknowledged_at is null order by noticed_at, held';

/** The rows of `civic.history_set_backs`; several processes that notice the same loss store it once. */
export function createSetBacks(transactor: Transactor): SetBacks {
  const run = executeAlone(transactor);
  return {
    async note({ held, head, noticedAt }) {
      await run(
        'insert into civic.history_set_backs (held, head, noticed_at) values ($1, $2, $3::bigint) on conflict (held, head) do nothing',
        [held, head, noticedAt],
      );
    },
    async open() {
      const { rows } = await run(OPEN_SET_BACKS);
      return rows.map(([held, head, noticedAt]) => ({ held: held as Position, head: head as Position, noticedAt: Number(noticedAt) }));
    },
    acknowledge: async (now) =>
      (await run('update civic.history_set_backs set acknowledged_at = $1::bigint where acknowledged_at is null', [now])).count,
  };
}
