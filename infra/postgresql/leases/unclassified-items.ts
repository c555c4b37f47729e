import type { UnclassifiedItems } from '../../../domain/ports/classifier.ts';
import type { Transactor } from '../../../domain/ports/database.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const ITEM = columnList({
  itemId: 'item_id',
  classifier: 'classifier',
  digest: 'digest',
  reason: 'reason',
  failedAt: 'failed_at',
});

export function createUnclassifiedItems(transactor: Transactor): UnclassifiedItems {
  const { run, all, first } = statementsIn(transactor);
  return {
    count: async () => (await first<{ count: number }>(sql`select count(*) from civic.unclassified_items`))!.count,
    list: () => all(sql`select ${ITEM} from civic.unclassified_items order by item_id`),
    async put(items) {
      await run(sql`insert into civic.unclassified_items (item_id, classifier, digest, reason, failed_at)
        select * from unnest(${items.map(({ itemId }) => itemId)}::uuid[], ${items.map(({ classifier }) => classifier)}::text[],
          ${items.map(({ digest }) => digest)}::text[], ${items.map(({ reason }) => reason.slice(0, 2000))}::text[],
          ${items.map(({ failedAt }) => failedAt)}::bigint[])
        on conflict (item_id) do update set classifier = excluded.classifier, digest = excluded.digest, reason = excluded.reason,
          failed_at = excluded.failed_at`);
    },
    async remove(itemIds) {
      await run(sql`delete from civic.unclassified_items where item_id = any (${[...itemIds]}::uuid[])`);
    },
  };
}
