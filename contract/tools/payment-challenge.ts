import { z } from 'zod';
import { component, matching, MEANINGS } from '../fields.ts';

const address = matching(/^0x[0-9a-fA-F]{40}$/);

const paymentRequirements = z.strictObject({
  scheme: z.literal('exact').describe('How the payment is made.'),
  network: z.literal('eip155:84532').describe('The chain.'),
  asset: address.describe('Contract address of the asset.'),
  amount: matching(/^[1-9][0-9]*$/).describe('Amount in the smallest units of the asset, as decimal text.'),
  payTo: address.describe('Address that is paid.'),
  maxTimeoutSeconds: z.int().min(1).describe('How long the payment has to be settled.'),
  extra: z
    .strictObject({ name: z.string().describe('Name.'), version: z.string().describe('Version.') })
    .describe('Name and version of the asset in its signing domain.'),
});

/** The answer `payment_required` in place of data: the x402 challenge without a wrapper. */
export const paymentChallenge = component('PaymentChallenge', {
  x402Version: z.literal(2).describe('Version of the payment protocol.'),
  error: z.string().describe(MEANINGS.error),
  resource: z
    .strictObject({
      url: z.string().min(1).describe('Address.'),
      description: z.string().describe('What it is, in words.').optional(),
      mimeType: z.string().describe('Media type of what is paid for.').optional(),
    })
    .describe('What is paid for.'),
  accepts: z.array(paymentRequirements).length(1).describe('The one way to pay that is accepted.'),
});
export type PaymentChallenge = z.output<typeof paymentChallenge>;
