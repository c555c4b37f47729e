import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import { type Billing, toolBilling } from '../billing.ts';
import { PaymentRefused } from './payment-answer.ts';

/**
 * Whether a call of a sold tool is served as ever or is to be paid for by itself; throws the refusal of checks 1 to 3. A payment
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
