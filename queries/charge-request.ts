import { ACCOUNTS, accountsTable, keysTable } from '../projections/accounts/tables.ts';
import { burstBucket, minuteBucket } from '../src/domain/allowance-buckets.ts';
import { type AbuseCeiling, type AbuseCeilings, type Allowances, PLAN_NAMES } from '../src/domain/allowances.ts';
import type { Scope } from '../src/domain/events/account-events.ts';
import type { KeyIdentity } from '../src/domain/identity.ts';
import type { AdmissionRules, Charge, ChargedKey, ChargeRequest } from '../src/domain/ports/admission-counts.ts';
import type { Statement, TextRow } from '../src/domain/ports/database.ts';
import { type LiveReads, requireLive } from '../src/domain/ports/projection.ts';
import { type BucketState, secondsUntil } from '../src/domain/ports/window-counts.ts';

/**
 * Keys by their hashes, and the charges of so many requests of each: one round trip, whatever their number. The one question that writes:
 * asked apart, a key could be judged by an account that is not the one charged. Accounts are taken in order, so that of two statements
 * with the same accounts one waits for the other, never both.
 */
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
          else case a.tier when 'pro' then 2 when 'ultra' then 3 else 1 end end as plan
      from unnest($1::text[], $2::bigint[]) with ordinality q(sha256, requests, nth)
      join ${keysTable(generation)} k on k.sha256 = q.sha256 join ${accountsTable(generation)} a on a.account_id = k.account_id
      where ${requireLive(ACCOUNTS, generation)}
      order by k.account_id, usable, q.nth
    )
    select k.nth, k.key_id, k.account_id, k.scopes, k.expires_at, k.revoked_at, k.status, k.channel, k.tier, k.paid_until, k.paid_at,
      k.usable and k.status = 'active', k.plan, c.past_perimeter, c.past_handler, c.allowed, c.perimeter_opens, c.handler_opens, c.allowance_opens,
      c.minute_left, c.minute_ends, c.burst_left, c.burst_ends
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

const time = (text: string | null | undefined): number | null => (text === null || text === undefined ? null : Number(text));

const toIdentity = (row: TextRow): KeyIdentity => ({
  keyId: row[1]!,
  accountId: row[2]!,
  scopes: row[3]!.split(' ') as Scope[],
  expiresAt: time(row[4]),
  revokedAt: time(row[5]),
  accountStatus: row[6] as KeyIdentity['accountStatus'],
  channel: row[7] as KeyIdentity['channel'],
  tier: row[8] as KeyIdentity['tier'],
  paidUntil: time(row[9]),
  paidAt: time(row[10]),
});

/** What each of the requests of one key got, in their order. */
const handOut = (row: TextRow, rules: AdmissionRules, now: number): ((nth: number) => ChargedKey) => {
  const identity = toIdentity(row);
  const admissible = row[11] === 't';
  const plan = PLAN_NAMES[Number(row[12]) - 1]!;
  const [pastPerimeter, pastHandler, allowed] = row.slice(13, 16).map(Number);
  const seconds = (opens: string | null | undefined): number => secondsUntil(Number(opens), now);
  const states = (nth: number): readonly BucketState[] => statesOf(rules.plans[plan], row, Math.max(0, allowed! - 1 - nth), now);
  const chargeOf = (nth: number): Charge => {
    if (nth >= pastPerimeter!) return { kind: 'exhausted', by: 'perimeter', retryAfterSeconds: seconds(row[16]) };
    if (nth >= pastHandler!) return { kind: 'exhausted', by: 'handler', retryAfterSeconds: seconds(row[17]) };
    if (!admissible) return { kind: 'unusable' };
    if (nth < allowed!) return { kind: 'charged', states: states(nth) };
    return { kind: 'exhausted', by: 'allowance', retryAfterSeconds: seconds(row[18]), states: states(nth) };
  };
  return (nth) => ({ identity, plan, charge: chargeOf(nth) });
};

/** `after`: how many requests were charged after the one that is told of. */
const statesOf = (allowances: Allowances, row: TextRow, after: number, now: number): readonly BucketState[] => [
  { bucket: minuteBucket(allowances), remaining: Number(row[19]) + after, resetSeconds: secondsUntil(Number(row[20]), now) },
  { bucket: burstBucket(allowances), remaining: Number(row[21]) + after, resetSeconds: secondsUntil(Number(row[22]), now) },
];

type Waiting = PromiseWithResolvers<ChargedKey | null>;

/**
 * Requests that come in one turn of the event loop share one statement, and get what it let through in their order. None joins a statement
 * that has been sent: what it would be told could be older than its own request, and a key revoked in between would pass.
 */
export const createChargeRequest = (reads: LiveReads, rules: AdmissionRules): ChargeRequest => {
  let turn: { readonly asked: Map<string, Waiting[]>; now: number } | undefined;
  const send = async (asked: ReadonlyMap<string, readonly Waiting[]>, now: number) => {
    const all = [...asked.values()];
    try {
      const batch = { hashes: [...asked.keys()], requests: all.map(({ length }) => length) };
      const rows = await reads.texts((live) => chargeRequests(live(ACCOUNTS), rules, batch, now));
      const found = new Map(rows.map((row) => [Number(row[0]), handOut(row, rules, now)]));
      all.forEach((waiting, key) => {
        const give = found.get(key + 1);
        waiting.forEach(({ resolve }, nth) => resolve(give === undefined ? null : give(nth)));
      });
    } catch (error) {
      for (const { reject } of all.flat()) reject(error);
    }
  };
  return (sha256, now) => {
    if (turn === undefined) {
      const opened = { asked: new Map<string, Waiting[]>(), now };
      turn = opened;
      setImmediate(() => {
        turn = undefined;
        void send(opened.asked, opened.now);
      });
    }
    turn.now = Math.max(turn.now, now);
    const mine = Promise.withResolvers<ChargedKey | null>();
    const others = turn.asked.get(sha256);
    if (others === undefined) turn.asked.set(sha256, [mine]);
    else others.push(mine);
    return mine.promise;
  };
};
