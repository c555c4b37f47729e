import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../domain/durations.ts';
import {
  ASSET,
  leaseLeftMs,
  NETWORK,
  PAYMENT_STATES,
  paymentId,
  type PaymentState,
} from '../../domain/payments/payment.ts';
import type { PaymentLedger, PaymentMove, PaymentRow, Reservation } from '../../domain/ports/payments.ts';
import { openClientPool } from '../../infra/postgresql/connection/client-pool.ts';
import { createErasedCopies } from '../../infra/postgresql/log/erased-copies.ts';
import { createPaymentLedger } from '../../infra/postgresql/counters/payment-ledger.ts';
import { sha256 } from '../../src/edge/admission/payments/payment-terms.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { newNonce } from '../support/payments.ts';
import { rowsAsText } from '../support/rows-as-text.ts';

let database: TestDatabase;
let transactor: ReturnType<typeof openClientPool>;
let ledger: PaymentLedger;
beforeAll(async () => {
  database = await startTestDatabase();
  transactor = openClientPool({ dsn: database.url, purpose: 'test' }, 12);
  ledger = createPaymentLedger(transactor);
});
afterAll(async () => {
  await transactor.close();
  await database.close();
});

const NOW = Date.UTC(2026, 5, 1, 12);
const VALID_BEFORE = NOW + 120_000;
const sql = (text: string, values: readonly (string | number | null)[] = []) => rowsAsText(database.url, text, values);

function reservation(changes: Partial<Reservation> = {}): Reservation {
  const key = { network: NETWORK, asset: ASSET, payer: newNonce().slice(0, 42), nonce: newNonce(), ...changes };
  const { network, asset, payer, nonce } = key;
  return {
    network,
    asset,
    payer,
    nonce,
    paymentId: paymentId(key),
    accountId: randomUUID(),
    keyId: randomUUID(),
    tool: 'search_agenda',
    requestHash: sha256('request'),
    termsHash: sha256('terms'),
    priceVersion: 'v1',
    amount: '10',
    payTo: '0x'.padEnd(42, 'b'),
    validBefore: VALID_BEFORE,
    payload: '{"signature":"0x00"}',
    createdAt: NOW,
    factsAfter: -1,
    ...changes,
  };
}
const leaseAt = (now: number, owner: string = randomUUID()) => ({ owner, now, until: now + 15_000 });
/** Two inserts collide between two indexes of the table about twice in a round. */
const ROUNDS = 10;
const PLENTY = { perAccount: 10n ** 30n, ofAll: 10n ** 30n };
async function reserved(changes: Partial<Reservation> = {}): Promise<PaymentRow> {
  const outcome = await ledger.reserve(reservation(changes), leaseAt(NOW), PLENTY);
  if (outcome.kind !== 'reserved') throw new Error(outcome.kind);
  return outcome.row;
}
const RESULT = '{"results":["ü"]}';
const MOVES: Readonly<Record<Exclude<PaymentState, 'RESERVED'>, PaymentMove>> = {
  VERIFIED: { to: 'VERIFIED' },
  RESULT_SAVED: { to: 'RESULT_SAVED', result: RESULT, resultHash: sha256(RESULT) },
  SETTLING: { to: 'SETTLING', leaseUntil: NOW + 20_000 },
  SETTLED: { to: 'SETTLED', transaction: `0x${'c'.repeat(64)}`, receipt: '{}', settledAt: NOW },
  READ_FAILED: { to: 'READ_FAILED', cause: 'read_failed' },
  READ_EMPTY: { to: 'READ_EMPTY', cause: null },
  SETTLE_FAILED: { to: 'SETTLE_FAILED', cause: 'reverted', transaction: `0x${'d'.repeat(64)}` },
  LAPSED: { to: 'LAPSED', cause: 'valid_before_passed' },
  RECONCILE: { to: 'RECONCILE', cause: 'timeout', transaction: null, lookAt: NOW },
};
const PATHS: Readonly<Record<PaymentState, readonly Exclude<PaymentState, 'RESERVED'>[]>> = {
  RESERVED: [],
  VERIFIED: ['VERIFIED'],
  READ_FAILED: ['VERIFIED', 'READ_FAILED'],
  READ_EMPTY: ['VERIFIED', 'READ_EMPTY'],
  RESULT_SAVED: ['VERIFIED', 'RESULT_SAVED'],
  LAPSED: ['VERIFIED', 'RESULT_SAVED', 'LAPSED'],
  SETTLING: ['VERIFIED', 'RESULT_SAVED', 'SETTLING'],
  SETTLED: ['VERIFIED', 'RESULT_SAVED', 'SETTLING', 'SETTLED'],
  SETTLE_FAILED: ['VERIFIED', 'RESULT_SAVED', 'SETTLING', 'SETTLE_FAILED'],
  RECONCILE: ['VERIFIED', 'RESULT_SAVED', 'SETTLING', 'RECONCILE'],
};
const FOLLOWS: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  RESERVED: ['VERIFIED'],
  VERIFIED: ['RESULT_SAVED', 'READ_FAILED', 'READ_EMPTY'],
  RESULT_SAVED: ['SETTLING', 'LAPSED'],
  SETTLING: ['SETTLED', 'SETTLE_FAILED', 'RECONCILE'],
  RECONCILE: ['SETTLED', 'SETTLE_FAILED'],
  SETTLED: [],
  READ_FAILED: [],
  READ_EMPTY: [],
  SETTLE_FAILED: [],
  LAPSED: [],
};
const at = (state: PaymentState): number => (state === 'LAPSED' ? VALID_BEFORE : NOW + 1);
async function inState(state: PaymentState, changes: Partial<Reservation> = {}): Promise<PaymentRow> {
  let row = await reserved(changes);
  for (const to of PATHS[state]) row = (await ledger.move(row, MOVES[to], at(to)))!;
  expect(row.state).toBe(state);
  return row;
}

describe('the states', () => {
  test.each(PAYMENT_STATES)('from %s allow only the moves of the table, by any statement', async (from) => {
    for (const to of PAYMENT_STATES) {
      if (to === 'RESERVED' || to === from) continue;
      const row = await inState(from);
      if (FOLLOWS[from].includes(to)) {
        expect(await ledger.move(row, MOVES[to], at(to))).toMatchObject({ state: to });
        continue;
      }
      const moved = await ledger.move(row, MOVES[to], at(to)).catch((error: unknown) => error);
      if (moved !== null) expect((moved as Error).message).toMatch(/does not become|has ended|violates check/);
      await expect(
        sql('update civic.payments set state = $2 where payment_id = $1', [row.paymentId, to]),
      ).rejects.toThrow();
      expect(await ledger.get(row.paymentId)).toEqual(row);
    }
  });

  test('allow a delete only before the payment begins', async () => {
    for (const state of PAYMENT_STATES) {
      const row = await inState(state);
      if (state === 'RESERVED' || state === 'VERIFIED') expect(await ledger.forget(row)).toBe(true);
      else
        await expect(sql('delete from civic.payments where payment_id = $1', [row.paymentId])).rejects.toThrow(
          'never forgotten',
        );
    }
  });

  test('an ended row changes only in its delivery and in the removal of its result', async () => {
    const row = await inState('SETTLED');
    for (const change of [
      "tx_hash = '0x1'",
      'settled_at = 1',
      "cause = 'x'",
      'settle_attempts = 9',
      "result_hash = 'x'",
      'result = \'{"other":1}\'',
      'amount = 11',
      "payer = '0x0'",
      'valid_before = 1',
      "account_id = '00000000-0000-0000-0000-000000000000'",
    ]) {
      await expect(sql(`update civic.payments set ${change} where payment_id = $1`, [row.paymentId])).rejects.toThrow();
    }
    await ledger.markPublished(row.paymentId, 'verified');
    await ledger.markPublished(row.paymentId, 'outcome');
    await ledger.purgeResults(NOW + 1);
    expect(await ledger.get(row.paymentId)).toMatchObject({
      state: 'SETTLED',
      result: null,
      resultHash: sha256(RESULT),
      verifiedPublished: true,
      outcomePublished: true,
    });
  });

  test('the payload is deleted when it is no longer needed, and so is a result that is not sold', async () => {
    for (const state of PAYMENT_STATES) {
      const { payload, result } = await inState(state);
      expect(payload !== null).toBe(['RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING', 'RECONCILE'].includes(state));
      expect(result !== null).toBe(['RESULT_SAVED', 'SETTLING', 'RECONCILE', 'SETTLED'].includes(state));
    }
  });

  test('nothing is settled after its time or its lease, and nothing lapses before its time', async () => {
    const row = await inState('RESULT_SAVED');
    await expect(ledger.move(row, MOVES.LAPSED, VALID_BEFORE - 1)).rejects.toThrow('has not lapsed');
    expect(await ledger.move(row, MOVES.SETTLING, row.leaseUntil!)).toBeNull();
    const claimed = (await ledger.takeOver(row, leaseAt(VALID_BEFORE + 1)))!;
    await expect(
      ledger.move(claimed, { to: 'SETTLING', leaseUntil: VALID_BEFORE + 9_000 }, VALID_BEFORE + 2),
    ).rejects.toThrow('after it was valid');
  });

  test('a result has at most 16,384 bytes, however few characters they are', async () => {
    const row = await inState('VERIFIED');
    const fits = `"${'é'.repeat(8_191)}"`;
    const over = `"${'é'.repeat(8_191)}x"`;
    await expect(ledger.move(row, { to: 'RESULT_SAVED', result: over, resultHash: sha256(over) }, NOW)).rejects.toThrow(
      'payments_result_bytes',
    );
    expect(await ledger.move(row, { to: 'RESULT_SAVED', result: fits, resultHash: sha256(fits) }, NOW)).toMatchObject({
      result: fits,
    });
  });
});

describe('one holder', () => {
  test('moves a payment only from the state and the holder that it has read', async () => {
    const row = await reserved();
    expect(await ledger.move({ ...row, leaseOwner: randomUUID() }, MOVES.VERIFIED, NOW)).toBeNull();
    expect(await ledger.move({ ...row, state: 'VERIFIED' }, MOVES.READ_EMPTY, NOW)).toBeNull();
    expect(await ledger.move(row, MOVES.VERIFIED, NOW)).toMatchObject({ state: 'VERIFIED' });
    expect(await ledger.move(row, MOVES.VERIFIED, NOW)).toBeNull();
    expect(await ledger.forget(row)).toBe(false);
  });

  test('reserves a payment that twenty callers reserve at once; the other nineteen find it', async () => {
    const request = reservation();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ledger.reserve(request, leaseAt(NOW), PLENTY)));
    expect(outcomes.filter(({ kind }) => kind === 'reserved')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'found')).toHaveLength(19);
    const spent = await sql('select reserved from civic.payment_budgets where spender = $1', [request.accountId]);
    expect(spent).toEqual([['10']]);
  });

  test('of twenty callers takes over a dead lease, none a live one, and the old holder is refused', async () => {
    const row = await inState('VERIFIED');
    expect(await ledger.takeOver(row, leaseAt(row.leaseUntil! - 1))).toBeNull();
    const claims = await Promise.all(Array.from({ length: 20 }, () => ledger.takeOver(row, leaseAt(row.leaseUntil!))));
    expect(claims.filter((each) => each !== null)).toHaveLength(1);
    expect(await ledger.move(row, MOVES.READ_EMPTY, NOW)).toBeNull();
  });

  test('of twenty workers checks each payment of unknown outcome', async () => {
    const rows = await Promise.all(Array.from({ length: 8 }, () => inState('RECONCILE')));
    const claimed = await Promise.all(Array.from({ length: 20 }, () => ledger.claimUnknown(leaseAt(NOW + 100), 1)));
    const ids = claimed
      .flat()
      .map(({ paymentId: id }) => id)
      .filter((id) => rows.some((row) => row.paymentId === id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(await ledger.claimOne(rows[0]!.paymentId, leaseAt(NOW + 200))).toBeNull();
    expect(await ledger.claimOne(rows[0]!.paymentId, leaseAt(NOW + 100_000))).not.toBeNull();
  });

  test('continues each payment after the clock was set back by two hours, and waits for its holder for 30 s', async () => {
    const back = NOW - 2 * HOUR_MS;
    const waiting = async () => {
      const ids = async (rows: Promise<readonly PaymentRow[]>) => (await rows).map(({ paymentId: id }) => id);
      return {
        abandoned: await ids(ledger.abandoned(back, 1000)),
        unpublished: await ids(ledger.unpublished(back, 1000)),
        unknown: await ids(ledger.claimUnknown(leaseAt(back), 1000)),
      };
    };
    const verified = await inState('VERIFIED');
    const unknown = await inState('RECONCILE');
    const claimed = (await ledger.claimOne(unknown.paymentId, leaseAt(NOW)))!;
    expect(await ledger.takeOver(verified, leaseAt(NOW - 30_000))).toBeNull();
    expect(await ledger.claimOne(unknown.paymentId, leaseAt(NOW - 30_000))).toBeNull();
    expect(leaseLeftMs(claimed, NOW - 30_000)).toBe(45_000);
    expect(leaseLeftMs(claimed, back)).toBe(0);
    const waitingRows = await waiting();
    expect(waitingRows.abandoned).toContain(verified.paymentId);
    expect(waitingRows.unpublished).toContain(verified.paymentId);
    expect(waitingRows.unknown).toContain(unknown.paymentId);
    expect(await ledger.takeOver(verified, leaseAt(back))).not.toBeNull();
  });

  test('settles once under any lease, and a row that ended otherwise is unchanged', async () => {
    const settled = MOVES.SETTLED as Extract<PaymentMove, { to: 'SETTLED' }>;
    for (const state of ['SETTLING', 'RECONCILE'] as const) {
      const row = await inState(state);
      expect(await ledger.settledAfterAll(row.paymentId, settled, NOW)).toMatchObject({ state: 'SETTLED' });
      expect(await ledger.settledAfterAll(row.paymentId, settled, NOW)).toBeNull();
    }
    for (const state of ['RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLE_FAILED', 'READ_FAILED'] as const) {
      expect(await ledger.settledAfterAll((await inState(state)).paymentId, settled, NOW)).toBeNull();
    }
  });

  test('reserves when two calls reserve the same payment at once, and both get its row without an error', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const twice = Array.from({ length: 100 }, () => reservation()).flatMap((each) => [each, each]);
      const outcomes = await Promise.all(twice.map((each) => ledger.reserve(each, leaseAt(NOW), PLENTY)));
      const kinds = outcomes.map(({ kind }) => kind).toSorted();
      expect(kinds).toEqual([
        ...Array.from({ length: 100 }, () => 'found'),
        ...Array.from({ length: 100 }, () => 'reserved'),
      ]);
    }
  });

  test('is per payer, asset and network: the same nonce of another one is another row', async () => {
    const nonce = newNonce();
    for (const other of [
      {},
      { payer: '0x'.padEnd(42, '1') },
      { asset: '0x'.padEnd(42, '2') },
      { network: 'eip155:1' },
    ]) {
      expect(await reserved({ nonce, ...other })).toMatchObject({ nonce, ...other });
    }
    await expect(reserved({ payer: '0x'.padEnd(42, 'A') })).rejects.toThrow('payments_lower_case');
  });
});

describe('the budget', () => {
  test('is never exceeded by concurrent reservations, and a refused one stores nothing', async () => {
    const accountId = randomUUID();
    const budget = { perAccount: 95n, ofAll: 10n ** 30n };
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () => ledger.reserve(reservation({ accountId }), leaseAt(NOW), budget)),
    );
    expect(outcomes.filter(({ kind }) => kind === 'reserved')).toHaveLength(9);
    expect(outcomes.filter(({ kind }) => kind === 'budget_exceeded')).toHaveLength(21);
    expect(await sql('select count(*) from civic.payments where account_id = $1', [accountId])).toEqual([['9']]);
    expect(
      await ledger.reserve(reservation({ accountId, createdAt: NOW + 86_400_000 }), leaseAt(NOW), budget),
    ).toMatchObject({
      kind: 'reserved',
    });
  });

  test('of the whole service is shared by all accounts', async () => {
    const createdAt = Date.UTC(2031, 0, 1);
    const budget = { perAccount: 10n ** 30n, ofAll: 25n };
    const kinds = [];
    for (let use = 0; use < 3; use += 1)
      kinds.push((await ledger.reserve(reservation({ createdAt }), leaseAt(NOW), budget)).kind);
    expect(kinds).toEqual(['reserved', 'reserved', 'budget_exceeded']);
  });

  test('counts reserved, unknown and billed payments, and nothing that was not billed', async () => {
    for (const state of PAYMENT_STATES) {
      const { accountId } = await inState(state);
      const [[spent]] = (await sql('select reserved from civic.payment_budgets where spender = $1', [accountId])) as [
        [string],
      ];
      expect([state, spent]).toEqual([
        state,
        ['READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED'].includes(state) ? '0' : '10',
      ]);
    }
    const row = await reserved();
    expect(await ledger.forget(row)).toBe(true);
    expect(await sql('select reserved from civic.payment_budgets where spender = $1', [row.accountId])).toEqual([
      ['0'],
    ]);
  });

  test('equals the sum over the rows that are or may be billed', async () => {
    const sums =
      await sql(`select b.reserved = coalesce((select sum(p.amount) from civic.payments p where p.budget_day = b.day
      and (b.spender = 'service' or p.account_id::text = b.spender) and p.state not in ('READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED')), 0)
      from civic.payment_budgets b`);
    expect(sums.length).toBeGreaterThan(20);
    expect(sums.flat().filter((same) => same !== 't')).toEqual([]);
  });
});

test('the payments shown to operators contain no payload, result, receipt or lease holder', async () => {
  await inState('RECONCILE');
  for (const payment of await ledger.list({ state: null, limit: 1_000 })) {
    expect(
      Object.keys(payment).filter((name) => ['payload', 'result', 'receipt', 'leaseOwner'].includes(name)),
    ).toEqual([]);
  }
  expect((await ledger.list({ state: 'RECONCILE', limit: 2 })).map(({ state }) => state)).toEqual([
    'RECONCILE',
    'RECONCILE',
  ]);
});

describe('an erasure', () => {
  test('removes the results saved before it, waits for running calls, and keeps later and paid results', async () => {
    const traces = createErasedCopies(transactor, database.url);
    // Long before the rows of other tests.
    const createdAt = NOW - 1_000_000;
    const clear = () => traces.clear([], createdAt);
    expect(await clear()).toBe(0);
    const before = await inState('SETTLED', { createdAt });
    const later = await inState('SETTLED', { createdAt: createdAt + 1 });
    const underWay = await Promise.all(
      (['RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING', 'RECONCILE'] as const).map((state) =>
        inState(state, { createdAt }),
      ),
    );
    for (const ended of ['READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED'] as const)
      await inState(ended, { createdAt });
    expect(await clear()).toBe(underWay.length);
    expect(await ledger.get(before.paymentId)).toEqual({ ...before, result: null });
    expect(await ledger.get(later.paymentId)).toEqual(later);
    for (const row of underWay) {
      const rest = PATHS.SETTLED.slice(PATHS.SETTLED.indexOf(row.state as 'SETTLING') + 1);
      let ending: PaymentRow = row;
      for (const to of row.state === 'RECONCILE' ? (['SETTLED'] as const) : rest)
        ending = (await ledger.move(ending, MOVES[to], NOW + 1))!;
      expect(ending.state).toBe('SETTLED');
    }
    expect(await clear()).toBe(0);
    for (const { paymentId } of underWay)
      expect(await ledger.get(paymentId)).toMatchObject({ state: 'SETTLED', result: null });
  });
});
