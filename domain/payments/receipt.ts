import { z } from 'zod';

/** The receipt of a settled payment in the form of x402, sent as `_meta["x402/payment-response"]`. */
export const paymentReceipt = z.strictObject({
  success: z.literal(true),
  /** Hash of the transaction that moved the money. */
  transaction: z.string(),
  network: z.string(),
  payer: z.string(),
  amount: z.string(),
});
export type PaymentReceipt = z.output<typeof paymentReceipt>;

export const receiptOf = (
  { network, payer, amount }: { readonly network: string; readonly payer: string; readonly amount: string },
  transaction: string,
): PaymentReceipt => ({ success: true, transaction, network, payer, amount });

export const transactionHash = z
  .string()
  .toLowerCase()
  .regex(/^0x(?!0{64}$)[0-9a-f]{64}$/);
