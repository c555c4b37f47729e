import type { AdmissionRules } from '../../domain/plans.ts';
import { createChargeRequest } from '../edge/admission/charge-request.ts';
import { createAdmission, tracedAdmission } from '../edge/admission/admit.ts';
import { createKeyUses } from '../edge/admission/key-uses.ts';
import { createSampledFailures } from '../edge/admission/sampled-failures.ts';
import type { Platform } from '../platform.ts';

export function accounts({ settings, clock, logger, tracing, stores }: Platform) {
  const rules: AdmissionRules = {
    plans: settings.CIVIC_PLANS,
    ceilings: { perimeter: settings.CIVIC_ABUSE_LIMIT, handler: settings.CIVIC_ABUSE_LIMIT },
    billingEnforced: settings.CIVIC_BILLING_ENFORCEMENT === 'on',
  };
  const admission = createAdmission({
    rules,
    chargeRequest: createChargeRequest(stores.admissionReads, rules),
    chargeUnits: stores.chargeUnits,
    windowCounts: stores.windowCounts,
    onUse: createKeyUses(stores.storeKeyUse, createSampledFailures({ clock, logger }, 'the last use of a key could not be stored')),
    onFailure: createSampledFailures({ clock, logger }, 'identity and limits could not be looked up'),
  });
  return { rules, admission: tracedAdmission(admission, tracing) };
}
