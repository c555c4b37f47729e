import { describe, expect, test } from 'vitest';
import { billingRefusal, toolBilling } from '../../src/edge/admission/billing.ts';
import type { Surface } from '../../contract/operation.ts';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import type { BillingFacts, Tier } from '../../domain/plans.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const DAY_MS = 86_400_000;

const facts = (facts: Partial<BillingFacts>): BillingFacts => ({
  channel: 'unset',
  tier: 'none',
  paidUntil: null,
  paidAt: null,
  ...facts,
});
const paid = (tier: Tier, paidUntil = NOW + 1): BillingFacts => facts({ channel: 'subscription', tier, paidUntil });

/** Expected decisions of billing, by plan. */
const COLUMNS = {
  unset: facts({}),
  // A fact about another channel gives no access on this one.
  'unset, once paid': facts({ tier: 'ultra', paidUntil: NOW + DAY_MS, paidAt: NOW }),
  'subscription, never paid': facts({ channel: 'subscription', tier: 'pro' }),
  'subscription, paid until this moment': paid('pro', NOW),
  'subscription with a payment': facts({ channel: 'subscription', tier: 'pro', paidAt: NOW }),
  payg: facts({ channel: 'payg' }),
  'payg, with the period of a subscription': facts({ channel: 'payg', tier: 'pro', paidUntil: NOW + DAY_MS }),
  'payg, paid 30 days ago': facts({ channel: 'payg', paidAt: NOW - 30 * DAY_MS }),
  'payg, paid within 30 days': facts({ channel: 'payg', paidAt: NOW - 30 * DAY_MS + 1 }),
  'payg, paid now': facts({ channel: 'payg', paidAt: NOW }),
  'paid through, none': paid('none'),
  'paid through, pro': paid('pro'),
  'paid through, ultra': paid('ultra'),
} as const;
type Column = keyof typeof COLUMNS;

const served = null;
const unset = 'billing_channel_unset';
const unpaid = 'billing_entitlement_required';
const plan = 'feed_subscription_plan_required';

const TABLE: Readonly<Record<Column, Readonly<Record<Exclude<Surface, 'tools'>, string | null>>>> = {
  unset: { data: unset, subscriptions: unset, reports: 'forbidden' },
  'unset, once paid': { data: unset, subscriptions: unset, reports: 'forbidden' },
  'subscription, never paid': { data: unpaid, subscriptions: unpaid, reports: 'forbidden' },
  'subscription, paid until this moment': { data: unpaid, subscriptions: unpaid, reports: 'forbidden' },
  'subscription with a payment': { data: unpaid, subscriptions: unpaid, reports: 'forbidden' },
  payg: { data: unpaid, subscriptions: unpaid, reports: 'forbidden' },
  'payg, with the period of a subscription': { data: unpaid, subscriptions: unpaid, reports: 'forbidden' },
  'payg, paid 30 days ago': { data: unpaid, subscriptions: unpaid, reports: 'forbidden' },
  'payg, paid within 30 days': { data: unpaid, subscriptions: unpaid, reports: served },
  'payg, paid now': { data: unpaid, subscriptions: unpaid, reports: served },
  'paid through, none': { data: served, subscriptions: plan, reports: served },
  'paid through, pro': { data: served, subscriptions: served, reports: served },
  'paid through, ultra': { data: served, subscriptions: served, reports: served },
};

const columns = Object.keys(COLUMNS) as Column[];

describe('billing enforced', () => {
  test.each(columns)('answers an account that is %s on each surface according to the table', (column) => {
    const billing = { facts: COLUMNS[column], enforced: true, now: NOW };
    const answers = (['data', 'subscriptions', 'reports'] as const).map((surface) => [
      surface,
      billingRefusal(surface, billing)?.code ?? null,
    ]);
    expect(Object.fromEntries(answers)).toEqual(TABLE[column]);
    expect(billingRefusal('tools', billing)).toBeNull();
  });

  test.each(columns)('answers each tool call of an account that is %s according to the table', (column) => {
    const billing = { facts: COLUMNS[column], enforced: true, now: NOW };
    const { channel } = COLUMNS[column];
    const search = column.startsWith('paid through') ? 'served' : channel === 'payg' ? 'pay_per_call' : unpaid;
    const report = TABLE[column].reports === served ? 'served' : 'access_denied';
    expect(Object.fromEntries(TOOL_NAMES.map((tool) => [tool, toolBilling(tool, billing)]))).toEqual({
      search_agenda: search,
      get_agenda_item: search,
      get_coverage: 'served',
      get_data_coverage: 'served',
      report_missing_data: report,
      get_data_report: report,
    });
  });

  test('a payment later than the clock gives no access yet', () => {
    const billing = { facts: facts({ channel: 'payg', paidAt: NOW + 1 }), enforced: true, now: NOW };
    expect(billingRefusal('reports', billing)?.code).toBe('forbidden');
  });
});

describe('billing that is not enforced', () => {
  test.each(columns)(
    'serves an account that is %s everywhere, but subscriptions only on a plan that has them',
    (column) => {
      const billing = { facts: COLUMNS[column], enforced: false, now: NOW };
      expect(billingRefusal('data', billing)).toBeNull();
      expect(billingRefusal('reports', billing)).toBeNull();
      expect(billingRefusal('subscriptions', billing)?.code ?? null).toBe(
        COLUMNS[column].tier === 'none' ? plan : null,
      );
      expect(new Set(TOOL_NAMES.map((tool) => toolBilling(tool, billing)))).toEqual(new Set(['served']));
    },
  );
});
