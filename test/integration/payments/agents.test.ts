import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { paymentChallenge, type PaymentChallenge } from '../../../contract/tools/tool-results.ts';
import { paymentReceipt } from '../../../domain/payments/payment.ts';
import { type Agent, AGENTS, type Got } from '../../support/agent-clients.ts';
import { type Customer, makePayingService, type PayingService } from '../../support/paying-service.ts';
import { makePayer } from '../../support/payments.ts';
import type { Service } from '../../support/service.ts';
import { withNightly } from '../../support/test-runs.ts';

let shop: PayingService;
let service: Service;
let customer: Customer;
beforeAll(async () => {
  shop = await makePayingService();
  service = await shop.start();
  customer = await shop.openCustomer();
});
afterAll(async () => {
  await service?.stop();
  await shop.close();
});
afterEach(() => {
  shop.facilitator.chain.fault = null;
  Object.assign(shop.facilitator.faults, { verify: null, settle: null });
});

const SEARCH = { query: 'zoning', limit: 2 };
function challengeOf({ isError, structuredContent, content }: Got): PaymentChallenge {
  expect(isError).toBe(true);
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  return paymentChallenge.parse(structuredContent);
}
function errorOf({ isError, structuredContent, content }: Got): {
  code: string;
  details?: { paymentRequired?: unknown };
} {
  expect(isError).toBe(true);
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  return (structuredContent as { error: { code: string } }).error;
}
async function connected(name: string, work: (agent: Agent) => Promise<void>, key = customer.key): Promise<void> {
  const agent = await AGENTS[name]!(service.baseUrl, key);
  try {
    await work(agent);
  } finally {
    await agent.close();
  }
}
const [FIRST_AGENT, ...OTHER_AGENTS] = Object.keys(AGENTS) as [string, ...string[]];
const LAST_AGENT = OTHER_AGENTS.pop()!;

describe.each(withNightly([FIRST_AGENT, LAST_AGENT], OTHER_AGENTS))('%s', (name) => {
  test('is challenged, pays, gets data and receipt, and the same again for the same payment', async () => {
    await connected(name, async (agent) => {
      const challenge = challengeOf(await agent.call('search_agenda', SEARCH));
      expect(challenge.resource.url).toBe('mcp://tool/search_agenda');
      const payment = await shop.payer.pay(challenge);
      const { broadcasts } = shop.facilitator.chain;
      const paid = await agent.call('search_agenda', SEARCH, payment);
      expect({ isError: paid.isError, error: paid.structuredContent.error }).toEqual({
        isError: undefined,
        error: undefined,
      });
      expect(JSON.parse(paid.content[0]!.text)).toEqual(paid.structuredContent.data);
      const receipt = paymentReceipt.parse(paid._meta!['x402/payment-response']);
      expect(shop.facilitator.chain.transfers.at(-1)).toMatchObject({
        hash: receipt.transaction,
        from: shop.payer.address,
        value: 10_000n,
      });

      const again = await agent.call('search_agenda', SEARCH, payment);
      expect(again.content[0]!.text).toBe(paid.content[0]!.text);
      expect(again._meta!['x402/payment-response']).toEqual(receipt);
      expect(shop.facilitator.chain.broadcasts).toBe(broadcasts + 1);

      // The first result, read and paid separately.
      const [{ itemId }] = (paid.structuredContent.data as { results: [{ itemId: string }] }).results;
      const item = await shop.payer.pay(challengeOf(await agent.call('get_agenda_item', { itemId })));
      expect((await agent.call('get_agenda_item', { itemId }, item)).structuredContent.data).toMatchObject({
        item: { itemId },
      });
      expect(errorOf(await agent.call('get_agenda_item', { itemId }, payment)).code).toBe('payment_replay_mismatch');
    });
  });

  test('gets the error of a payment from the wrapper, with a new challenge if paying again helps', async () => {
    await connected(name, async (agent) => {
      const challenge = challengeOf(await agent.call('search_agenda', SEARCH));
      const payment = await shop.payer.pay(challenge);
      const spoilt = { ...payment, payload: { ...payment.payload, signature: `0x${'11'.repeat(65)}` } };
      const { code, details } = errorOf(await agent.call('search_agenda', SEARCH, spoilt));
      expect(code).toBe('payment_authorization_invalid');
      expect(paymentChallenge.parse(details?.paymentRequired)).toEqual(challenge);
      expect(errorOf(await agent.call('search_agenda', SEARCH, 'money')).code).toBe('payment_invalid');
      expect(errorOf(await agent.call('search_agenda', { query: '' }, payment)).code).toBe('invalid_parameter');
      expect(errorOf(await agent.call('search_agenda', { ...SEARCH, cursor: 'none' }, payment)).code).toBe(
        'invalid_cursor',
      );
      // An error in the arguments is answered before a challenge.
      expect(errorOf(await agent.call('search_agenda', { query: '' })).code).toBe('invalid_parameter');
      const settled = shop.facilitator.asked.settle.length;
      expect(
        errorOf(await agent.call('search_agenda', { query: 'zzzzqqqq xxyyxx' }, await shop.payer.pay(challenge))).code,
      ).toBe('empty_result_not_chargeable');
      expect(shop.facilitator.asked.settle).toHaveLength(settled);
      // The payment is still valid after all of this.
      expect((await agent.call('search_agenda', SEARCH, payment)).isError).toBeUndefined();
    });
  });
});

test('a payment gives its account and no other the report tools, which cost nothing', async () => {
  const stranger = await shop.openCustomer();
  const report = {
    sourceUrl: 'https://records.example.org/meetings/7',
    expectedRecord: 'an agenda',
    idempotencyToken: 'paid',
  };
  const wallet = makePayer();
  shop.facilitator.chain.fund(wallet.address, 1_000_000n);
  await connected(
    FIRST_AGENT,
    async (agent) => {
      expect(errorOf(await agent.call('report_missing_data', report)).code).toBe('access_denied');
      const payment = await wallet.pay(challengeOf(await agent.call('search_agenda', SEARCH)));
      expect((await agent.call('search_agenda', SEARCH, payment)).isError).toBeUndefined();
      const { broadcasts } = shop.facilitator.chain;
      // As soon as the read model has it.
      let answer = await agent.call('report_missing_data', report);
      for (let tries = 0; answer.isError === true && tries < 200; tries += 1)
        answer = await agent.call('report_missing_data', report);
      expect(answer.structuredContent.data).toMatchObject({ status: 'received' });
      expect(shop.facilitator.chain.broadcasts).toBe(broadcasts);
    },
    stranger.key,
  );
});

test('a payment of an account with another channel is refused, and the call is served without it', async () => {
  let challenge: PaymentChallenge | undefined;
  await connected(
    FIRST_AGENT,
    async (agent) => void (challenge = challengeOf(await agent.call('search_agenda', SEARCH))),
  );
  const payment = await shop.payer.pay(challenge!);
  await connected(
    FIRST_AGENT,
    async (agent) => {
      expect(errorOf(await agent.call('search_agenda', SEARCH, payment)).code).toBe('billing_channel_payment_mismatch');
      expect((await agent.call('search_agenda', SEARCH)).isError).toBeUndefined();
    },
    service.key!,
  );
});

test('a batch with one payment on two calls, in any notation, has both refused; separate payments are served', async () => {
  const answerOf = async (payments: readonly unknown[]): Promise<readonly Got[]> => {
    const body = payments.map((payment, index) => ({
      jsonrpc: '2.0',
      id: index,
      method: 'tools/call',
      params: { name: 'search_agenda', arguments: SEARCH, _meta: { 'x402/payment': payment } },
    }));
    const response = await fetch(`${service.baseUrl}/api/v1/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    const frames = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    return frames
      .map((line) => JSON.parse(line.slice(6)) as { id: number; result: Got })
      .toSorted((a, b) => a.id - b.id)
      .map(({ result }) => result);
  };
  let challenge: PaymentChallenge | undefined;
  await connected(
    FIRST_AGENT,
    async (agent) => void (challenge = challengeOf(await agent.call('search_agenda', SEARCH))),
  );
  const [one, two] = [await shop.payer.pay(challenge!), await shop.payer.pay(challenge!)];
  const { broadcasts } = shop.facilitator.chain;
  const [first, other, second] = await answerOf([one, two, { ...one, note: 'another' }]);
  expect([errorOf(first!).code, errorOf(second!).code]).toEqual(['payment_request_invalid', 'payment_request_invalid']);
  expect(other!.isError).toBeUndefined();
  expect(shop.facilitator.chain.broadcasts).toBe(broadcasts + 1);
});

test('two processes with the same payment at once settle it once', async () => {
  const second = await shop.start({ role: 'api' });
  try {
    const agents = await Promise.all(
      [service, second, service, second].map(({ baseUrl }) => AGENTS[FIRST_AGENT]!(baseUrl, customer.key)),
    );
    const payment = await shop.payer.pay(challengeOf(await agents[0]!.call('search_agenda', SEARCH)));
    const { broadcasts } = shop.facilitator.chain;
    const answers = await Promise.all(agents.map((agent) => agent.call('search_agenda', SEARCH, payment)));
    expect(shop.facilitator.chain.broadcasts).toBe(broadcasts + 1);
    const codes = answers.map((answer) => (answer.isError === true ? errorOf(answer).code : 'paid'));
    expect(codes).toContain('paid');
    expect(codes.filter((code) => code !== 'paid' && code !== 'payment_in_progress')).toEqual([]);
    await Promise.all(agents.map((agent) => agent.close()));
  } finally {
    await second.stop();
  }
});

test('an operator sees payments and their outcome without their signatures, and ends one by hand', async () => {
  shop.facilitator.faults.settle = 'done_then_500';
  shop.node.down = true;
  let signature = '';
  await connected(FIRST_AGENT, async (agent) => {
    const payment = await shop.payer.pay(challengeOf(await agent.call('search_agenda', SEARCH)));
    signature = payment.payload.signature;
    expect(errorOf(await agent.call('search_agenda', SEARCH, payment)).code).toBe('payment_reconciliation_required');
    const [unknown] = await shop.civic<{ paymentId: string; state: string; nonce: string }[]>([
      'payments',
      'list',
      '--state',
      'RECONCILE',
    ]);
    expect(unknown).toMatchObject({
      state: 'RECONCILE',
      accountId: customer.accountId,
      tool: 'search_agenda',
      amount: '10000',
    });
    const { hash } = shop.facilitator.chain.transfers.at(-1)!;
    const failed = await shop.installation.civicHere([
      'payments',
      'reconcile',
      unknown!.paymentId,
      '--failed',
      'not on the chain',
    ]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/the chain may still take this payment|somebody is working/);
    const both = await shop.installation.civicHere([
      'payments',
      'reconcile',
      unknown!.paymentId,
      '--failed',
      'x',
      '--settled',
      hash,
    ]);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('give one of') });
    const bad = await shop.installation.civicHere(['payments', 'reconcile', unknown!.paymentId, '--settled', '0x12']);
    expect(bad).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a transaction hash') });
    expect(await shop.civic(['payments', 'reconcile', unknown!.paymentId, '--settled', hash])).toMatchObject({
      state: 'SETTLED',
      transaction: hash,
    });
    const details = await shop.civic<{ facts: { type: string }[] }>(['payments', 'show', unknown!.paymentId]);
    expect(details.facts.map(({ type }) => type)).toEqual(['AccountPaymentVerified', 'AccountPaymentSettled']);
    expect((await agent.call('search_agenda', SEARCH, payment))._meta!['x402/payment-response']).toMatchObject({
      transaction: hash,
    });
    for (const text of [JSON.stringify(details), JSON.stringify(unknown)])
      expect(text.toLowerCase()).not.toContain(signature.slice(2, 42).toLowerCase());
  });
  shop.node.down = false;
  shop.facilitator.faults.settle = null;
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  expect(metrics).not.toMatch(/0x[0-9a-f]{40}/i);
  expect(await shop.installation.civicHere(['payments', 'show', '00000000-0000-4000-8000-000000000000'])).toMatchObject(
    { exitCode: 1 },
  );
  expect(await shop.civic(['payments', 'wallet', shop.payer.address, '--bar'])).toMatchObject({ barred: true });
  await connected(FIRST_AGENT, async (agent) => {
    const payment = await shop.payer.pay(challengeOf(await agent.call('search_agenda', SEARCH)));
    expect(errorOf(await agent.call('search_agenda', SEARCH, payment)).code).toBe('payment_access_denied');
    await shop.civic(['payments', 'wallet', shop.payer.address, '--unbar']);
    expect((await agent.call('search_agenda', SEARCH, payment)).isError).toBeUndefined();
  });
});

test('no log line of any level contains a signature', async () => {
  const { stderr } = await service.stop();
  const sentPayments = [...shop.facilitator.asked.verify, ...shop.facilitator.asked.settle].map(
    (body) =>
      (JSON.parse(body) as { paymentPayload: { payload: { signature: string } } }).paymentPayload.payload.signature,
  );
  expect(sentPayments.length).toBeGreaterThan(10);
  expect(stderr.length).toBeGreaterThan(1_000);
  expect(sentPayments.filter((signature) => stderr.toLowerCase().includes(signature.slice(2, 42)))).toEqual([]);
  expect(stderr).not.toContain('"signature"');
});
