import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentChallenge } from '../../../src/contract/tools/payment-challenge.ts';
import { startTestDatabase, type TestDatabase } from '../../support/embedded-database.ts';
import { AMOUNT, openTestPayments, PAY_TO, type TestPayments, TOOL_DATA } from '../../support/payments.ts';

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

test('a call without a payment is answered with the challenge, and nobody is asked for it', async () => {
  const challenge = await shop.challenge();
  expect(paymentChallenge.parse(challenge)).toEqual(challenge);
  expect(challenge).toMatchObject({ x402Version: 2, error: 'payment_required', resource: { url: 'mcp://tool/search_agenda' } });
  expect(challenge.accepts).toMatchObject([{ amount: AMOUNT, payTo: PAY_TO, maxTimeoutSeconds: 120, network: 'eip155:84532' }]);
  expect(shop.facilitator.asked.verify).toEqual([]);
});

test('the official client pays, the data comes with its receipt, and the same payment again is the same answer and one transfer', async () => {
  const payment = await shop.payer.pay(await shop.challenge());
  const first = await shop.ask(payment);
  expect(first).toMatchObject({ kind: 'paid', data: TOOL_DATA, text: JSON.stringify(TOOL_DATA) });
  const [transfer, ...more] = shop.facilitator.chain.transfers;
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    receipt: { success: true, transaction: transfer!.hash, network: 'eip155:84532', payer: shop.payer.address, amount: AMOUNT },
  });
  const reads = shop.reads;
  expect(await shop.ask(payment)).toEqual(first);
  expect(shop.reads).toBe(reads);
  expect(shop.facilitator.chain.broadcasts).toBe(1);
  expect((await shop.facts()).map(({ type }) => type)).toEqual(['AccountPaymentVerified', 'AccountPaymentSettled']);
});
