import { PaymentRefused } from './payment-answer.ts';
import type { PaymentParts } from './payment-parts.ts';

const LATER_SECONDS = 5;

/** Fails closed: where the ledger cannot be asked, nothing is verified, read or settled. */
export const fromLedger = async <Result>({ logger }: Pick<PaymentParts, 'logger'>, ask: () => Promise<Result>): Promise<Result> => {
  try {
    return await ask();
  } catch (error) {
    logger.warn({ error: (error as Error).message }, 'the payment ledger could not be reached');
    throw new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: LATER_SECONDS });
  }
};
