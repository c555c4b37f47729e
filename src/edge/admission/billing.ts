import type { Surface } from '../../../contract/operation.ts';
import type { ToolName } from '../../../contract/tools/tool-names.ts';
import { TOOLS } from '../../../contract/tools/tools.ts';
import { type BillingFacts, isPaidThrough, PAYMENT_COVERS_MS, SUBSCRIPTION_CAPS } from '../../../domain/plans.ts';
import { Rejection, REPORTS_FORBIDDEN } from '../../../domain/rejections.ts';

export interface Billing {
  readonly facts: BillingFacts;
  /** If false, every account counts as paid. */
  readonly enforced: boolean;
  /** Clock milliseconds. */
  readonly now: number;
}

const hasRecentPayment = ({ channel, paidAt }: BillingFacts, now: number): boolean =>
  channel === 'payg' && paidAt !== null && paidAt <= now && paidAt > now - PAYMENT_COVERS_MS;

/** True within a paid period or 30 days after a confirmed payment. */
const mayReport = ({ facts, enforced, now }: Billing): boolean =>
  !enforced || isPaidThrough(facts, now) || hasRecentPayment(facts, now);

/** Returns null if billing admits the request, and for tools: `toolBilling` decides for each of them. */
export function billingRefusal(surface: Surface, billing: Billing): Rejection | null {
  const { facts, enforced, now } = billing;
  if (surface === 'tools') return null;
  if (surface === 'reports') return mayReport(billing) ? null : new Rejection('forbidden', REPORTS_FORBIDDEN);
  if (enforced && facts.channel === 'unset')
    return new Rejection('billing_channel_unset', 'the account has no billing channel yet');
  if (enforced && !isPaidThrough(facts, now)) {
    return new Rejection('billing_entitlement_required', 'the account has no current paid subscription period');
  }
  if (surface === 'subscriptions' && SUBSCRIPTION_CAPS[facts.tier] === 0) {
    return new Rejection('feed_subscription_plan_required', 'polling subscriptions need a current Pro or Ultra plan');
  }
  return null;
}

type ToolBilling = 'served' | 'pay_per_call' | 'billing_entitlement_required' | 'access_denied';

/** `pay_per_call` leaves the decision to the payment channel. */
export function toolBilling(tool: ToolName, billing: Billing): ToolBilling {
  const { facts, enforced, now } = billing;
  const { access } = TOOLS[tool];
  if (access === 'reports') return mayReport(billing) ? 'served' : 'access_denied';
  if (access === 'free' || !enforced || isPaidThrough(facts, now)) return 'served';
  return facts.channel === 'payg' ? 'pay_per_call' : 'billing_entitlement_required';
}
