import { z } from 'zod';
import type { Transactor } from '../../domain/ports/database.ts';
import type { ReportQueue } from '../../domain/ports/report-queue.ts';
import { executeAlone } from './execute.ts';

/** A statement that waited for the row sees every reservation made before it: the row holds the whole state. */
const RESERVE = `update civic.report_queue set reserved = reserved || jsonb_build_object($1::text, $2::bigint)
  where counted + (select count(*) from jsonb_object_keys(reserved)) < $3::bigint`;
const GIVE_BACK = 'update civic.report_queue set reserved = reserved - $1::text';
const COUNT = `update civic.report_queue set reserved = reserved - $1::text, counted = counted + 1, recounts = recounts + 1
  where reserved ? $1::text`;
const LOOK = 'select recounts::text, reserved::text from civic.report_queue';
const RECOUNT = `update civic.report_queue set counted = $1::bigint, reserved = reserved - $2::text[], recounts = recounts + 1
  where recounts = $3::bigint`;

const places = z.record(z.string(), z.number());

export function createReportQueue(transactor: Transactor): ReportQueue {
  const execute = executeAlone(transactor);
  return {
    async reserve({ reportId, until, limit }) {
      return (await execute(RESERVE, [reportId, until, limit])).count === 1;
    },
    async giveBack(reportId) {
      await execute(GIVE_BACK, [reportId]);
    },
    async count(reportId) {
      await execute(COUNT, [reportId]);
    },
    async look() {
      const { rows } = await execute(LOOK);
      const [recounts, reserved] = rows[0]!;
      return { recounts: Number(recounts), reserved: new Map(Object.entries(places.parse(JSON.parse(reserved!)))) };
    },
    async recount({ open, freed, seen }) {
      return (await execute(RECOUNT, [open, freed, seen.recounts])).count === 1;
    },
  };
}
