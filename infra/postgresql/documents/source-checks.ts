import type { Transactor } from '../../../domain/ports/database.ts';
import type { SourceCheck, SourceChecks } from '../../../domain/ports/source-checks.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const CHECK = columnList({
  sourceKey: 'source_key',
  sourceIds: 'source_ids::text[]',
  checkedAt: 'checked_at',
  failure: 'failure',
  failures: 'failures',
  reasons: 'reasons',
});

export function createSourceChecks(transactor: Transactor): SourceChecks {
  const { run, all } = statementsIn(transactor);
  return {
    list: () => all<SourceCheck>(sql`select ${CHECK} from civic.source_checks order by source_key`),
    async put({ sourceKey, sourceIds, checkedAt, failure, reasons }) {
      await run(sql`insert into civic.source_checks as c (source_key, source_ids, checked_at, failure, reasons, failures)
        values (${sourceKey}, ${[...sourceIds]}::uuid[], ${checkedAt}, ${failure}, ${JSON.stringify(reasons)}::jsonb,
          ${failure === null ? 0 : 1})
        on conflict (source_key) do update set source_ids = excluded.source_ids, checked_at = excluded.checked_at,
          failure = excluded.failure, reasons = excluded.reasons,
          failures = case when excluded.failure is null then 0 else c.failures + 1 end`);
    },
    async remove(sourceKey) {
      await run(sql`delete from civic.source_checks where source_key = ${sourceKey}`);
    },
  };
}
