import { z } from 'zod';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const paymentRequirements = z.strictObject({
  scheme: z.literal('exact'),
  network: z.literal('eip155:84532'),
  asset: address,
  /** Smallest units of the asset, as decimal text. */
  amount: z.string().regex(/^[1-9][0-9]*$/),
  payTo: address,
  maxTimeoutSeconds: z.int().min(1),
  extra: z.strictObject({ name: z.string(), version: z.string() }),
});

/** The answer `payment_required` in place of data: the x402 challenge without a wrapper. */
export const paymentChallenge = z.strictObject({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z
    .strictObject({ url: z.string().min(1), description: z.string().optional(), mimeType: z.string().optional() })
    .describe('What is paid for.'),
  accepts: z.array(paymentRequirements).length(1),
});
export type PaymentChallenge = z.output<typeof paymentChallenge>;
