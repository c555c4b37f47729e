/** Where a call carries its payment. */
export const PAYMENT_META = 'x402/payment';

/** Any value of JSON; a member that is not there, of whatever value, is undefined. */
type Json = { readonly [member: string]: Json } | null | undefined;

/**
 * What is the same for the same payment, whatever is written around it: who pays, and the number that is used once. Null for what lacks
 * them: it pays for nothing.
 */
function paymentName(payment: unknown): string | null {
  const { from, nonce }: { readonly from?: unknown; readonly nonce?: unknown } = (payment as Json)?.['payload']?.['authorization'] ?? {};
  return typeof from === 'string' && typeof nonce === 'string' ? `${from} ${nonce}`.toLowerCase() : null;
}

/** Whether the payment is one of those that several elements of a batch carry. */
export function isShared(shared: ReadonlySet<string>, payment: unknown): boolean {
  const name = paymentName(payment);
  return name !== null && shared.has(name);
}

/** Payments that occur in several elements of a batch; a payment can pay for one element only. */
export function sharedPayments(body: unknown): ReadonlySet<string> {
  if (!Array.isArray(body)) return new Set();
  const carried = (body as readonly Json[]).map((element) => element?.['params']?.['_meta']?.[PAYMENT_META]);
  const names = carried.map(paymentName).filter((name) => name !== null);
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}
