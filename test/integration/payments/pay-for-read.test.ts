import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../infra/system/clock.ts';
import { accounts } from '../../../projections/accounts/projection.ts';
import { listAccounts } from '../../../queries/accounts/account-lists.ts';
import { billingRefusal } from '../../../src/edge/admission/billing.ts';
import { isShared, PAYMENT_META } from '../../../src/edge/mcp/message-checks.ts';
import { paymentChallenge } from '../../../contract/tools/tool-results.ts';
import type { BillingFacts } from '../../../domain/plans.ts';
import type { Facilitator } from '../../../domain/ports/payments.ts';
import { expectAgreement, facilitatorOfShop, paidOnChain, rowOf, work } from '../../support/payment-recovery.ts';
import {
  AMOUNT,
  billingOf,
  makePayer,
  newNonce,
  PATIENT_TIMES,
  PAY_TO,
  readsNothing,
  TOOL_DATA,
  useTestPayments,
} from '../../support/payments.ts';
import { openWithFailing, openWithFailingMove } from '../../support/failing-ledger.ts';
import { mortal } from '../../support/payment-crashes.ts';

const { shop, signed } = await useTestPayments();

test('a call without a payment is answered with the challenge and without a facilitator', async () => {
  const challenge = await shop.challenge();
  expect(paymentChallenge.parse(challenge)).toEqual(challenge);
  expect(challenge).toMatchObject({
    x402Version: 2,
    error: 'payment_required',
    resource: { url: 'mcp://tool/search_agenda' },
  });
  expect(challenge.accepts).toMatchObject([
    { amount: AMOUNT, payTo: PAY_TO, maxTimeoutSeconds: 120, network: 'eip155:84532' },
  ]);
  expect(shop.facilitator.asked.verify).toEqual([]);
});

test('the official client pays once, gets data and receipt, and the same answer for the same payment', async () => {
  const payment = await shop.payer.pay(await shop.challenge());
  const first = await shop.ask(payment);
  expect(first).toMatchObject({ kind: 'paid', data: TOOL_DATA, text: JSON.stringify(TOOL_DATA) });
  const [transfer, ...more] = shop.facilitator.chain.transfers;
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    receipt: {
      success: true,
      transaction: transfer!.hash,
      network: 'eip155:84532',
      payer: shop.payer.address,
      amount: AMOUNT,
    },
  });
  const reads = shop.reads;
  expect(await shop.ask(payment)).toEqual(first);
  expect(shop.reads).toBe(reads);
  expect(shop.facilitator.chain.broadcasts).toBe(1);
  expect((await shop.facts()).map(({ type }) => type)).toEqual(['AccountPaymentVerified', 'AccountPaymentSettled']);
});

describe('one payment is for one call', () => {
  test('two or twenty concurrent uses of it settle once; the later ones wait or get the same answer', async () => {
    for (const uses of [2, 20]) {
      const payment = await shop.payer.pay(await shop.challenge());
      const { broadcasts } = shop.facilitator.chain;
      // Several processes on one ledger.
      const programs = [shop.open(), shop.open(), shop.open()];
      const answers = await Promise.all(
        Array.from({ length: uses }, (_, use) => programs[use % 3]!.payForRead(shop.call(payment))),
      );
      expect(shop.facilitator.chain.broadcasts).toBe(broadcasts + 1);
      const kinds = answers.map((answer) => (answer.kind === 'error' ? answer.code : answer.kind));
      expect(kinds.filter((kind) => kind !== 'paid' && kind !== 'payment_in_progress')).toEqual([]);
      expect(kinds).toContain('paid');
      const waiting = answers.find((answer) => answer.kind === 'error');
      if (waiting !== undefined) expect(waiting).toMatchObject({ retryAfterSeconds: expect.any(Number) });
      expect(await shop.ask(payment)).toEqual(answers.find(({ kind }) => kind === 'paid'));
    }
  });

  test('with added fields, an address in capitals or another form of its signature it is the same payment', async () => {
    const payment = await shop.payer.pay(await shop.challenge());
    const first = await shop.ask(payment);
    const { signature, authorization } = payment.payload;
    const disguised = {
      ...payment,
      note: 'another payment, surely',
      extensions: { 'payment-identifier': 'something-else-entirely' },
      accepted: {
        ...payment.accepted,
        asset: String(payment.accepted.asset).toUpperCase().replace('0X', '0x'),
        note: 1,
      },
      payload: {
        signature: signature.toUpperCase().replace('0X', '0x'),
        authorization: {
          ...authorization,
          from: authorization.from!.toUpperCase().replace('0X', '0x'),
          nonce: authorization.nonce!.toUpperCase().replace('0X', '0x'),
        },
      },
    };
    const { broadcasts } = shop.facilitator.chain;
    expect(await shop.ask(disguised)).toEqual(first);
    expect(shop.facilitator.chain.broadcasts).toBe(broadcasts);
    expect(
      await shop.civic.rows('select count(*) from civic.payments where nonce = $1', [
        authorization.nonce!.toLowerCase(),
      ]),
    ).toEqual([['1']]);
  });

  test('the same nonce of two payers is two payments', async () => {
    const challenge = await shop.challenge();
    const other = makePayer();
    shop.facilitator.chain.fund(other.address, 100_000n);
    const nonce = newNonce();
    const mine = await shop.payer.payOtherwise(challenge, { nonce });
    const theirs = await other.payOtherwise(challenge, { nonce });
    expect(await shop.ask(mine)).toMatchObject({ kind: 'paid', receipt: { payer: shop.payer.address } });
    expect(await shop.ask(theirs)).toMatchObject({ kind: 'paid', receipt: { payer: other.address } });
    expect(await shop.civic.rows('select count(*) from civic.payments where nonce = $1', [nonce])).toEqual([['2']]);
  });

  test('with another account, tool, arguments or amount it is refused the same way in any state', async () => {
    const challenge = await shop.challenge();
    const stranger = await shop.openAccount();
    const settled = await shop.payer.pay(challenge);
    await shop.ask(settled);
    const failed = await shop.payer.pay(challenge);
    shop.read = readsNothing;
    await shop.ask(failed);
    shop.read = async () => JSON.stringify(TOOL_DATA);
    const refusals = [];
    for (const payment of [settled, failed]) {
      refusals.push(
        await shop.ask(payment, {
          principal: { accountId: stranger, keyId: randomUUID(), billing: billingOf('payg') },
        }),
        await shop.ask(payment, { tool: 'get_agenda_item' }),
        await shop.ask(payment, { arguments: { query: 'wine', limit: 10 } }),
        await shop.ask(
          await shop.payer.payOtherwise(challenge, { nonce: payment.payload.authorization.nonce!, value: '1' }),
        ),
      );
    }
    const refused = { kind: 'error', code: 'payment_replay_mismatch', message: expect.any(String) };
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ ...refused, details: undefined, retryAfterSeconds: undefined });
    // Another key of the account may fetch the paid result.
    expect(
      await shop.ask(settled, {
        principal: { accountId: shop.accountId, keyId: randomUUID(), billing: billingOf('payg') },
      }),
    ).toMatchObject({ kind: 'paid' });
  });

  test('several calls of a batch with it are refused, and each of those with another is not', async () => {
    const challenge = await shop.challenge();
    const [one, two] = [await shop.payer.pay(challenge), await shop.payer.pay(challenge)];
    const again = structuredClone(one);
    again.payload.authorization.from = one.payload.authorization.from!.toLowerCase();
    const carried = [one, undefined, two, { nonsense: true }, again, null, 'text'];
    const batch = carried.map((payment) => ({
      params: payment === undefined ? {} : { _meta: { [PAYMENT_META]: payment } },
    }));
    const shared = carried.map((payment) => isShared(batch, payment));
    expect(shared).toEqual([true, false, false, false, true, false, false]);
    expect(await shop.ask(one, { sharedInBatch: shared[0]! })).toMatchObject({ code: 'payment_request_invalid' });
    expect(await shop.ask(two, { sharedInBatch: shared[2]! })).toMatchObject({ kind: 'paid' });
    expect(await shop.ask(one)).toMatchObject({ kind: 'paid' });
  });

  test('a wallet that paid for one account pays for no other, until an operator releases it', async () => {
    const wallet = makePayer();
    shop.facilitator.chain.fund(wallet.address, 100_000n);
    const stranger = {
      principal: { accountId: await shop.openAccount(), keyId: randomUUID(), billing: billingOf('payg') },
    };
    const challenge = await shop.challenge();
    expect(await shop.ask(await wallet.pay(challenge))).toMatchObject({ kind: 'paid' });
    expect(await shop.ask(await wallet.pay(challenge), stranger)).toMatchObject({ code: 'payment_access_denied' });
    expect(await shop.ledger.release('eip155:84532', wallet.address, Date.now())).toBe(true);
    expect(await shop.ask(await wallet.pay(challenge), stranger)).toMatchObject({ kind: 'paid' });
    expect(await shop.ask(await wallet.pay(challenge))).toMatchObject({ code: 'payment_access_denied' });
  });
});

describe('a client that disconnects', () => {
  test('during the read stops the read, and nothing is settled; the same payment works later', async () => {
    const payment = await shop.payer.pay(await shop.challenge());
    const leaving = new AbortController();
    let stopped: unknown;
    shop.read = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped = signal.reason;
          reject(signal.reason as Error);
        });
        leaving.abort();
      });
    expect(await shop.ask(payment, { signal: leaving.signal })).toMatchObject({ code: 'timeout' });
    expect(stopped).toBeInstanceOf(Error);
    shop.read = async () => '{"late":1}';
    expect(await shop.ask(payment)).toMatchObject({ code: 'payment_in_progress' });
    expect(paidOnChain(shop, payment)).toBe(0);
    shop.clock.advance(16_000);
    expect(await shop.ask(payment)).toMatchObject({ kind: 'paid', text: '{"late":1}' });
  });

  test('during settlement changes nothing: it is settled, recorded, and returned for the same payment', async () => {
    const payment = await shop.payer.pay(await shop.challenge());
    const leaving = new AbortController();
    const payments = shop.open({
      facilitator: {
        ...facilitatorOfShop(shop),
        settle: async (signed) => {
          leaving.abort();
          await systemClock.sleep(50);
          return facilitatorOfShop(shop).settle(signed);
        },
      },
    });
    expect(await payments.payForRead(shop.call(payment, { signal: leaving.signal }))).toMatchObject({
      code: 'payment_reconciliation_required',
    });
    await payments.end();
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLED' });
    expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
    await expectAgreement(shop, shop.open(), payment);
  });

  test('a deadline before settlement is a timeout that moves no money; a later one does not stop it', async () => {
    const slow = (operation: 'verify' | 'settle') => {
      const deadline = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const facilitator: Facilitator = {
        ...facilitatorOfShop(shop),
        [operation]: async (signed: never) => {
          deadline.resolve();
          await gate.promise;
          return facilitatorOfShop(shop)[operation](signed);
        },
      };
      const sleep = (milliseconds: number, signal?: AbortSignal) =>
        milliseconds === PATIENT_TIMES.totalMs ? deadline.promise : systemClock.sleep(milliseconds, signal);
      return { gate, payments: shop.open({ facilitator, clock: { now: shop.clock.now, sleep } }) };
    };
    const verifying = slow('verify');
    const early = await shop.payer.pay(await shop.challenge());
    expect(await verifying.payments.payForRead(shop.call(early))).toMatchObject({ code: 'timeout' });
    verifying.gate.resolve();
    await verifying.payments.end();
    expect(paidOnChain(shop, early)).toBe(0);
    expect(await rowOf(shop, early)).toMatchObject({ state: 'RESERVED' });

    const settling = slow('settle');
    const late = await shop.payer.pay(await shop.challenge());
    expect(await settling.payments.payForRead(shop.call(late))).toMatchObject({
      code: 'payment_reconciliation_required',
    });
    expect(await shop.ask(late)).toMatchObject({ code: 'payment_in_progress' });
    settling.gate.resolve();
    await settling.payments.end();
    expect(await shop.ask(late)).toMatchObject({ kind: 'paid' });
  });
});

describe('the channel', () => {
  test('is checked only for accounts that pay by the call; others are served without it', async () => {
    const closed = shop.open({ facilitator: null });
    const free = shop.open({ enforced: false });
    const as = (billing: BillingFacts) =>
      shop.call(undefined, { principal: { accountId: shop.accountId, keyId: randomUUID(), billing } });
    const paidThrough = billingOf('subscription', { tier: 'pro', paidUntil: Date.now() + 1e9 });
    expect(await closed.payForRead(as(billingOf('payg')))).toMatchObject({ code: 'beta_unavailable' });
    expect(await closed.payForRead(as(paidThrough))).toEqual({ kind: 'serve' });
    expect(await closed.payForRead(as(billingOf('unset')))).toMatchObject({ code: 'billing_entitlement_required' });
    expect(await free.payForRead(as(billingOf('payg')))).toEqual({ kind: 'serve' });
    expect(await free.payForRead(as(billingOf('unset')))).toEqual({ kind: 'serve' });
  });

  test('a payment gives its account access to reports for thirty days from its event', async () => {
    const accountId = await shop.openAccount();
    const wallet = makePayer();
    shop.facilitator.chain.fund(wallet.address, 100_000n);
    shop.civic.startProjector([accounts]);
    const payment = await wallet.pay(await shop.challenge());
    expect(
      await shop.ask(payment, { principal: { accountId, keyId: randomUUID(), billing: billingOf('payg') } }),
    ).toMatchObject({
      kind: 'paid',
    });
    await shop.civic.caughtUp(undefined, [accounts.name]);
    const account = (await listAccounts(shop.civic.reads)).find((each) => each.accountId === accountId);
    const paidAt = Date.parse(account!.paidAt!);
    expect(Math.abs(paidAt - Date.now())).toBeLessThan(60_000);
    const facts = billingOf('payg', { paidAt });
    const days = (number: number) => ({ facts, enforced: true, now: paidAt + number * 86_400_000 });
    expect(billingRefusal('reports', days(29))).toBeNull();
    expect(billingRefusal('reports', days(30))).toMatchObject({ code: 'forbidden' });
  });
});

test('without the ledger nothing is verified, read or settled, wherever it fails', async () => {
  for (const [method, when] of [
    ['find', 'before'],
    ['reserve', 'before'],
    ['reserve', 'after'],
  ] as const) {
    const payment = await signed();
    const verifiedBefore = shop.facilitator.asked.verify.length;
    expect(await openWithFailing(shop, method, when).payForRead(shop.call(payment))).toMatchObject({
      code: 'payment_ledger_unavailable',
    });
    expect(shop.facilitator.asked.verify).toHaveLength(verifiedBefore);
    expect(paidOnChain(shop, payment)).toBe(0);
  }
});

test.each([
  ['VERIFIED', 'payment_ledger_unavailable', 'RESERVED'],
  ['RESULT_SAVED', 'read_result_not_saved', 'READ_FAILED'],
  ['SETTLING', 'payment_reconciliation_required', 'RESULT_SAVED'],
])(
  'a ledger that fails at the move to %s is answered %s, nothing is settled, and the row is %s',
  async (to, code, state) => {
    const payment = await signed();
    const settles = shop.facilitator.asked.settle.length;
    expect(await openWithFailingMove(shop, to).payForRead(shop.call(payment))).toMatchObject({ code });
    expect(await rowOf(shop, payment)).toMatchObject({ state });
    expect(shop.facilitator.asked.settle).toHaveLength(settles);
  },
);

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
  const parts = mortal(
    { ledger: shop.ledger, log: shop.civic.log, facilitator: facilitatorOfShop(shop) },
    { commit: 1, when: 'before' },
  );
  expect(await shop.open(parts).payForRead(shop.call(await signed()))).toMatchObject({
    code: 'payment_ledger_unavailable',
  });
  expect(parts.dead()).toBe(true);
});

test('an interrupted settlement is not repeated by the payer before its outcome is known', async () => {
  const payment = await signed();
  const parts = mortal(
    { ledger: shop.ledger, log: shop.civic.log, facilitator: facilitatorOfShop(shop) },
    { commit: 4, when: 'after' },
  );
  const died = shop.open(parts);
  await died.payForRead(shop.call(payment));
  await died.end();
  expect(await rowOf(shop, payment)).toMatchObject({ state: 'SETTLING' });
  const callsBefore = [shop.facilitator.asked.verify.length, shop.facilitator.asked.settle.length];
  expect(await shop.ask(payment)).toMatchObject({ code: 'payment_in_progress' });
  shop.clock.advance(16_000);
  expect(await shop.ask(payment)).toMatchObject({ code: 'payment_reconciliation_required' });
  expect([shop.facilitator.asked.verify.length, shop.facilitator.asked.settle.length]).toEqual(callsBefore);
});
