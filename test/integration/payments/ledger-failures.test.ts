import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';
import { openWithFailing, openWithFailingMove } from '../../support/failing-ledger.ts';
import { mortal } from '../../support/payment-crashes.ts';
import { facilitatorOfShop, paidOnChain, rowOf, work } from '../../support/payment-recovery.ts';
import { openTestPayments, type SentPayment, type TestPayments } from '../../support/payments.ts';

let database: TestDatabase;
let shop: TestPayments;
beforeAll(async () => {
  database = await startTestDatabase();
  shop = await openTestPayments(database.url);
});
afterAll(async () => {
  await shop.close();
  await database.close();
});
afterEach(() => {
  shop.clock.offset = 0;
  shop.facilitator.chain.fault = null;
});
const signed = async (): Promise<SentPayment> => shop.payer.pay(await shop.challenge());

test('without the ledger nothing is verified, read or settled, wherever it fails', async () => {
  for (const [method, when] of [
    ['find', 'before'],
    ['reserve', 'before'],
    ['reserve', 'after'],
  ] as const) {
    const payment = await signed();
    const asked = shop.facilitator.asked.verify.length;
    expect(await openWithFailing(shop, method, when).payForRead(shop.call(payment))).toMatchObject({ code: 'payment_ledger_unavailable' });
    expect(shop.facilitator.asked.verify).toHaveLength(asked);
    expect(paidOnChain(shop, payment)).toBe(0);
  }
});

test.each([
  ['VERIFIED', 'payment_ledger_unavailable', 'RESERVED'],
  ['RESULT_SAVED', 'read_result_not_saved', 'READ_FAILED'],
  ['SETTLING', 'payment_reconciliation_required', 'RESULT_SAVED'],
])('a ledger that fails at the move to %s is answered %s, nothing is settled, and the row is %s', async (to, code, state) => {
  const payment = await signed();
  const settles = shop.facilitator.asked.settle.length;
  expect(await openWithFailingMove(shop, to).payForRead(shop.call(payment))).toMatchObject({ code });
  expect(await rowOf(shop, payment)).toMatchObject({ state });
  expect(shop.facilitator.asked.settle).toHaveLength(settles);
});

test('the same process writes a missing receipt of a settled payment when the store is back', async () => {
  const payment = await signed();
  const payments = openWithFailingMove(shop, 'SETTLED', 2);
  expect(await payments.payForRead(shop.call(payment))).toMatchObject({ code: 'payment_receipt_unavailable' });
  expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLING' });
  await payments.end();
  expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED' });
  expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
  expect(shop.facilitator.chain.broadcasts).toBe(shop.facilitator.chain.transfers.length);
  expect(paidOnChain(shop, payment)).toBe(1);
});

test('a refusal to settle that could not be written is not final: the outcome stays unknown', async () => {
  const payment = await signed();
  shop.facilitator.chain.fault = 'revert';
  expect(await openWithFailingMove(shop, 'SETTLE_FAILED').payForRead(shop.call(payment))).toMatchObject({
    code: 'payment_reconciliation_required',
  });
  shop.facilitator.chain.fault = null;
  shop.clock.advance(16_000);
  await work(shop);
  expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
  expect(paidOnChain(shop, payment)).toBe(1);
});

test('a process that dies answers no request, and its commits are counted', async () => {
  const parts = mortal({ ledger: shop.ledger, log: shop.civic.log, facilitator: facilitatorOfShop(shop) }, { commit: 1, when: 'before' });
  expect(await shop.open(parts).payForRead(shop.call(await signed()))).toMatchObject({ code: 'payment_ledger_unavailable' });
  expect(parts.dead()).toBe(true);
});

test('an interrupted settlement is not repeated by the payer before its outcome is known', async () => {
  const payment = await signed();
  const parts = mortal({ ledger: shop.ledger, log: shop.civic.log, facilitator: facilitatorOfShop(shop) }, { commit: 4, when: 'after' });
  const died = shop.open(parts);
  await died.payForRead(shop.call(payment));
  await died.end();
  expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLING' });
  const asked = [shop.facilitator.asked.verify.length, shop.facilitator.asked.settle.length];
  expect(await shop.ask(payment)).toMatchObject({ code: 'payment_in_progress' });
  shop.clock.advance(16_000);
  expect(await shop.ask(payment)).toMatchObject({ code: 'payment_reconciliation_required' });
  expect([shop.facilitator.asked.verify.length, shop.facilitator.asked.settle.length]).toEqual(asked);
});
