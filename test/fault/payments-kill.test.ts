import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withNightly } from '../support/test-runs.ts';
import { AGENTS, type Got } from '../support/agent-clients.ts';
import { untilTrue } from '../support/civic.ts';
import { type Customer, makePayingService, type PayingService } from '../support/paying-service.ts';
import type { HttpFault } from '../support/x402-facilitator.ts';
import type { PaymentChallenge } from '../../contract/tools/tool-results.ts';

let shop: PayingService;
let customer: Customer;
beforeAll(async () => {
  shop = await makePayingService();
  const service = await shop.start();
  customer = await shop.openCustomer();
  await service.stop();
});
afterAll(async () => {
  await shop.close();
});

/** A signed authorization is valid for two minutes. */
const VALID_MS = 110_000;
const SEARCH = { query: 'zoning', limit: 2 };
const codeOf = ({ structuredContent }: Got): string | undefined =>
  (structuredContent as { error?: { code: string } }).error?.code;
const connect = AGENTS['the current client, held to the current era']!;

type Moment = readonly [when: string, fault: HttpFault, node: string, paid: number];
const MOMENTS = withNightly<Moment>(
  [['after it has settled and before it has said so', 'done_then_hang', 'with a node', 1]],
  [['before the facilitator has settled', 'hang', '', 0]],
);

describe.each(MOMENTS)('a service that is killed while it settles, %s', (_, fault, node, paid) => {
  test('restarts, determines the outcome of the payment, and serves the same payment, billed once', async () => {
    let overrun = 0;
    while (!(await inTime())) expect((overrun += 1)).toBeLessThan(4);
    const unknown = await shop.civic<readonly unknown[]>(['payments', 'list', '--state', 'RECONCILE']);
    expect(unknown.length).toBeLessThanOrEqual(overrun);
  });

  /** False if an overloaded machine took longer than the payment was valid, which proves nothing. */
  async function inTime(): Promise<boolean> {
    const env: Record<string, string> = node === '' ? { CIVIC_X402_RPC_URL: '' } : {};
    const service = await shop.start({ env });
    const agent = await connect(service.baseUrl, customer.key);
    const signedAt = performance.now();
    const payment = await shop.payer.pay(
      (await agent.call('search_agenda', SEARCH)).structuredContent as unknown as PaymentChallenge,
    );
    const nonce = payment.payload.authorization.nonce!;
    const transfers = () => shop.facilitator.chain.paid(shop.payer.address, nonce).length;
    shop.facilitator.faults.settle = fault;
    const settles = shop.facilitator.asked.settle.length;
    const interrupted = agent.call('search_agenda', SEARCH, payment).catch((error: unknown) => error);
    await untilTrue(
      'the facilitator is asked to settle',
      () => shop.facilitator.asked.settle.length > settles && transfers() === paid,
    );
    await service.kill9();
    expect(await interrupted).toBeInstanceOf(Error);
    shop.facilitator.faults.settle = null;

    const revived = await shop.start({ env });
    const again = await connect(revived.baseUrl, customer.key);
    const answers = new Set<string>();
    let answer = await again.call('search_agenda', SEARCH, payment);
    // A lease expires in fifteen seconds; then the worker runs, within minutes on a slow machine.
    for (let tries = 0; answer.isError === true && tries < 400; tries += 1) {
      answers.add(codeOf(answer) ?? 'paid');
      await after(500);
      answer = await again.call('search_agenda', SEARCH, payment);
    }
    if (answer.isError === true && performance.now() - signedAt > VALID_MS) {
      await revived.stop();
      return false;
    }
    expect(answer.isError).toBeUndefined();
    expect(
      [...answers].filter((each) => !['payment_in_progress', 'payment_reconciliation_required'].includes(each)),
    ).toEqual([]);
    expect(transfers()).toBe(1);
    expect(answer._meta!['x402/payment-response']).toMatchObject({
      transaction: shop.facilitator.chain.paid(shop.payer.address, nonce)[0]!.hash,
    });
    await revived.stop();
    return true;
  }
});
