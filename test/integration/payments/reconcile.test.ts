import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chainLookup } from '../../../infra/x402/chain-lookup.ts';
import { systemClock } from '../../../infra/system/clock.ts';
import { NotResolved, resolveByHand } from '../../../src/processors/reactors/payments/reconcile-payments.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';
import {
  expectAgreement,
  facilitatorOfShop,
  keyOf,
  paidOnChain,
  rowOf,
  work,
  workerParts,
} from '../../support/payment-recovery.ts';
import { openTestPayments, type SentPayment, type TestPayments, TOOL_DATA } from '../../support/payments.ts';
import { type LocalNode, startLocalNode } from '../../support/x402-rpc.ts';

let database: TestDatabase;
let shop: TestPayments;
let node: LocalNode;
beforeAll(async () => {
  database = await startTestDatabase();
  shop = await openTestPayments(database.url);
  node = await startLocalNode(shop.facilitator.chain);
});
afterAll(async () => {
  await shop.close();
  await node.close();
  await database.close();
});
afterEach(() => {
  shop.clock.offset = 0;
  node.down = false;
  shop.facilitator.chain.fault = null;
  shop.read = async () => JSON.stringify(TOOL_DATA);
  Object.assign(shop.facilitator.faults, { verify: null, settle: null });
});
const chain = () => chainLookup(node.url, 20_000);
const signed = async (): Promise<SentPayment> => shop.payer.pay(await shop.challenge());
/** A payment of unknown outcome; `paid` is the actual outcome. */
async function unknown(paid: boolean): Promise<SentPayment> {
  const payment = await signed();
  shop.facilitator.faults.settle = paid ? 'done_then_500' : 'http_500';
  expect(await shop.ask(payment)).toMatchObject({ code: 'payment_reconciliation_required' });
  shop.facilitator.faults.settle = null;
  expect(paidOnChain(shop, payment)).toBe(paid ? 1 : 0);
  return payment;
}
const txOf = (payment: SentPayment) =>
  shop.facilitator.chain.paid(payment.payload.authorization.from!, payment.payload.authorization.nonce!)[0]!.hash;
const OVER_MS = 120_000 + 120_000 + 60_000;

describe('a payment of unknown outcome', () => {
  test('that was settled is found on the chain, recorded once, and returned for the same payment', async () => {
    const payment = await unknown(true);
    shop.clock.advance(6_000);
    await work(shop, { chain: chain() });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED', transaction: txOf(payment) });
    shop.clock.advance(6_000);
    await work(shop, { chain: chain() });
    await expectAgreement(shop, shop.open(), payment);
    // Only the possible blocks were searched.
    expect(Math.max(...node.searched.map(Number))).toBeLessThan(3_000);
  });

  test('that was not settled stays unknown until the chain can no longer accept it, and then fails', async () => {
    const payment = await unknown(false);
    for (const ahead of [6_000, 60_000, 120_000]) {
      shop.clock.offset = ahead;
      await work(shop, { chain: chain() });
      expect(await rowOf(shop, payment)).toMatchObject({ state: 'RECONCILE' });
    }
    shop.clock.offset = OVER_MS;
    await work(shop, { chain: chain() });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLE_FAILED', cause: 'never_settled_on_chain' });
    expect(await shop.ask(payment)).toMatchObject({ code: 'payment_previous_settlement_failure' });
    await work(shop, { chain: chain() });
    await expectAgreement(shop, shop.open(), payment);
  });

  test('whose nonce the payer has cancelled, or spent on another payment, has failed', async () => {
    const cancelled = await unknown(false);
    const { payer, nonce } = keyOf(cancelled);
    shop.facilitator.chain.used.add(`${payer} ${nonce}`);
    shop.facilitator.chain.canceled.add(`${payer} ${nonce}`);
    const elsewhere = await unknown(false);
    const other = keyOf(elsewhere);
    shop.facilitator.chain.used.add(`${other.payer} ${other.nonce}`);
    shop.facilitator.chain.transfers.push({
      from: other.payer,
      to: `0x${'7'.repeat(40)}`,
      value: 10_000n,
      nonce: other.nonce,
      hash: `0x${'5'.repeat(64)}`,
      status: 'success',
    });
    shop.clock.advance(6_000);
    await work(shop, { chain: chain() });
    for (const payment of [cancelled, elsewhere]) {
      expect(await rowOf(shop, payment)).toMatchObject({
        state: 'SETTLE_FAILED',
        cause: 'authorization_used_otherwise',
      });
    }
    shop.facilitator.chain.transfers.pop();
  });

  test('is unchanged while the chain is unreachable or does not show what used the nonce', async () => {
    const payment = await unknown(true);
    node.down = true;
    shop.clock.offset = OVER_MS;
    await work(shop, { chain: chain() });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'RECONCILE', cause: 'chain_unavailable' });
    node.down = false;
    const [transfer] = shop.facilitator.chain.transfers.splice(-1);
    shop.clock.advance(3_600_000);
    await work(shop, { chain: chain() });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'RECONCILE' });
    shop.facilitator.chain.transfers.push(transfer!);
    shop.clock.advance(3_600_000);
    await work(shop, { chain: chain() });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED' });
  });

  test.each([
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_insufficient_balance',
    'unrecognised',
  ])('that was settled does not fail because the facilitator later refuses it as %s', async (reason) => {
    const payment = await unknown(true);
    shop.clock.offset = OVER_MS;
    await work(shop, {
      facilitator: { ...facilitatorOfShop(shop), settle: async () => ({ kind: 'refused', reason, transaction: null }) },
    });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'RECONCILE', cause: reason, settleAttempts: 2 });
    expect(await shop.ask(payment)).toMatchObject({ code: 'payment_reconciliation_required' });
    shop.clock.advance(3_600_000);
    await work(shop, { chain: chain() });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED' });
  });

  test('is retried at the facilitator at growing intervals, until it succeeds', async () => {
    const payment = await unknown(false);
    shop.facilitator.chain.balances.set(shop.payer.address, 0n);
    const countSettles = () => shop.facilitator.asked.settle.length;
    const before = countSettles();
    for (let seconds = 0; seconds < 600; seconds += 5) {
      shop.clock.advance(5_000);
      await work(shop);
    }
    const row = await rowOf(shop, payment);
    expect(row).toMatchObject({ state: 'RECONCILE', settleAttempts: countSettles() - before + 1 });
    expect(countSettles() - before).toBeGreaterThanOrEqual(4);
    expect(countSettles() - before).toBeLessThanOrEqual(8);
    shop.facilitator.chain.balances.set(shop.payer.address, 1_000_000_000n);
    shop.clock.advance(3_600_000);
    await work(shop);
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED' });
    shop.clock.advance(6_000);
    await work(shop);
    await expectAgreement(shop, shop.open(), payment);
  });

  test('is processed by one of many workers at a time', async () => {
    await unknown(false);
    shop.clock.advance(6_000);
    let together = 0;
    let most = 0;
    const facilitator = {
      ...facilitatorOfShop(shop),
      settle: async () => {
        together += 1;
        most = Math.max(most, together);
        await systemClock.sleep(20);
        together -= 1;
        return { kind: 'unknown', reason: 'timeout', transaction: null } as const;
      },
    };
    await Promise.all(Array.from({ length: 8 }, () => work(shop, { facilitator })));
    expect(most).toBe(1);
  });
});

describe('the worker', () => {
  test('ends interrupted work: unstarted payments are dropped, saved results expire, events are appended', async () => {
    const leaveIn = async (state: string): Promise<SentPayment> => {
      const payment = await signed();
      const going = new AbortController();
      const stop = (): void => going.abort();
      const facilitator = {
        ...facilitatorOfShop(shop),
        verify: async (sent: never) => {
          if (state === 'RESERVED') stop();
          return facilitatorOfShop(shop).verify(sent);
        },
      };
      const ledger = {
        ...shop.ledger,
        move: async (...args: Parameters<typeof shop.ledger.move>) => {
          const row = await shop.ledger.move(...args);
          if (row?.state === state) stop();
          return row;
        },
      };
      const payments = shop.open({ facilitator, ledger });
      await payments.payForRead(shop.call(payment, { signal: going.signal }));
      await payments.end();
      expect(await rowOf(shop, payment)).toMatchObject({ state });
      return payment;
    };
    const [reserved, verified, saved] = [
      await leaveIn('RESERVED'),
      await leaveIn('VERIFIED'),
      await leaveIn('RESULT_SAVED'),
    ];
    await work(shop);
    for (const payment of [reserved, verified, saved]) expect(await rowOf(shop, payment)).not.toBeNull();
    shop.clock.advance(16_000);
    await work(shop);
    expect(await rowOf(shop, reserved)).toBeNull();
    expect(await rowOf(shop, verified)).toBeNull();
    expect(await rowOf(shop, saved)).toMatchObject({ state: 'RESULT_SAVED' });
    shop.clock.advance(120_000);
    await work(shop);
    expect(await rowOf(shop, saved)).toMatchObject({ state: 'LAPSED', payload: null, result: null });
    expect(await shop.ask(saved)).toMatchObject({ code: 'payment_expired' });
    for (const payment of [reserved, verified, saved]) expect(paidOnChain(shop, payment)).toBe(0);
    shop.clock.advance(6_000);
    await work(shop);
    expect(await rowOf(shop, saved)).toMatchObject({ verifiedPublished: true, outcomePublished: true });
  });

  test('appends the events that the log missed once, in the order in which they happened', async () => {
    const payment = await signed();
    const log = {
      ...shop.civic.log,
      append: () => Promise.reject(new Error('the log is gone')),
      readLast: shop.civic.log.readLast.bind(shop.civic.log),
      readStream: shop.civic.log.readStream.bind(shop.civic.log),
    };
    expect(await shop.open({ log }).payForRead(shop.call(payment))).toMatchObject({ kind: 'paid' });
    const id = (await rowOf(shop, payment))!.paymentId;
    const eventTypes = async () =>
      (await shop.facts()).filter(({ data }) => data.paymentId === id).map(({ type }) => type);
    expect(await eventTypes()).toEqual([]);
    shop.clock.advance(6_000);
    await Promise.all([work(shop), work(shop), work(shop)]);
    expect(await eventTypes()).toEqual(['AccountPaymentVerified', 'AccountPaymentSettled']);
    expect(await rowOf(shop, payment)).toMatchObject({ verifiedPublished: true, outcomePublished: true });
  });

  test('removes results a month after payment, and never the rows', async () => {
    const payment = await signed();
    await shop.ask(payment);
    shop.clock.advance(29 * 86_400_000);
    await work(shop);
    expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
    shop.clock.advance(2 * 86_400_000);
    await work(shop);
    expect(await shop.ask(payment)).toMatchObject({ code: 'payment_receipt_unavailable' });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED', transaction: txOf(payment) });
  });

  test('continues with the other payments when one fails', async () => {
    const [bad, good] = [await unknown(false), await unknown(false)];
    const { paymentId } = (await rowOf(shop, bad))!;
    const ledger = {
      ...shop.ledger,
      attempt: async (...args: Parameters<typeof shop.ledger.attempt>) => {
        if (args[0].paymentId === paymentId) throw new Error('this row is cursed');
        return shop.ledger.attempt(...args);
      },
    };
    shop.clock.advance(6_000);
    await work(shop, { ledger });
    expect(await rowOf(shop, bad)).toMatchObject({ state: 'RECONCILE' });
    expect(await rowOf(shop, good)).toMatchObject({ state: 'SETTLED' });
  });
});

describe('a decision of an operator', () => {
  test('settles a payment of unknown outcome with the transaction seen, and the payer gets the data', async () => {
    const payment = await unknown(true);
    const { paymentId } = (await rowOf(shop, payment))!;
    const row = await resolveByHand(workerParts(shop), paymentId, { settled: txOf(payment) });
    expect(row).toMatchObject({ state: 'SETTLED', transaction: txOf(payment) });
    expect(await shop.ask(payment)).toMatchObject({ kind: 'paid', receipt: { transaction: txOf(payment) } });
    await expectAgreement(shop, shop.open(), payment);
    await expect(resolveByHand(workerParts(shop), paymentId, { failed: 'changed my mind' })).rejects.toThrow(
      NotResolved,
    );
  });

  test('that it failed is refused while the chain can still accept it', async () => {
    const payment = await unknown(false);
    const { paymentId } = (await rowOf(shop, payment))!;
    shop.clock.advance(120_000);
    await expect(resolveByHand(workerParts(shop), paymentId, { failed: 'not on the chain' })).rejects.toThrow(
      'may still take this payment',
    );
    shop.clock.advance(OVER_MS);
    expect(await resolveByHand(workerParts(shop), paymentId, { failed: 'not on the chain' })).toMatchObject({
      state: 'SETTLE_FAILED',
      cause: 'not on the chain',
    });
    await expectAgreement(shop, shop.open(), payment);
  });

  test('is refused for a payment in work by another process, in another state, or unknown', async () => {
    const payment = await unknown(false);
    const { paymentId } = (await rowOf(shop, payment))!;
    const now = shop.clock.now();
    await shop.ledger.claimOne(paymentId, { owner: '00000000-0000-4000-8000-000000000001', now, until: now + 15_000 });
    const hash = `0x${'4'.repeat(64)}`;
    await expect(resolveByHand(workerParts(shop), paymentId, { settled: hash })).rejects.toThrow(
      'another process works on this payment',
    );
    const settled = await signed();
    await shop.ask(settled);
    await expect(
      resolveByHand(workerParts(shop), (await rowOf(shop, settled))!.paymentId, { settled: hash }),
    ).rejects.toThrow('this payment is SETTLED');
    await expect(
      resolveByHand(workerParts(shop), '00000000-0000-4000-8000-000000000002', { settled: hash }),
    ).rejects.toThrow('there is no payment');
  });
});
