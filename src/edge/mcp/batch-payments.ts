/** Where a call carries its payment. */
export const PAYMENT_META = 'x402/payment';

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/**
 * What is the same for the same payment, whatever is written around it: who pays, and the number that is used once. Null for what lacks
 * them: it pays for nothing.
 */
const paymentName = (payment: unknown): string | null => {
  const authorization = member(member(payment, 'payload'), 'authorization');
  const [from, nonce] = [member(authorization, 'from'), member(authorization, 'nonce')];
  return typeof from === 'string' && typeof nonce === 'string' ? `${from} ${nonce}`.toLowerCase() : null;
};

/** Whether the payment is one of those that several elements of a batch carry. */
export const isShared = (shared: ReadonlySet<string>, payment: unknown): boolean => {
  const name = paymentName(payment);
  return name !== null && shared.has(name);
};

/** Payments that occur in several elements of a batch; a payment can pay for one element only. */
export const sharedPayments = (body: unknown): ReadonlySet<string> => {
  if (!Array.isArray(body)) return new Set();
  const carried = body.map((element) => member(member(member(element, 'params'), '_meta'), PAYMENT_META));
  const names = carried.map(paymentName).filter((name) => name !== null);
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
};
