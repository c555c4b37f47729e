import type { Statement, TextRow } from '../../domain/ports/database.ts';
import type { ClientCounts } from '../../domain/ports/client-counts.ts';
import { secondsUntil } from '../../domain/ports/window-counts.ts';

/** A statement that waited for the row sees its newest state. Returns no row where the limit is reached. */
const TAKE = `insert into civic.report_client_counts as c (window_start, client, used) values ($1::bigint, $2::uuid, 1)
  on conflict (window_start, client) do update set used = c.used + 1 where c.used < $3::bigint returning used`;
const FORGET = 'delete from civic.report_client_counts where window_start < $1::bigint';

/** Counts in an unlogged table, a row for each client and window. The first request of a window deletes old rows. */
export function createReportClientCounts(run: (statement: Statement) => Promise<readonly TextRow[]>): ClientCounts {
  let latest = 0;
  return {
    async take(client, { requests, seconds }, now) {
      const length = seconds * 1000;
      const start = now - (now % length);
      const rows = await run({ name: 'take_report_request', text: TAKE, values: [start, client, requests] });
      if (start > latest) {
        latest = start;
        // The previous window stays: the clock of another process may be slightly behind.
        await run({ text: FORGET, values: [start - length] });
      }
      return rows.length === 1 ? null : secondsUntil(start + length, now);
    },
  };
}
