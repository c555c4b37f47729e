import { ACCOUNTS } from '../../../projections/accounts/tables.ts';
import {
  type AbuseCeiling,
  type AbuseCeilings,
  type AdmissionRules,
  type Allowances,
  burstBucket,
  type Charge,
  type ChargedKey,
  type ChargeRequest,
  type KeyIdentity,
  type LookUpKey,
  minuteBucket,
  PLAN_NAMES,
  secondsUntil,
} from '../../../domain/plans.ts';
import type { Scope } from '../../../domain/events/account-events.ts';
import type { Statement } from '../../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../../domain/ports/projection.ts';
import type { BucketState } from '../../../domain/ports/counts.ts';

/** Row of a key: its identity, and the charge of its requests in this statement. */
interface ChargedRow extends Omit<KeyIdentity, 'scopes'> {
  /** Number of the key in the statement, from 1. */
  readonly nth: number;
  readonly scopes: string;
  readonly admissible: boolean;
  /** Index in `PLAN_NAMES`, counted from 1. */
  readonly plan: number;
  readonly pastReceivedCeiling: number;
  readonly pastHandledCeiling: number;
  readonly allowed: number;
  readonly receivedCeilingOpens: number;
  readonly handledCeilingOpens: number;
  readonly allowanceOpens: number;
  readonly minuteLeft: number;
  readonly minuteEnds: number;
  readonly burstLeft: number;
  readonly burstEnds: number;
}

/** SQL cases from the name of a tier to the index of its plan in `PLAN_NAMES`, counted from 1. */
const PLAN_OF_TIER = PLAN_NAMES.map((name, index) => `when '${name}' then ${index + 1}`).join(' ');

/**
 * Identifies and charges in one statement. With two, a key could move to another account in between. Accounts are
 * locked in order, so concurrent statements do not deadlock.
 */
const chargeRequests = (
  generation: number,
  rules: AdmissionRules,
  batch: { readonly hashes: readonly string[]; readonly requests: readonly number[] },
  now: number,
): Statement => ({
  name: `charge_requests_g${generation}`,
  text: `with requested as materialized (
      select q.nth, k.key_id, k.account_id, k.scopes, k.expires_at, k.revoked_at, a.status, a.channel, a.tier, a.paid_until, a.paid_at, q.requests,
        k.revoked_at is null and coalesce(k.expires_at > $3::bigint, true) as usable,
        case when $4::boolean and not (a.channel = 'subscription' and coalesce(a.paid_until > $3::bigint, false)) then 1
          else case a.tier ${PLAN_OF_TIER} else 1 end end as plan
      from unnest($1::text[], $2::bigint[]) with ordinality q(sha256, requests, nth)
      join ${ACCOUNTS.at(generation).keys} k on k.sha256 = q.sha256 join ${ACCOUNTS.at(generation).accounts} a on a.account_id = k.account_id
      where ${requireLive(ACCOUNTS.name, generation)}
      order by k.account_id, usable, q.nth
    )
    select k.nth, k.key_id as "keyId", k.account_id as "accountId", k.scopes, k.expires_at as "expiresAt",
      k.revoked_at as "revokedAt", k.status as "accountStatus", k.channel, k.tier, k.paid_until as "paidUntil",
      k.paid_at as "paidAt", k.usable and k.status = 'active' as admissible, k.plan,
      c.past_perimeter as "pastReceivedCeiling", c.past_handler as "pastHandledCeiling", c.allowed,
      c.perimeter_opens as "receivedCeilingOpens", c.handler_opens as "handledCeilingOpens",
      c.allowance_opens as "allowanceOpens", c.minute_left as "minuteLeft", c.minute_ends as "minuteEnds",
      c.burst_left as "burstLeft", c.burst_ends as "burstEnds"
    from requested k cross join lateral civic.admit_requests(k.account_id, k.usable, k.channel = 'subscription', k.usable and k.status = 'active',
      k.requests, 1, $3::bigint, $5::bigint[], ($6::bigint[])[k.plan], ($7::bigint[])[k.plan]) c`,
  values: [
    batch.hashes,
    batch.requests,
    now,
    rules.billingEnforced,
    listCeilings(rules.ceilings),
    PLAN_NAMES.map((name) => rules.plans[name].requestsPerMinute),
    PLAN_NAMES.map((name) => rules.plans[name].burstLimit),
  ],
});

const listCeilings = ({ received, handled }: AbuseCeilings): readonly number[] =>
  [received, handled].flatMap(({ sustained, burst }: AbuseCeiling) =>
    [sustained, burst].flatMap(({ requests, seconds }) => [requests, seconds * 1000]),
  );

/**
 * Returns the result for the `nth` request of a key in this statement, counted from 0; -1 for a key that is only looked
 * up.
 */
function readChargedKey(row: ChargedRow, nth: number, rules: AdmissionRules, now: number): ChargedKey {
  const plan = PLAN_NAMES[row.plan - 1]!;
  const scopes = row.scopes.split(' ') as Scope[];
  const { keyId, accountId, expiresAt, revokedAt, accountStatus, channel, tier, paidUntil, paidAt } = row;
  const identity = { keyId, accountId, scopes, expiresAt, revokedAt, accountStatus, channel, tier, paidUntil, paidAt };
  return { identity, plan, charge: readCharge(row, nth, rules.plans[plan], now) };
}

function readCharge(row: ChargedRow, nth: number, allowances: Allowances, now: number): Charge {
  const exhausted = (opens: number) => ({ kind: 'exhausted' as const, retryAfterSeconds: secondsUntil(opens, now) });
  if (nth >= row.pastReceivedCeiling) return { ...exhausted(row.receivedCeilingOpens), by: 'abuseCeiling' };
  if (nth >= row.pastHandledCeiling) return { ...exhausted(row.handledCeilingOpens), by: 'abuseCeiling' };
  if (!row.admissible) return { kind: 'refused' };
  /** Number of requests charged after this one. */
  const after = Math.max(0, row.allowed - 1 - nth);
  const states: readonly BucketState[] = [
    {
      bucket: minuteBucket(allowances),
      remaining: row.minuteLeft + after,
      resetSeconds: secondsUntil(row.minuteEnds, now),
    },
    {
      bucket: burstBucket(allowances),
      remaining: row.burstLeft + after,
      resetSeconds: secondsUntil(row.burstEnds, now),
    },
  ];
  return nth < row.allowed
    ? { kind: 'charged', states }
    : { ...exhausted(row.allowanceOpens), by: 'allowance', states };
}

/** Looks up the key without charging it. */
export const createLookUpKey =
  (reads: LiveReads, rules: AdmissionRules): LookUpKey =>
  async (sha256, now) => {
    const [row] = await reads.rows<ChargedRow>((live) =>
      chargeRequests(live(ACCOUNTS.name), rules, { hashes: [sha256], requests: [0] }, now),
    );
    return row === undefined ? null : readChargedKey(row, -1, rules, now);
  };

type Waiting = PromiseWithResolvers<ChargedKey | null> & { readonly sha256: string; readonly now: number };

/**
 * Charges the requests of one event-loop turn in one statement. A later request waits for the next statement: if it
 * joined this one, a key that was revoked in between would pass.
 */
export function createChargeRequest(reads: LiveReads, rules: AdmissionRules): ChargeRequest {
  let waiting: Waiting[] = [];
  const send = async (requests: readonly Waiting[]): Promise<void> => {
    const byKey = Map.groupBy(requests, ({ sha256 }) => sha256);
    const now = requests.reduce((latest, each) => Math.max(latest, each.now), 0);
    try {
      const batch = { hashes: [...byKey.keys()], requests: Array.from(byKey.values(), ({ length }) => length) };
      const rows = await reads.rows<ChargedRow>((live) => chargeRequests(live(ACCOUNTS.name), rules, batch, now));
      for (const row of rows) {
        byKey
          .get(batch.hashes[row.nth - 1]!)!
          .forEach(({ resolve }, nth) => resolve(readChargedKey(row, nth, rules, now)));
      }
      // Only promises of unknown keys are still pending.
      for (const { resolve } of requests) resolve(null);
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  };
  return (sha256, now) => {
    if (waiting.length === 0) {
      setImmediate(() => {
        const requests = waiting;
        waiting = [];
        void send(requests);
      });
    }
    const request = { sha256, now, ...Promise.withResolvers<ChargedKey | null>() };
    waiting.push(request);
    return request.promise;
  };
}
