import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkingRows } from '../../../infra/postgresql/installation/working-rows.ts';
import type { PaymentAnswer } from '../../../src/edge/admission/payments/paid-call.ts';
import { SAVED_TABLES } from '../../../domain/ports/stores.ts';
import { openTestCivic, type TestCivic } from '../../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';
import { PaymentWorld } from '../../support/payment-world.ts';

/** An installation that sells, and one restored from its saved rows while the chain continues. */
const databases: TestDatabase[] = [];
let original: TestCivic;
let restored: TestCivic;

beforeAll(async () => {
  for (let nth = 0; nth < 2; nth += 1) databases.push(await startTestDatabase());
  original = await openTestCivic(databases[0]!.url);
  restored = await openTestCivic(databases[1]!.url);
});
afterAll(async () => {
  await original?.close();
  await restored?.close();
  for (const database of databases) await database.close();
});

async function refusal(request: Promise<PaymentAnswer>): Promise<string> {
  const answer = await request;
  if (answer.kind !== 'error') throw new Error(`answered: ${JSON.stringify(answer)}`);
  return answer.code;
}

test('what was paid before a backup is answered and never paid again; later payments are reconciled', async () => {
  const world = new PaymentWorld(original);
  const [settled, failed, lostPayment, later] = [1, 2, 3, 4];
  const first = await world.ask(settled);
  world.readMode = 'fails';
  expect(await refusal(world.ask(failed))).toBe('read_failed');
  world.readMode = 'data';
  world.settleMode = 'lost';
  expect(await refusal(world.ask(lostPayment))).toBe('payment_reconciliation_required');
  world.settleMode = 'later';
  await refusal(world.ask(later));

  const from = createWorkingRows(original.database.transactor);
  const to = createWorkingRows(restored.database.transactor);
  for (let times = 0; times < 2; times += 1) {
    for (const table of SAVED_TABLES)
      await to.put(
        table,
        (await from.page(table, null, 100)).map(({ text }) => text),
      );
    await to.finish({ trialClock: null, reactors: [], logId: (await restored.log.identity())! });
  }
  const [budgets, again] = await Promise.all(
    [original, restored].map((civic) =>
      civic.rows('select day::text, spender, reserved::text from civic.payment_budgets order by 1, 2'),
    ),
  );
  expect(again).toEqual(budgets);

  // Events after the backup: the chain accepts the sent payment, and another payment is made.
  world.settleMode = 'ok';
  world.land();
  const [unknown] = [5];
  expect(await world.ask(unknown)).toMatchObject({ kind: 'paid' });
  const moved = world.moved.size;
  const here = world.around(restored);

  expect(await here.ask(settled)).toEqual(first);
  expect(await refusal(here.ask(failed))).toBe('payment_previous_read_failure');
  for (const nth of [lostPayment, later]) expect(await refusal(here.ask(nth))).toBe('payment_reconciliation_required');
  expect(await refusal(here.ask(unknown))).toBe('payment_authorization_invalid');
  await here.work(true);
  for (const nth of [lostPayment, later]) expect(await here.ask(nth)).toMatchObject({ kind: 'paid' });
  expect(await refusal(here.ask(unknown))).toBe('payment_authorization_invalid');
  expect(world.moved.size).toBe(moved);
});

test('the tables beside the log have the columns of archives of this format', async () => {
  const columns = async (table: string) =>
    (
      await original.rows(`select string_agg(column_name || ' ' || data_type, ', ' order by ordinal_position) from information_schema.columns
      where table_schema = 'civic' and table_name = '${table}'`)
    )[0]![0];
  expect([
    await columns('payments'),
    await columns('payment_wallets'),
    await columns('inlet_parts'),
  ]).toMatchInlineSnapshot(`
    [
      "payment_id uuid, network text, asset text, payer text, nonce text, account_id uuid, key_id uuid, tool text, request_hash text, terms_hash text, price_version text, amount numeric, pay_to text, valid_before bigint, budget_day date, state text, lease_owner uuid, lease_until bigint, payload text, result text, result_hash text, cause text, tx_hash text, receipt text, settle_attempts integer, look_at bigint, created_at bigint, updated_at bigint, settled_at bigint, facts_after bigint, verified_told boolean, outcome_told boolean",
      "network text, payer text, account_id uuid, barred boolean, changed_at bigint",
      "topic text, partition integer, token bigint, next_offset bigint, command_id uuid, claim_to bigint, revisions jsonb",
    ]
  `);
});
