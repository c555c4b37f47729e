/** Where a payment stands (the table of transitions is in the migration that makes the ledger, which refuses every other). */
export const PAYMENT_STATES = [
  'RESERVED',
  'VERIFIED',
  'RESULT_SAVED',
  'SETTLING',
  'SETTLED',
  'READ_FAILED',
  'READ_EMPTY',
  'SETTLE_FAILED',
  'LAPSED',
  'RECONCILE',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Ended without having been billed. */
export const NOT_BILLED = ['READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED'] as const satisfies readonly PaymentState[];
export type NotBilled = (typeof NOT_BILLED)[number];

export const isNotBilled = (state: PaymentState): state is NotBilled => (NOT_BILLED as readonly PaymentState[]).includes(state);
export const hasEnded = (state: PaymentState): boolean => state === 'SETTLED' || isNotBilled(state);
