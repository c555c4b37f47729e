import { createHash, randomUUID } from 'node:crypto';
import { createPaymentLedger } from '../../infra/postgresql/counters/payment-ledger.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { createPayments } from '../../src/edge/admission/payments/pay-for-read.ts';
import type { PaymentAnswer, PaymentParts } from '../../src/edge/admission/payments/paid-call.ts';
import { createPrice } from '../../src/edge/admission/payments/payment-terms.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { ASSET, ASSET_DOMAIN, NETWORK, type SignedPayment } from '../../domain/payments/payment.ts';
import type { ChainLookup, Facilitator, Settlement, Verification } from '../../domain/ports/payments.ts';
import {
  NotResolved,
  type ReconcileParts,
  reconcilePayments,
  resolveByHand,
} from '../../src/processors/reactors/payments/reconcile-payments.ts';
import type { TestCivic } from './civic.ts';
import { type Death, mortal } from './payment-crashes.ts';
import { AMOUNT, billingOf, PATIENT_TIMES, PAY_TO, readsNothing, type SentPayment } from './payments.ts';

/**
 * The result of a settlement: done and answered; done only; neither; refused; or sent and done later, if the chain
 * still accepts it.
 */
export type SettleMode = 'ok' | 'lost' | 'nothing' | 'refused' | 'later';
export type VerifyMode = 'valid' | 'refused' | 'unavailable';
export type ReadMode = 'data' | 'empty' | 'fails';

const VALID_MS = 120_000;
const HASH_LENGTH = 64;

/**
 * The environment as plain values: a clock, a chain that accepts each nonce once and in its time, and a facilitator
 * with faults.
 */
export class PaymentWorld {
  readonly civic: TestCivic;
  readonly ledger: ReturnType<typeof createPaymentLedger>;
  readonly accountId = randomUUID();
  readonly clock = {
    now: (): number => this.time,
    sleep: (milliseconds: number, signal?: AbortSignal) => systemClock.sleep(milliseconds, signal),
  };
  time = Date.UTC(2026, 0, 1);
  verifyMode: VerifyMode = 'valid';
  settleMode: SettleMode = 'ok';
  readMode: ReadMode = 'data';
  chainUp = true;
  /** Transactions by nonce: the actual transfers. */
  readonly moved = new Map<string, string>();
  private readonly underWay = new Map<string, number>();
  private readonly signed = new Map<number, SentPayment>();
  private readonly name = randomUUID();

  constructor(civic: TestCivic) {
    this.civic = civic;
    this.ledger = createPaymentLedger(civic.database.transactor);
  }

  /** The same payers, chain, facilitator and time around another installation. */
  around(civic: TestCivic): PaymentWorld {
    const other = new PaymentWorld(civic);
    const { ledger } = other;
    return Object.assign(other, this, { civic, ledger });
  }

  /** The n-th payment of this world, signed when it is first used. */
  payment(nth: number): SentPayment {
    const payload = this.signed.get(nth) ?? {
      x402Version: 2,
      accepted: {
        scheme: 'exact',
        network: NETWORK,
        asset: ASSET,
        amount: AMOUNT,
        payTo: PAY_TO,
        maxTimeoutSeconds: 120,
        extra: { ...ASSET_DOMAIN },
      },
      payload: {
        signature: `0x${'1'.repeat(130)}`,
        authorization: {
          from: `0x${this.digest(`payer ${nth}`).slice(0, 40)}`,
          to: PAY_TO,
          value: AMOUNT,
          validAfter: '0',
          validBefore: String(Math.floor((this.time + VALID_MS) / 1000)),
          nonce: `0x${this.digest(`nonce ${nth}`)}`,
        },
      },
    };
    this.signed.set(nth, payload);
    return payload;
  }

  get payments(): readonly number[] {
    return [...this.signed.keys()];
  }

  nonce(nth: number): string {
    return this.payment(nth).payload.authorization.nonce!;
  }

  /** Makes the chain accept pending transactions that have not expired. */
  land(): void {
    for (const [nonce, validBefore] of this.underWay) if (this.time < validBefore) this.move(nonce);
    this.underWay.clear();
  }

  readonly facilitator: Facilitator = {
    verify: async (payment): Promise<Verification> => {
      if (this.verifyMode === 'unavailable') return { kind: 'unavailable', reason: 'timeout' };
      const used = this.moved.has(payment.authorization.nonce);
      if (this.verifyMode === 'refused' || used)
        return { kind: 'refused', reason: 'insufficient_funds', expired: false };
      return { kind: 'valid' };
    },
    settle: async (payment): Promise<Settlement> => this.settle(payment),
  };

  readonly chain: ChainLookup = {
    look: async ({ nonce }) => {
      if (!this.chainUp) return { kind: 'unavailable' };
      const transaction = this.moved.get(nonce);
      return transaction === undefined ? { kind: 'unused' } : { kind: 'settled', transaction };
    },
  };

  async ask(nth: number, death: Death | null = null): Promise<PaymentAnswer> {
    const payments = createPayments(this.partsOf(death));
    const call = {
      principal: { accountId: this.accountId, keyId: this.accountId, billing: billingOf('payg') },
      tool: 'search_agenda' as const,
      arguments: { query: `q${nth}`, limit: 10 },
      payment: this.payment(nth),
      sharedInBatch: false,
      signal: new AbortController().signal,
      read: () => this.read(nth),
    };
    try {
      return await payments.payForRead(call);
    } finally {
      await payments.end();
    }
  }

  async work(chain: boolean, death: Death | null = null): Promise<void> {
    const { ledger, log, facilitator } = mortal(
      { ledger: this.ledger, log: this.civic.log, facilitator: this.facilitator },
      death,
    );
    await reconcilePayments(
      this.reconciling({ ledger, log, facilitator, chain: chain ? this.chain : null }),
      new AbortController().signal,
    ).catch(() => undefined);
  }

  /** An operator who records the state of the chain. */
  async operate(nth: number): Promise<void> {
    const row = await this.ledger.find(this.keyOf(nth));
    if (row === null) return;
    const transaction = this.moved.get(row.nonce);
    const outcome = transaction === undefined ? { failed: 'not on the chain' } : { settled: transaction };
    await resolveByHand(this.reconciling({}), row.paymentId, outcome).catch((error: unknown) => {
      if (!(error instanceof NotResolved)) throw error;
    });
  }

  keyOf(nth: number) {
    const { from, nonce } = this.payment(nth).payload.authorization;
    return { network: NETWORK, asset: ASSET, payer: from!, nonce: nonce! };
  }

  private readonly read = async (nth: number): Promise<string> => {
    if (this.readMode === 'fails') throw new Error('the index is gone');
    return this.readMode === 'empty' ? await readsNothing() : JSON.stringify({ nth, readAt: this.time });
  };

  private settle({ authorization: { nonce, validBefore } }: SignedPayment): Settlement {
    const refused = (reason: string): Settlement => ({ kind: 'refused', reason, transaction: null });
    if (this.time >= Number(validBefore) * 1000) return refused('invalid_exact_evm_payload_authorization_valid_before');
    // Like a real facilitator, it does not know what used a nonce.
    if (this.moved.has(nonce) || this.underWay.has(nonce))
      return { kind: 'unknown', reason: 'nonce_already_used', transaction: null };
    switch (this.settleMode) {
      case 'ok':
        return { kind: 'settled', transaction: this.move(nonce) };
      case 'lost':
        this.move(nonce);
        return { kind: 'unknown', reason: 'timeout', transaction: null };
      case 'later':
        this.underWay.set(nonce, Number(validBefore) * 1000);
        return { kind: 'unknown', reason: 'settlement_pending', transaction: null };
      case 'refused':
        return refused('insufficient_funds');
      case 'nothing':
        return { kind: 'unknown', reason: 'failed', transaction: null };
    }
  }

  private move(nonce: string): string {
    const transaction = `0x${this.digest(`transaction ${nonce}`)}`;
    this.moved.set(nonce, transaction);
    return transaction;
  }

  private digest(text: string): string {
    return createHash('sha256').update(`${this.name} ${text}`).digest('hex').slice(0, HASH_LENGTH);
  }

  private partsOf(death: Death | null): PaymentParts {
    const { ledger, log, facilitator } = mortal(
      { ledger: this.ledger, log: this.civic.log, facilitator: this.facilitator },
      death,
    );
    return {
      ledger,
      log,
      facilitator,
      checkSignature: async () => true,
      price: () => createPrice(AMOUNT, PAY_TO),
      clock: this.clock,
      chainClock: this.clock,
      identifiers: randomIdentifiers,
      logger: this.civic.logger,
      enforced: true,
      budget: { perAccount: 10n ** 20n, ofAll: 10n ** 20n },
      times: PATIENT_TIMES,
    };
  }

  private reconciling(changes: Partial<ReconcileParts>): ReconcileParts {
    const { ledger, facilitator, clock, civic } = this;
    return {
      ledger,
      facilitator,
      chain: null,
      log: civic.log,
      clock,
      chainClock: clock,
      identifiers: randomIdentifiers,
      logger: civic.logger,
      ...changes,
    };
  }
}
