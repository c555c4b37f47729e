import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { sameRows } from '../same-rows.ts';
import { AUDITED, auditRow } from './audit-row.ts';
import { AUDIT, auditTable, createAuditTable } from './tables.ts';

async function fold(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const rows = batch.map(auditRow);
  await transaction.execute({
    text: `insert into ${auditTable(generation)} (account_id, position, at, action, subject, key_id, request_id)
      select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])`,
    values: [
      columns.uuids(rows.map(({ accountId }) => accountId)),
      columns.texts(rows.map(({ position }) => position)),
      columns.bigints(rows.map(({ at }) => at)),
      columns.texts(rows.map(({ action }) => action)),
      columns.texts(rows.map(({ subject }) => subject)),
      columns.texts(rows.map(({ keyId }) => keyId)),
      columns.texts(rows.map(({ requestId }) => requestId)),
    ],
  });
}

export const audit: Projection = {
  name: AUDIT,
  version: 1,
  handles: AUDITED,
  tables: (generation) => [auditTable(generation)],
  create: createAuditTable,
  positionColumns: (generation) => [{ table: auditTable(generation), column: 'position' }],
  fold,
  differences: (left, right) => [sameRows(auditTable(left), auditTable(right))],
};
