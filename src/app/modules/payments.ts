import type { PaymentChannel } from '../../../domain/ports/payments.ts';
import { createPayments } from '../../edge/admission/payments/pay-for-read.ts';
import { PAYMENT_TIMES } from '../../edge/admission/payments/paid-call.ts';
import { createPrice } from '../../edge/admission/payments/payment-terms.ts';
import type { Platform } from '../platform.ts';
import { type ReconcileParts, reconcilePayments } from '../../processors/reactors/payments/reconcile-payments.ts';
import type { Module } from './module.ts';

const RECONCILE_EVERY_MS = 5_000;

/** Payment for single calls. `channel` is null unless a recipient and a facilitator are set. */
export function payments(platform: Platform, channel: PaymentChannel | null, billingEnforced: boolean) {
  const { settings, log, clock, chainClock, identifiers, logger, stores } = platform;
  const parts = {
    ledger: stores.paymentLedger,
    facilitator: channel?.facilitator ?? null,
    log,
    clock,
    chainClock,
    identifiers,
    logger,
  };
  const sold = createPayments({
    ...parts,
    checkSignature: channel?.checkSignature ?? (async () => false),
    price: () => createPrice(settings.CIVIC_X402_AMOUNT, settings.CIVIC_X402_PAY_TO ?? ''),
    enforced: billingEnforced,
    budget: settings.CIVIC_X402_DAILY_BUDGET,
    times: PAYMENT_TIMES,
  });
  platform.onClose(() => sold.end());
  const reconciling: ReconcileParts = { ...parts, chain: channel?.chain ?? null };
  const reconcile = (signal: AbortSignal) => reconcilePayments(reconciling, signal);
  return {
    jobs: [
      {
        work: 'reconcilePayments',
        what: 'reconciling payments',
        everyMs: RECONCILE_EVERY_MS,
        lease: null,
        run: reconcile,
      },
    ],
    payments: sold,
    reconciling,
  } satisfies Module & Record<'payments' | 'reconciling', unknown>;
}
