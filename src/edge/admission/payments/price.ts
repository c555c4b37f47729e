import type { PaymentChallenge } from '../../../../contract/tools/payment-challenge.ts';
import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import { TOOLS } from '../../../../contract/tools/tools.ts';
import { ASSET, ASSET_DOMAIN, NETWORK, type PaymentTerms, SCHEME, toolUrl } from '../../../../domain/payments/payment.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import { PaymentRefused } from './payment-answer.ts';
import { sha256 } from './payment-hashes.ts';

/** The present price of a tool. */
export interface Price {
  readonly terms: PaymentTerms;
  /** Changes whenever the terms do. */
  readonly version: string;
}

const VERSION_LENGTH = 12;

/** The price of an amount (smallest units) to an address; null where there is no amount: then nothing is sold. */
export function priceOf(amount: string | null, payTo: string): Price | null {
  if (amount === null) return null;
  const terms = { scheme: SCHEME, network: NETWORK, asset: ASSET, amount, payTo: payTo.toLowerCase(), extra: ASSET_DOMAIN };
  return { terms, version: sha256(JSON.stringify(terms)).slice(0, VERSION_LENGTH) };
}

/** How long a payment is asked to be valid for: the margin that the chain wants, and room for verifying, reading and settling. */
export const MAX_TIMEOUT_SECONDS = 120;

/** The bare challenge: what to pay, to whom, for what. Made without a request to the facilitator. */
export const challengeFor = (tool: ToolName, { terms }: Price): PaymentChallenge => ({
  x402Version: 2,
  error: 'payment_required',
  resource: { url: toolUrl(tool), description: `${TOOLS[tool].title}: one call`, mimeType: 'application/json' },
  accepts: [
    {
      scheme: SCHEME,
      network: NETWORK,
      asset: terms.asset,
      amount: terms.amount,
      payTo: terms.payTo,
      maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
      extra: { ...terms.extra },
    },
  ],
});

/** The price of a tool now; throws `payment_price_unavailable` when there is none or it cannot be read. */
export async function currentPrice(
  { price, logger }: { readonly price: (tool: ToolName) => Promise<Price | null>; readonly logger: Logger },
  tool: ToolName,
): Promise<Price> {
  const found = await price(tool).catch((error: unknown) => {
    logger.warn({ tool, error: (error as Error).message }, 'the price could not be read');
    return null;
  });
  if (found === null) throw new PaymentRefused('payment_price_unavailable');
  return found;
}
