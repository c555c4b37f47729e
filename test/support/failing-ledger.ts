import type { PaymentLedger } from '../../domain/ports/payments.ts';
import type { Payments } from '../../src/edge/admission/payments/pay-for-read.ts';
import type { TestPayments } from './payments.ts';

/** A process whose ledger fails at one operation; with `after`, the operation takes effect first. */
export function openWithFailing(
  shop: TestPayments,
  method: 'reserve' | 'find',
  when: 'before' | 'after' = 'before',
): Payments {
  const failing = async (...args: readonly unknown[]): Promise<never> => {
    if (when === 'after') await (shop.ledger[method] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
    throw new Error('the store is gone');
  };
  return shop.open({ ledger: { ...shop.ledger, [method]: failing } });
}
/** A process that fails to write the move to a state, a number of times. */
export function openWithFailingMove(shop: TestPayments, to: string, often = 1): Payments {
  let failuresLeft = often;
  const failIf = (move: { readonly to: string }): void => {
    if (move.to === to && (failuresLeft -= 1) >= 0) throw new Error('the store is gone');
  };
  const ledger: PaymentLedger = {
    ...shop.ledger,
    move: async (seen, move, now) => {
      failIf(move);
      return shop.ledger.move(seen, move, now);
    },
    settledAfterAll: async (paymentId, move, now) => {
      failIf(move);
      return shop.ledger.settledAfterAll(paymentId, move, now);
    },
  };
  return shop.open({ ledger });
}
