import type { Transactor } from '../../../domain/ports/database.ts';
import type { SavedTable, WorkingRows } from '../../../domain/ports/stores.ts';
import { sql, statementsIn } from '../connection/statements.ts';

const PAGES: Readonly<Record<SavedTable, string>> = {
  payments: `select payment_id::text as key, row_to_json(p)::text as text from civic.payments p
    where state not in ('RESERVED', 'VERIFIED') and ($1::uuid is null or payment_id > $1::uuid)
    order by payment_id limit $2`,
  wallets: `select network || ' ' || payer as key, row_to_json(w)::text as text from civic.payment_wallets w
    where $1::text is null or (network || ' ' || payer) collate "C" > $1::text
    order by (network || ' ' || payer) collate "C" limit $2`,
  inlet: `select topic || ' ' || partition as key, row_to_json(i)::text as text from civic.inlet_parts i
    where $1::text is null or (topic || ' ' || partition) collate "C" > $1::text
    order by (topic || ' ' || partition) collate "C" limit $2`,
  unclassified: `select item_id::text as key, row_to_json(u)::text as text from civic.unclassified_items u
    where $1::uuid is null or item_id > $1::uuid order by item_id limit $2`,
  texts: `select sha256 as key, row_to_json(t)::text as text from civic.document_texts t
    where $1::text is null or sha256 > $1::text order by sha256 limit $2`,
  addresses: `select address as key, row_to_json(a)::text as text from civic.document_addresses a
    where $1::text is null or address > $1::text order by address limit $2`,
};

/**
 * Statements that restore saved rows. A payment in flight needs reconciliation: it might have been settled after the
 * backup.
 */
const PUT: Readonly<Record<SavedTable, string>> = {
  payments: `insert into civic.payments
    select restored.* from json_populate_recordset(null::civic.payments, $1::json) saved,
      lateral json_populate_record(saved,
        case when saved.state in ('RESULT_SAVED', 'SETTLING', 'RECONCILE') then json_build_object(
          'state', 'RECONCILE', 'cause', 'restored_while_in_flight',
          'settle_attempts', greatest(1, saved.settle_attempts),
          'lease_owner', null, 'lease_until', null, 'look_at', 0) else '{}'::json end) restored
    on conflict do nothing`,
  wallets: `insert into civic.payment_wallets
    select * from json_populate_recordset(null::civic.payment_wallets, $1::json) on conflict do nothing`,
  inlet: `insert into civic.inlet_parts
    select * from json_populate_recordset(null::civic.inlet_parts, $1::json) on conflict do nothing`,
  unclassified: `insert into civic.unclassified_items
    select * from json_populate_recordset(null::civic.unclassified_items, $1::json) on conflict do nothing`,
  texts: `insert into civic.document_texts
    select * from json_populate_recordset(null::civic.document_texts, $1::json) on conflict do nothing`,
  // The version of an address can be stored after the page of the texts.
  addresses: `insert into civic.document_addresses
    select saved.* from json_populate_recordset(null::civic.document_addresses, $1::json) saved
    join civic.document_texts using (sha256) on conflict do nothing`,
};

const OCCUPIED = sql`select case
  when exists (select from civic.generations where log_id is not null) then 'read models of a log'
  when exists (select from civic.processors where log_id is not null) then 'checkpoints of reactors'
  when exists (select from civic.payments) then 'payments'
  when exists (select from civic.inlet_parts) then 'offsets of topics of record changes' end as what`;

export function createWorkingRows(transactor: Transactor): WorkingRows {
  const { run, all, first } = statementsIn(transactor);
  return {
    page: (table, after, limit) => all({ text: PAGES[table], values: [after, limit] }),
    trialClock: () => first(sql`select started_at as "startedAt", offset_ms as "offsetMs" from civic.trial_clock`),
    reactors: () => all(sql`select name, checkpoint from civic.processors where due_at is null order by name`),
    occupiedBy: async () => (await first<{ what: string | null }>(OCCUPIED))?.what ?? null,
    async put(table, saved) {
      if (saved.length > 0) await run({ text: PUT[table], values: [`[${saved.join(',')}]`] });
    },
    finish: ({ trialClock, reactors, logId }) =>
      transactor.transaction(async (transaction) => {
        await transaction.query(sql`insert into civic.payment_budgets (day, spender, reserved)
          select budget_day, spender, sum(amount) from (
            select budget_day, unnest(array[account_id::text, 'service']) as spender, amount from civic.payments
            where state not in ('READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED')
          ) spent group by budget_day, spender
          on conflict (day, spender) do update set reserved = excluded.reserved`);
        for (const { name, checkpoint } of reactors) {
          await transaction.query(sql`insert into civic.processors (name, log_id, checkpoint)
            values (${name}, ${logId}::uuid, ${checkpoint})
            on conflict (name) do update
              set log_id = excluded.log_id, checkpoint = excluded.checkpoint, last_event = null`);
        }
        if (trialClock === null) return;
        await transaction.query(sql`insert into civic.trial_clock (started_at, offset_ms)
          values (${trialClock.startedAt}, ${trialClock.offsetMs})
          on conflict (singleton) do update set started_at = excluded.started_at, offset_ms = excluded.offset_ms`);
      }),
  };
}
