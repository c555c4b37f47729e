import type { PaymentChallenge } from '../../../../contract/tools/payment-challenge.ts';
import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import { TOOLS } from '../../../../contract/tools/tools.ts';
import { ASSET, ASSET_DOMAIN, NETWORK, type PaymentTerms, requirementsOf, SCHEME, toolUrl } from '../../../../domain/payments/payment.ts';
import { type Billing, toolBilling } from '../admit.ts';
import { PaymentRefused } from './payment-answer.ts';
import { sha256 } from './payment-payload.ts';

/**
 * Whether a call of a sold tool is served under the plan or paid by the call; throws the refusal of checks 1 to 3. A payment
 * that comes along where nothing is charged is left alone, unless it comes from another channel: then it is refused as a mistake of its sender.
 */
export function channelGate(
  tool: ToolName,
  billing: Billing,
  call: { readonly open: boolean; readonly attached: boolean },
): 'serve' | 'pay' {
  const payAsYouGo = billing.facts.channel === 'payg';
  const judged = toolBilling(tool, billing);
  if (call.attached && !payAsYouGo) throw new PaymentRefused(call.open ? 'billing_channel_payment_mismatch' : 'beta_unavailable');
  if (judged === 'served') return 'serve';
  if (judged !== 'pay_per_call') throw new PaymentRefused('billing_entitlement_required');
  if (!call.open) throw new PaymentRefused('beta_unavailable');
  return 'pay';
}

/** The present price of a tool. */
export interface Price {
  readonly terms: PaymentTerms;
  /** Changes with the terms. */
  readonly version: string;
}

const VERSION_LENGTH = 12;

/** The price of an amount (smallest units) to an address; null where there is no amount: then nothing is sold. */
export function priceOf(amount: string | null, payTo: string): Price | null {
  if (amount === null) return null;
  const terms = { scheme: SCHEME, network: NETWORK, asset: ASSET, amount, payTo: payTo.toLowerCase(), extra: ASSET_DOMAIN };
  return { terms, version: sha256(JSON.stringify(terms)).slice(0, VERSION_LENGTH) };
}

/** The challenge: amount, recipient and resource. Made without a request to the facilitator. */
export const challengeFor = (tool: ToolName, { terms }: Price): PaymentChallenge => ({
  x402Version: 2,
  error: 'payment_required',
  resource: { url: toolUrl(tool), description: `${TOOLS[tool].title}: one call`, mimeType: 'application/json' },
  accepts: [requirementsOf(terms)],
});

/** Throws `payment_price_unavailable` where nothing is sold. */
export function requiredPrice(price: Price | null): Price {
  if (price === null) throw new PaymentRefused('payment_price_unavailable');
  return price;
}
