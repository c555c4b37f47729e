import { HOUR_MS } from '../../../domain/durations.ts';
import type { AdmissionRules } from '../../../domain/plans.ts';
import { createChargeRequest, createLookUpKey } from '../../edge/admission/charge-request.ts';
import { createAdmission, tracedAdmission } from '../../edge/admission/admit.ts';
import { createKeyUses } from '../../edge/admission/key-uses.ts';
import { createSampledFailures } from '../../edge/admission/sampled-failures.ts';
import { forgetDeadKeys } from '../../../projections/accounts/forget-dead-keys.ts';
import { ACCOUNTS } from '../../../projections/accounts/tables.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

export function accounts({ settings, clock, logger, tracing, stores, database }: Platform) {
  const rules: AdmissionRules = {
    plans: settings.CIVIC_PLANS,
    ceilings: { received: settings.CIVIC_ABUSE_LIMIT, handled: settings.CIVIC_ABUSE_LIMIT },
    billingEnforced: settings.CIVIC_BILLING_ENFORCEMENT === 'on',
  };
  const admission = createAdmission({
    rules,
    chargeRequest: createChargeRequest(stores.admissionReads, rules),
    lookUpKey: createLookUpKey(stores.admissionReads, rules),
    chargeUnits: stores.chargeUnits,
    windowCounts: stores.windowCounts,
    onUse: createKeyUses(
      stores.storeKeyUse,
      createSampledFailures({ clock, logger }, 'could not store the last use of a key'),
    ),
    onFailure: createSampledFailures({ clock, logger }, 'could not look up identity and limits'),
  });
  /** Read positions stay for twice the retention, so that operators see whose cursor has expired. */
  const forgetDead = async (): Promise<void> => {
    const live = (await stores.generations.list()).find(
      ({ projection, state }) => projection === ACCOUNTS.name && state === 'live',
    );
    if (live === undefined) return;
    const now = clock.now();
    const forgetting = { generation: live.generation, now, readsBefore: now - 2 * settings.CIVIC_REPLAY_RETENTION };
    await forgetDeadKeys(database.transactor, forgetting);
  };
  return {
    rules,
    admission: tracedAdmission(admission, tracing),
    jobs: [
      {
        work: 'forgetDeadKeys',
        what: 'forgetting dead keys',
        everyMs: HOUR_MS,
        lease: 'dead-keys',
        run: forgetDead,
      },
    ],
    forgetDead,
  } satisfies Module & Record<'rules' | 'admission' | 'forgetDead', unknown>;
}
