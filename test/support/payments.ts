import { randomBytes, randomUUID } from 'node:crypto';
import { x402Client } from '@x402/core/client';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { afterAll, afterEach } from 'vitest';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { handleAccountCommand } from '../../commands/accounts/account-decider.ts';
import type { PaymentChallenge } from '../../contract/tools/tool-results.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { BillingFacts, Channel } from '../../domain/plans.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { accountStream } from '../../domain/streams.ts';
import { createPaymentLedger } from '../../infra/postgresql/counters/payment-ledger.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { checkSignature } from '../../infra/x402/open.ts';
import { httpFacilitator } from '../../infra/x402/facilitator.ts';
import {
  type PaidCall,
  PAYMENT_TIMES,
  type PaymentAnswer,
  type PaymentParts,
  PaymentRefused,
  type Price,
} from '../../src/edge/admission/payments/paid-call.ts';
import { createPayments, type Payments } from '../../src/edge/admission/payments/pay-for-read.ts';
import { createPrice } from '../../src/edge/admission/payments/payment-terms.ts';
import { openTestCivic, type TestCivic } from './civic.ts';
import { startTestDatabase } from './embedded-database.ts';
import { type LocalFacilitator, startLocalFacilitator } from './x402-facilitator.ts';

export const PAY_TO = '0x00000000000000000000000000000000000c1c0e';
export const AMOUNT = '10000';

/** A clock that the test moves; waits take real time. */
export class MovableClock implements Clock {
  offset = 0;
  now = (): number => Date.now() + this.offset;
  sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> => systemClock.sleep(milliseconds, signal);
  advance(milliseconds: number): void {
    this.offset += milliseconds;
  }
}

/** Timeouts far longer than needed on a slow machine; a test of a timeout sets its own. */
export const PATIENT = { verifyMs: 60_000, settleMs: 60_000 };
export const PATIENT_TIMES = { ...PAYMENT_TIMES, readMs: 60_000, totalMs: 100_000 };

export const billingOf = (channel: Channel, facts: Partial<BillingFacts> = {}): BillingFacts => ({
  channel,
  tier: 'none',
  paidUntil: null,
  paidAt: null,
  ...facts,
});

/** A payer with a wallet who uses the official client library. */
export interface Payer {
  readonly address: string;
  /** Answers a challenge with a signed payment. */
  pay(challenge: PaymentChallenge): Promise<SentPayment>;
  /** Signs an authorization with any field changed, which the official client does not. */
  payOtherwise(challenge: PaymentChallenge, changes: Readonly<Record<string, string>>): Promise<SentPayment>;
}

/** A payment as a client sends it. */
export interface SentPayment {
  x402Version: number;
  resource?: { url: string };
  accepted: Record<string, unknown>;
  payload: { signature: string; authorization: Record<string, string> };
  [field: string]: unknown;
}

export function makePayer(): Payer {
  const account = privateKeyToAccount(generatePrivateKey());
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  const pay = async (challenge: PaymentChallenge): Promise<SentPayment> =>
    structuredClone((await client.createPaymentPayload(challenge as PaymentRequired)) as unknown as SentPayment);
  return {
    address: account.address.toLowerCase(),
    pay,
    async payOtherwise(challenge, changes) {
      const payment = await pay(challenge);
      const authorization = { ...payment.payload.authorization, ...changes };
      const { authorizationTypes } = await import('@x402/evm');
      const [terms] = challenge.accepts;
      const signature = await account.signTypedData({
        domain: { ...terms!.extra, chainId: 84_532, verifyingContract: terms!.asset as `0x${string}` },
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: authorization as never,
      });
      return { ...payment, payload: { signature, authorization } };
    },
  };
}

/** A read that finds nothing. */
export const readsNothing = (): Promise<never> => Promise.reject(new PaymentRefused('empty_result_not_chargeable'));

export const newNonce = (): string => `0x${randomBytes(32).toString('hex')}`;

export interface TestPayments {
  readonly civic: TestCivic;
  readonly clock: MovableClock;
  readonly facilitator: LocalFacilitator;
  readonly ledger: ReturnType<typeof createPaymentLedger>;
  /** The result of a read; reads are counted. */
  read: (signal: AbortSignal) => Promise<string>;
  reads: number;
  price: Price | null;
  /** A new process on the same ledger, as after a crash. */
  open(changes?: Partial<PaymentParts>): Payments;
  openAccount(): Promise<string>;
  call(payment: unknown, changes?: Partial<PaidCall>): PaidCall;
  /** A call of the default program. */
  ask(payment: unknown, changes?: Partial<PaidCall>): Promise<PaymentAnswer>;
  challenge(): Promise<PaymentChallenge>;
  facts(accountId?: string): Promise<readonly { type: string; data: Record<string, unknown> }[]>;
  readonly accountId: string;
  readonly payer: Payer;
  close(): Promise<void>;
}

export const TOOL_DATA = { results: [{ itemId: 'a', title: 'Water main on “Élm” Street 🚰' }], truncated: false };

/** A shop on a separate database for a test file, reset after each test, and a payment for a new challenge. */
export async function useTestPayments(): Promise<{ shop: TestPayments; signed: () => Promise<SentPayment> }> {
  const database = await startTestDatabase();
  const shop = await openTestPayments(database.url);
  afterEach(() => {
    shop.clock.offset = 0;
    shop.price = createPrice(AMOUNT, PAY_TO);
    shop.read = async () => JSON.stringify(TOOL_DATA);
    shop.facilitator.chain.fault = null;
    Object.assign(shop.facilitator.faults, { verify: null, settle: null });
  });
  afterAll(async () => {
    await shop.close();
    await database.close();
  });
  return { shop, signed: async () => shop.payer.pay(await shop.challenge()) };
}

/** The parts of pay as you go on a database, with a local facilitator over HTTP and one payer with money. */
export async function openTestPayments(url: string): Promise<TestPayments> {
  const civic = await openTestCivic(url);
  const clock = new MovableClock();
  const facilitator = await startLocalFacilitator();
  const ledger = createPaymentLedger(civic.database.transactor);
  const opened: Payments[] = [];
  const openAccount = async (): Promise<string> => {
    const accountId = randomUUID();
    await handleAccountCommand(
      { log: civic.log, clock },
      {
        accountId,
        command: { type: 'OpenAccount', name: 'Payer', channel: 'payg', tier: 'none', paidUntil: null },
        commandId: randomUUID(),
        context: {},
        deadline: clock.now() + 20_000,
      },
    );
    return accountId;
  };
  const payer = makePayer();
  facilitator.chain.fund(payer.address, 1_000_000_000n);
  const keyId = randomUUID();
  const accountId = await openAccount();
  const self: TestPayments = {
    civic,
    clock,
    facilitator,
    ledger,
    read: async () => JSON.stringify(TOOL_DATA),
    reads: 0,
    price: createPrice(AMOUNT, PAY_TO),
    accountId,
    payer,
    openAccount,
    open(changes = {}) {
      const payments = createPayments({
        ledger,
        facilitator: httpFacilitator(facilitator.url, PATIENT),
        checkSignature,
        price: () => self.price,
        log: civic.log,
        clock,
        chainClock: clock,
        identifiers: randomIdentifiers,
        logger: civic.logger,
        enforced: true,
        budget: { perAccount: 100_000_000n, ofAll: 1_000_000_000n },
        times: PATIENT_TIMES,
        ...changes,
      });
      opened.push(payments);
      return payments;
    },
    call: (payment, changes = {}) => ({
      principal: { accountId, keyId, billing: billingOf('payg') },
      tool: 'search_agenda',
      arguments: { query: 'water', limit: 10 },
      payment,
      sharedInBatch: false,
      signal: new AbortController().signal,
      read: (signal) => {
        self.reads += 1;
        return self.read(signal);
      },
      ...changes,
    }),
    ask: (payment, changes) => byDefault().payForRead(self.call(payment, changes)),
    async challenge() {
      const answer = await self.ask(undefined);
      if (answer.kind !== 'challenge') throw new Error(`no challenge: ${JSON.stringify(answer)}`);
      return answer.challenge;
    },
    async facts(of = accountId) {
      const events = await civic.log.readStream(accountStream(of), -1, 500);
      return events
        .filter(({ type }) => type.startsWith('AccountPayment'))
        .map(({ type, data }) => ({ type, data: JSON.parse(data) as Record<string, unknown> }));
    },
    async close() {
      for (const payments of opened) await payments.end();
      await facilitator.close();
      await civic.close();
    },
  };
  let standard: Payments | undefined;
  const byDefault = () => (standard ??= self.open());
  return self;
}
