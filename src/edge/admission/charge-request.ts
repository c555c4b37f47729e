import { columns, flag, number, numberOrNull, text, textAs } from '../../../domain/columns.ts';
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
  type LookAtKey,
  minuteBucket,
  PLAN_NAMES,
  secondsUntil,
} from '../../../domain/plans.ts';
import type { Scope } from '../../../domain/events/account-events.ts';
import type { Statement } from '../../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../../domain/ports/projection.ts';
import type { BucketState } from '../../../domain/ports/counts.ts';

const CHARGED = columns({
  nth: ['k.nth', number],
  keyId: ['k.key_id', text],
  accountId: ['k.account_id', text],
  scopes: ['k.scopes', (scopes) => scopes!.split(' ') as Scope[]],
  expiresAt: ['k.expires_at', numberOrNull],
  revokedAt: ['k.revoked_at', numberOrNull],
  accountStatus: ['k.status', textAs<KeyIdentity['accountStatus']>()],
  channel: ['k.channel', textAs<KeyIdentity['channel']>()],
  tier: ['k.tier', textAs<KeyIdentity['tier']>()],
  paidUntil: ['k.paid_until', numberOrNull],
  paidAt: ['k.paid_at', numberOrNull],
  admissible: ["k.usable and k.status = 'active'", flag],
  plan: ['k.plan', number],
  pastPerimeter: ['c.past_perimeter', number],
  pastHandler: ['c.past_handler', number],
  allowed: ['c.allowed', number],
  perimeterOpens: ['c.perimeter_opens', number],
  handlerOpens: ['c.handler_opens', number],
  allowanceOpens: ['c.allowance_opens', number],
  minuteLeft: ['c.minute_left', number],
  minuteEnds: ['c.minute_ends', number],
  burstLeft: ['c.burst_left', number],
  burstEnds: ['c.burst_ends', number],
});
type ChargedRow = ReturnType<typeof CHARGED.read>;

/** The number of a plan in `PLAN_NAMES`, counted from 1. */
const PLAN_OF_TIER = PLAN_NAMES.map((name, index) => `when '${name}' then ${index + 1}`).join(' ');

/** In two statements, a key could be judged by another account than the charged one. Accounts are taken in order: no deadlock. */
const chargeRequests = (
  generation: number,
  rules: AdmissionRules,
  asked: { readonly hashes: readonly string[]; readonly requests: readonly number[] },
  now: number,
): Statement => ({
  name: `charge_requests_g${generation}`,
  text: `with asked as materialized (
      select q.nth, k.key_id, k.account_id, k.scopes, k.expires_at, k.revoked_at, a.status, a.channel, a.tier, a.paid_until, a.paid_at, q.requests,
        k.revoked_at is null and coalesce(k.expires_at > $3::bigint, true) as usable,
        case when $4::boolean and not (a.channel = 'subscription' and coalesce(a.paid_until > $3::bigint, false)) then 1
          else case a.tier ${PLAN_OF_TIER} else 1 end end as plan
      from unnest($1::text[], $2::bigint[]) with ordinality q(sha256, requests, nth)
      join ${ACCOUNTS.at(generation).keys} k on k.sha256 = q.sha256 join ${ACCOUNTS.at(generation).accounts} a on a.account_id = k.account_id
      where ${requireLive(ACCOUNTS.name, generation)}
      order by k.account_id, usable, q.nth
    )
    select ${CHARGED.sql}
    from asked k cross join lateral civic.admit_requests(k.account_id, k.usable, k.channel = 'subscription', k.usable and k.status = 'active',
      k.requests, 1, $3::bigint, $5::bigint[], ($6::bigint[])[k.plan], ($7::bigint[])[k.plan]) c`,
  values: [
    asked.hashes,
    asked.requests,
    now,
    rules.billingEnforced,
    ceilingsOf(rules.ceilings),
    PLAN_NAMES.map((name) => rules.plans[name].requestsPerMinute),
    PLAN_NAMES.map((name) => rules.plans[name].burstLimit),
  ],
});

const ceilingsOf = ({ perimeter, handler }: AbuseCeilings): readonly number[] =>
  [perimeter, handler].flatMap(({ sustained, burst }: AbuseCeiling) =>
    [sustained, burst].flatMap(({ requests, seconds }) => [requests, seconds * 1000]),
  );

/** The result of the `nth` request of a key in this statement, counted from 0; -1 is none of them. */
function chargedKey(row: ChargedRow, nth: number, rules: AdmissionRules, now: number): ChargedKey {
  const plan = PLAN_NAMES[row.plan - 1]!;
  const { keyId, accountId, scopes, expiresAt, revokedAt, accountStatus, channel, tier, paidUntil, paidAt } = row;
  const identity = { keyId, accountId, scopes, expiresAt, revokedAt, accountStatus, channel, tier, paidUntil, paidAt };
  return { identity, plan, charge: chargeOf(row, nth, rules.plans[plan], now) };
}

function chargeOf(row: ChargedRow, nth: number, allowances: Allowances, now: number): Charge {
  const exhausted = (opens: number) => ({ kind: 'exhausted' as const, retryAfterSeconds: secondsUntil(opens, now) });
  if (nth >= row.pastPerimeter) return { ...exhausted(row.perimeterOpens), by: 'perimeter' };
  if (nth >= row.pastHandler) return { ...exhausted(row.handlerOpens), by: 'handler' };
  if (!row.admissible) return { kind: 'refused' };
  /** Requests that were charged after this one. */
  const after = Math.max(0, row.allowed - 1 - nth);
  const states: readonly BucketState[] = [
    { bucket: minuteBucket(allowances), remaining: row.minuteLeft + after, resetSeconds: secondsUntil(row.minuteEnds, now) },
    { bucket: burstBucket(allowances), remaining: row.burstLeft + after, resetSeconds: secondsUntil(row.burstEnds, now) },
  ];
  return nth < row.allowed ? { kind: 'charged', states } : { ...exhausted(row.allowanceOpens), by: 'allowance', states };
}

/** Takes no request through the counters. */
export const createLookAtKey =
  (reads: LiveReads, rules: AdmissionRules): LookAtKey =>
  async (sha256, now) => {
    const [row] = await reads.texts((live) => chargeRequests(live(ACCOUNTS.name), rules, { hashes: [sha256], requests: [0] }, now));
    return row === undefined ? null : chargedKey(CHARGED.read(row), -1, rules, now);
  };

type Waiting = PromiseWithResolvers<ChargedKey | null> & {
  readonly sha256: string;
  readonly now: number;
  readonly readAhead: (() => void) | undefined;
};

/** Requests of one event-loop iteration share a statement. None joins a sent one: a key revoked in between would pass. */
export function createChargeRequest(reads: LiveReads, rules: AdmissionRules): ChargeRequest {
  let waiting: Waiting[] = [];
  const send = async (asked: readonly Waiting[]): Promise<void> => {
    const byKey = Map.groupBy(asked, ({ sha256 }) => sha256);
    const now = asked.reduce((latest, each) => Math.max(latest, each.now), 0);
    try {
      const batch = { hashes: [...byKey.keys()], requests: Array.from(byKey.values(), ({ length }) => length) };
      const rows = await reads.texts((live) => chargeRequests(live(ACCOUNTS.name), rules, batch, now));
      for (const row of rows.map(CHARGED.read)) {
        byKey.get(batch.hashes[row.nth - 1]!)!.forEach(({ resolve }, nth) => resolve(chargedKey(row, nth, rules, now)));
      }
      // Those of unknown keys: a promise keeps its first result.
      for (const { resolve } of asked) resolve(null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return (sha256, now, readAhead) => {
    if (waiting.length === 0) {
      setImmediate(() => {
        const asked = waiting;
        waiting = [];
        void send(asked);
        for (const { readAhead } of asked) readAhead?.();
      });
    }
    const mine = { sha256, now, readAhead, ...Promise.withResolvers<ChargedKey | null>() };
    waiting.push(mine);
    return mine.promise;
  };
}
