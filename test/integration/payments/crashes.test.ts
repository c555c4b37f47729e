import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withNightly } from '../../support/test-runs.ts';
import { chainLookup } from '../../../infra/x402/chain-lookup.ts';
import type { Payments } from '../../../src/edge/admission/payments/pay-for-read.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';
import { type Death, mortal } from '../../support/payment-crashes.ts';
import { afterwards, expectAgreement, facilitatorOfShop, paidOnChain, work } from '../../support/payment-recovery.ts';
import { openTestPayments, readsNothing, type SentPayment, type TestPayments } from '../../support/payments.ts';
import type { ChainFault } from '../../support/x402-chain.ts';
import { type LocalNode, startLocalNode } from '../../support/x402-rpc.ts';

let database: TestDatabase;
let shop: TestPayments;
let node: LocalNode;
let survivor: Payments;
beforeAll(async () => {
  database = await startTestDatabase();
  shop = await openTestPayments(database.url);
  node = await startLocalNode(shop.facilitator.chain);
  survivor = shop.open();
});
afterAll(async () => {
  await shop.close();
  await node.close();
  await database.close();
});

async function life(
  death: Death | null,
): Promise<{ readonly payment: SentPayment; readonly commits: number; readonly dead: boolean }> {
  const payment = await shop.payer.pay(await shop.challenge());
  const parts = mortal({ ledger: shop.ledger, log: shop.civic.log, facilitator: facilitatorOfShop(shop) }, death);
  const payments = shop.open(parts);
  await payments.payForRead(shop.call(payment));
  await payments.end();
  return { payment, commits: parts.commits(), dead: parts.dead() };
}

/** Every commit of a payment, for each mode of the chain. */
const FAULTS = withNightly<ChainFault | null>([null, 'lost'], ['pending_once', 'revert']);

describe.each(FAULTS)('with the chain in the mode %s', (fault) => {
  test('a crash before or after any commit leaves money and data consistent, also an unknown outcome', async () => {
    shop.facilitator.chain.fault = fault;
    const { commits } = await life(null);
    expect(commits).toBeGreaterThanOrEqual(fault === null ? 8 : 5);
    const ends = new Map<string, string>();
    for (let commit = 1; commit <= commits; commit += 1) {
      for (const when of ['before', 'after'] as const) {
        shop.facilitator.chain.fault = fault;
        const { payment, dead } = await life({ commit, when });
        expect(dead).toBe(true);
        shop.facilitator.chain.fault = null;
        await afterwards(shop, survivor, payment, { chain: chainLookup(node.url, 2_000) });
        // Advances past the last time at which the chain accepts it.
        shop.clock.advance(300_000);
        await work(shop, { chain: chainLookup(node.url, 2_000) });
        const row = await expectAgreement(shop, survivor, payment);
        ends.set(`${commit} ${when}`, row?.state ?? 'nothing');
        shop.clock.offset = 0;
      }
    }
    // No outcome is unknown after the chain was queried, and a payment that had not begun can be sent again.
    expect([...ends.values()]).not.toContain('RECONCILE');
    expect(ends.get('1 before')).toBe('SETTLED');
    if (fault === null)
      expect([...ends.values()].filter((end) => end !== 'SETTLED' && end !== 'SETTLE_FAILED')).toEqual([]);
  });

  test('without a node the facilitator is queried again, and an unknown outcome stays for an operator', async () => {
    shop.facilitator.chain.fault = fault;
    const { commits } = await life(null);
    for (let commit = 1; commit <= commits; commit += 1) {
      for (const when of ['before', 'after'] as const) {
        shop.facilitator.chain.fault = fault;
        const { payment } = await life({ commit, when });
        shop.facilitator.chain.fault = null;
        await afterwards(shop, survivor, payment);
        const row = await expectAgreement(shop, survivor, payment);
        // Unknown only if money moved and the answer was lost, or if the refusal proves nothing.
        if (row?.state === 'RECONCILE' && fault === null) expect(paidOnChain(shop, payment)).toBe(1);
        shop.clock.offset = 0;
      }
    }
  });
});

test('a read that fails or finds nothing moves no money, at any place of a crash', async () => {
  for (const read of [readsNothing, () => Promise.reject(new Error('the index is gone'))]) {
    shop.read = read;
    const { commits } = await life(null);
    for (let commit = 1; commit <= commits; commit += 1) {
      for (const when of ['before', 'after'] as const) {
        const { payment } = await life({ commit, when });
        await afterwards(shop, survivor, payment);
        const row = await expectAgreement(shop, survivor, payment);
        expect(paidOnChain(shop, payment)).toBe(0);
        expect(['READ_EMPTY', 'READ_FAILED']).toContain(row?.state);
        shop.clock.offset = 0;
      }
    }
  }
});
