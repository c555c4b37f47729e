/** Where a call carries its payment. */
export const PAYMENT_META = 'x402/payment';

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** What is the same for the same payment, whatever is written around it: who pays, and the number that is used once. */
export const paymentName = (payment: unknown): string => {
  const authorization = member(member(payment, 'payload'), 'authorization');
  const [from, nonce] = [member(authorization, 'from'), member(authorization, 'nonce')];
  return typeof from === 'string' && typeof nonce === 'string' ? `${from} ${nonce}`.toLowerCase() : JSON.stringify(payment);
};

/** The payments that several elements of a batch carry; none of them can pay for more than one. */
export const sharedPayments = (body: unknown): ReadonlySet<string> => {
  if (!Array.isArray(body)) return new Set();
  const carried = body.map((element) => member(member(member(element, 'params'), '_meta'), PAYMENT_META));
  const names = carried.filter((payment) => payment !== undefined).map(paymentName);
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
};
