import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Admission } from '../../src/edge/admission/admit.ts';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import type { AdmissionRules } from '../../domain/plans.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import { type AdmissionBench, BUILT_IN_RULES, type Customer, openAdmissionBench } from '../support/admission.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { testRuns, withNightly } from '../support/test-runs.ts';

/** The start of an hour. */
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;
const small = { sustained: { requests: 6, seconds: 60 }, burst: { requests: 4, seconds: 1 } };

let bench: AdmissionBench;
const edges: HttpEdge[] = [];
/** The edge with rules other than the built-in ones. */
async function edgeBy(rules: Partial<AdmissionRules>): Promise<HttpEdge> {
  const edge = await startHttpEdge({ admission: bench.admission({ ...BUILT_IN_RULES, ...rules }) });
  edges.push(edge);
  return edge;
}
let edge: HttpEdge;
beforeAll(async () => {
  bench = await openAdmissionBench(NOW);
  edge = await edgeBy({});
});
afterAll(async () => {
  for (const each of edges) await each.close();
  await bench?.close();
});
beforeEach(() => {
  for (const each of edges) each.now = NOW;
});

const ask = (of: HttpEdge, { key }: Pick<Customer, 'key'>, path = '/api/v1/data/health', method = 'GET') =>
  fetch(of.url + path, { method, headers: { authorization: `Bearer ${key}` } });
async function statuses(of: HttpEdge, customer: Customer, times: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < times; nth += 1) statuses.push((await ask(of, customer)).status);
  return statuses;
}
async function opened(...args: Parameters<AdmissionBench['open']>): Promise<Customer> {
  const customer = await bench.open(...args);
  await bench.caughtUp();
  return customer;
}

describe('minute and burst allowances', () => {
  test('are in the headers of every answer after the charge, and of no answer before it', async () => {
    const customer = await opened({ tier: 'none' });
    edge.now = NOW + 17_400;
    const outcomeOf = async (path?: string) => {
      const { status, headers } = await ask(edge, customer, path);
      return [status, headers.get('ratelimit-policy'), headers.get('ratelimit')];
    };
    const policy = '"minute";q=120;w=60, "burst";q=30;w=1';
    expect(await outcomeOf()).toEqual([200, policy, '"minute";r=119;t=43, "burst";r=29;t=1']);
    expect(await outcomeOf('/api/v1/data/health?unknown=1')).toEqual([
      400,
      policy,
      '"minute";r=118;t=43, "burst";r=28;t=1',
    ]);
    expect(await outcomeOf('/api/v1/data/nothing')).toEqual([404, null, null]);
    const { headers } = await ask(edge, { key: edge.keys.unknown });
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
    for (const path of ['/api/v1/public/source-status', '/api/v1/public/agenda-hits', '/api/mcp']) {
      expect((await ask(edge, customer, path)).headers.has('ratelimit')).toBe(false);
    }
  });

  test('are those of the tier while it is paid, and of the default account from the end of the paid period', async () => {
    const end = NOW + 10_000;
    const [pro, ultra, none] = [
      await bench.open({ tier: 'pro', paidUntil: end }),
      await bench.open({ tier: 'ultra', paidUntil: end }),
      await opened({ tier: 'none', paidUntil: end }),
    ];
    const policy = async (customer: Customer) => (await ask(edge, customer)).headers.get('ratelimit-policy');
    edge.now = end - 1;
    expect(await Promise.all([pro, ultra, none].map(policy))).toEqual([
      '"minute";q=300;w=60, "burst";q=50;w=1',
      '"minute";q=900;w=60, "burst";q=90;w=1',
      '"minute";q=120;w=60, "burst";q=30;w=1',
    ]);
    edge.now = end;
    for (const customer of [pro, ultra, none]) {
      const refused = await ask(edge, customer);
      expect(refused.headers.get('ratelimit-policy')).toBe('"minute";q=120;w=60, "burst";q=30;w=1');
      await expectRefusal(refused, 403, 'billing_entitlement_required');
    }
  });

  test('are shared by all keys of an account and by no other account', async () => {
    const plans = { ...BUILT_IN_PLANS, pro: { ...BUILT_IN_PLANS.pro, requestsPerMinute: 3 } };
    const tight = await edgeBy({ plans });
    const [first, neighbor] = [await bench.open(), await bench.open()];
    const second = await bench.issue(first.accountId);
    await bench.caughtUp();
    expect([
      await statuses(tight, first, 2),
      await statuses(tight, second, 2),
      await statuses(tight, neighbor, 1),
    ]).toEqual([[200, 200], [200, 429], [200]]);
    const third = await bench.issue(first.accountId);
    await bench.caughtUp();
    expect(await statuses(tight, third, 1)).toEqual([429]);
    tight.now = NOW + 59_999;
    const refused = await ask(tight, third);
    expect(refused.headers.get('ratelimit')).toBe('"minute";r=0;t=1, "burst";r=50;t=1');
    expect(refused.headers.get('retry-after')).toBe('1');
    await expectRefusal(refused, 429, 'rate_limited');
    tight.now = NOW + 60_000;
    expect(await statuses(tight, third, 1)).toEqual([200]);
  });

  test('are charged together or not at all: a full burst leaves the minute unchanged', async () => {
    const plans = { ...BUILT_IN_PLANS, pro: { ...BUILT_IN_PLANS.pro, requestsPerMinute: 5, burstLimit: 2 } };
    const tight = await edgeBy({ plans });
    const customer = await opened();
    expect(await statuses(tight, customer, 4)).toEqual([200, 200, 429, 429]);
    expect(await bench.counters(customer.accountId)).toMatchObject({ minute: 2, burst: 2, received: 4 });
    tight.now += 1_000;
    expect(await statuses(tight, customer, 3)).toEqual([200, 200, 429]);
    tight.now += 1_000;
    expect(await statuses(tight, customer, 2)).toEqual([200, 429]);
    expect(await bench.counters(customer.accountId)).toMatchObject({ minute: 5, burst: 1 });
  });

  const exactly = 'let exactly the allowance of %i concurrent requests through and report the remaining units';
  test.each(withNightly([300], [1000]))(exactly, async (concurrent) => {
    const plans = { ...BUILT_IN_PLANS, pro: { ...BUILT_IN_PLANS.pro, requestsPerMinute: 120, burstLimit: 1_000_000 } };
    const wide = { sustained: { requests: 1_000_000, seconds: 60 }, burst: { requests: 1_000_000, seconds: 1 } };
    const crowded = await edgeBy({ plans, ceilings: { received: wide, handled: wide } });
    const first = await bench.open();
    const second = await bench.issue(first.accountId);
    await bench.caughtUp();
    const answers = await Promise.all(
      Array.from({ length: concurrent }, (_, nth) => ask(crowded, nth % 3 === 0 ? first : second)),
    );
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).toHaveLength(120);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(concurrent - 120);
    const remainders = passed.map(({ headers }) => Number(/"minute";r=(\d+)/.exec(headers.get('ratelimit')!)![1]));
    expect(remainders.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 120 }, (_, nth) => nth));
    expect(await bench.counters(first.accountId)).toEqual({
      received: concurrent,
      'received burst': concurrent,
      handled: concurrent,
      'handled burst': concurrent,
      minute: 120,
      burst: 120,
    });
  });
});

describe('exports', () => {
  const snapshot = (customer: Customer, query = '') => ask(edge, customer, `/api/v1/data/snapshots${query}`, 'POST');

  test('are counted per hour over all keys, only for valid input, and reading an export counts nothing', async () => {
    const first = await bench.open({ tier: 'none' });
    const second = await bench.issue(first.accountId);
    await bench.caughtUp();
    for (let nth = 0; nth < 12; nth += 1) expect((await snapshot(nth % 2 === 0 ? first : second)).status).toBe(201);
    edge.now += 1_000;
    await expectRefusal(await snapshot(first, '?unknown=1'), 400, 'invalid_parameter');
    const page = `/api/v1/data/snapshots/${first.accountId}/topics`;
    expect((await ask(edge, first, page)).status).toBe(200);
    const refused = await snapshot(second);
    expect(refused.headers.get('retry-after')).toBe('3599');
    expect(refused.headers.get('ratelimit-policy')).toBe(
      '"minute";q=120;w=60, "burst";q=30;w=1, "export-hour";q=12;w=3600',
    );
    expect(refused.headers.get('ratelimit')).toBe('"minute";r=105;t=59, "burst";r=27;t=1, "export-hour";r=0;t=3599');
    await expectRefusal(refused, 429, 'rate_limited');
    expect(await bench.counters(first.accountId)).toMatchObject({ 'api-customer-export-hour': 12, minute: 15 });
    edge.now = NOW + 3_600_000;
    expect((await snapshot(second)).status).toBe(201);
  });
});

describe('the abuse ceiling', () => {
  const receivedOnly = { received: small, handled: BUILT_IN_RULES.ceilings.handled };
  const handledOnly = { received: BUILT_IN_RULES.ceilings.received, handled: small };

  test.each([
    ['received', receivedOnly, { received: 9, handled: 5 }],
    ['handled', handledOnly, { received: 9, handled: 9 }],
  ] as const)(
    'at the %s counts every request of a usable key, refused or not, over all keys',
    async (_, ceilings, counted) => {
      const guarded = await edgeBy({ ceilings });
      const first = await bench.open({}, { scopes: ['mcp:read'] });
      const second = await bench.issue(first.accountId);
      await bench.caughtUp();
      expect(await statuses(guarded, first, 3)).toEqual([403, 403, 403]);
      expect(await statuses(guarded, second, 2)).toEqual([200, 429]);
      guarded.now += 1_000;
      expect(await statuses(guarded, second, 2)).toEqual([200, 429]);
      const refused = await ask(guarded, second);
      expect(refused.headers.get('retry-after')).toBe('59');
      expect(refused.headers.has('ratelimit')).toBe(false);
      await expectRefusal(refused, 429, 'rate_limited');
      const fresh = await bench.issue(first.accountId);
      await bench.caughtUp();
      expect(await statuses(guarded, fresh, 1)).toEqual([429]);
      expect(await bench.counters(first.accountId)).toMatchObject({ ...counted, minute: 5 });
      guarded.now = NOW + 60_000;
      expect(await statuses(guarded, fresh, 1)).toEqual([200]);
    },
  );

  test('counts revoked and expired keys apart from the usable ones and refuses them with 429 before 401', async () => {
    const guarded = await edgeBy({ ceilings: receivedOnly });
    const usable = await bench.open();
    const revoked = await bench.issue(usable.accountId, { revoked: true });
    const expiring = await bench.issue(usable.accountId, { expiresAt: NOW + 1 });
    await bench.caughtUp();
    expect(await statuses(guarded, expiring, 1)).toEqual([200]);
    guarded.now = NOW + 1;
    expect(await statuses(guarded, revoked, 2)).toEqual([401, 401]);
    expect(await statuses(guarded, expiring, 3)).toEqual([401, 401, 429]);
    expect(await statuses(guarded, revoked, 1)).toEqual([429]);
    expect(await statuses(guarded, usable, 3)).toEqual([200, 200, 200]);
    expect(await statuses(guarded, usable, 1)).toEqual([429]);
    expect(await bench.counters(usable.accountId)).toMatchObject({
      received: 5,
      minute: 4,
      'unusable received': 6,
      'unusable handled': 4,
    });
  });

  test('counts the usable keys of a suspended account as usable', async () => {
    const customer = await opened({ suspended: true });
    expect(await statuses(edge, customer, 2)).toEqual([401, 401]);
    expect(await bench.counters(customer.accountId)).toEqual({
      received: 2,
      'received burst': 2,
      handled: 2,
      'handled burst': 2,
    });
  });

  test.each(['unset', 'payg'] as const)('does not apply to accounts on the channel %s', async (channel) => {
    const guarded = await edgeBy({ ceilings: { received: small, handled: small } });
    const usable = await bench.open({ channel });
    const revoked = await bench.issue(usable.accountId, { revoked: true });
    await bench.caughtUp();
    expect(new Set(await statuses(guarded, usable, 12))).toEqual(new Set([403]));
    expect(new Set(await statuses(guarded, revoked, 12))).toEqual(new Set([401]));
    expect(await bench.counters(usable.accountId)).toEqual({ minute: 12, burst: 12 });
  });

  test('counts nothing for any number of unknown keys', async () => {
    const guarded = await edgeBy({ ceilings: { received: small, handled: small } });
    const rows = () =>
      bench.civic.rows('select count(*)::text, sum(perimeter_ceiling_used)::text from civic.admission_counts');
    const before = await rows();
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(guarded, { key: guarded.keys.unknown })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(await rows()).toEqual(before);
  });

  test('is not reset by a process whose clock is behind, and neither are minute and burst', async () => {
    const guarded = await edgeBy({ ceilings: receivedOnly });
    const behind = await edgeBy({ ceilings: receivedOnly });
    const customer = await opened();
    guarded.now = NOW + 60_000;
    behind.now = NOW + 59_400;
    expect(await statuses(guarded, customer, 4)).toEqual([200, 200, 200, 200]);
    expect(await statuses(behind, customer, 1)).toEqual([429]);
    behind.now = NOW + 59_990;
    expect(await statuses(behind, customer, 1)).toEqual([429]);
    expect(await bench.counters(customer.accountId)).toMatchObject({ received: 6, minute: 4 });
  });
});

describe('processes that charge the same accounts in any order', () => {
  test('never deadlock', async () => {
    const wide = { sustained: { requests: 1_000_000, seconds: 60 }, burst: { requests: 1_000_000, seconds: 1 } };
    const many = { ...BUILT_IN_PLANS.pro, requestsPerMinute: 1_000_000, burstLimit: 1_000_000 };
    const rules = {
      ...BUILT_IN_RULES,
      plans: { ...BUILT_IN_PLANS, pro: many },
      ceilings: { received: wide, handled: wide },
    };
    const processes = Array.from({ length: 3 }, () => bench.admission(rules));
    const customers = await Promise.all(Array.from({ length: 40 }, () => bench.open()));
    await bench.caughtUp();
    bench.failures.length = 0;
    let requests = 0;
    for (let round = 0; round < testRuns(10); round += 1) {
      const orders = processes.map((_, nth) =>
        customers.toSorted((one, other) => order(one, nth + round) - order(other, nth + round)),
      );
      const all = orders.flatMap((ordered, nth) =>
        ordered.map(({ key }) =>
          processes[nth]!.admit({ authorization: `Bearer ${key}`, surface: 'data', scope: null, now: NOW }),
        ),
      );
      requests += all.length;
      await Promise.allSettled(all);
    }
    expect(bench.failures).toEqual([]);
    const counted = await Promise.all(customers.map(({ accountId }) => bench.counters(accountId)));
    expect(counted.reduce((sum, { minute }) => sum + minute!, 0)).toBe(requests);
  });
});

/** Returns another order of the same items for each number. */
const order = ({ accountId }: Customer, nth: number): number =>
  Number.parseInt(accountId.slice(-8), 16) % (1009 + 2 * nth);

describe('time', () => {
  test('expires a key and a paid period to the millisecond; a renewal or another key works again', async () => {
    const end = NOW + 30 * DAY_MS;
    const customer = await opened({ paidUntil: end }, { expiresAt: end - DAY_MS });
    const at = async (now: number, { key }: Pick<Customer, 'key'> = customer) => {
      edge.now = now;
      return (await ask(edge, { key })).status;
    };
    expect([await at(end - DAY_MS - 1), await at(end - DAY_MS)]).toEqual([200, 401]);
    const next = await bench.issue(customer.accountId);
    await bench.caughtUp();
    expect([await at(end - 1, next), await at(end, next)]).toEqual([200, 403]);
    await bench.command(customer.accountId, {
      type: 'SetPeriod',
      tier: 'pro',
      paidUntil: new Date(end + DAY_MS).toISOString(),
    });
    await bench.caughtUp();
    expect([await at(end, next), await at(end + DAY_MS, next)]).toEqual([200, 403]);
  });
});

describe('further charges and a failing store', () => {
  let admission: Admission;
  const rules = {
    ...BUILT_IN_RULES,
    plans: { ...BUILT_IN_PLANS, pro: { ...BUILT_IN_PLANS.pro, requestsPerMinute: 10, burstLimit: 6 } },
  };
  const admitted = ({ key }: Customer) =>
    admission.admit({ authorization: `Bearer ${key}`, surface: 'tools', scope: 'mcp:read', now: NOW + 500 });
  beforeAll(() => {
    admission = bench.admission(rules);
  });

  test('a batch charges all of its units or none, on the same counters as requests', async () => {
    const customer = await opened();
    const principal = await admitted(customer);
    expect(await admission.chargeUnits(principal, 4, NOW + 500)).toMatchObject([
      { remaining: 5, resetSeconds: 60 },
      { remaining: 1, resetSeconds: 1 },
    ]);
    await expect(admission.chargeUnits(principal, 2, NOW + 500)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    await expect(admission.chargeUnits(principal, 6, NOW + 1_500)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 59,
    });
    await admission.chargeUnits(principal, 5, NOW + 1_500);
    expect(await bench.counters(customer.accountId)).toMatchObject({ minute: 10, burst: 5, received: 1, handled: 1 });
  });

  test('requests that arrive in one turn share a statement and get units in their order', async () => {
    const sustained = (requests: number) => ({
      sustained: { requests, seconds: 60 },
      burst: { requests: 1000, seconds: 1 },
    });
    const crowded = bench.admission({ ...rules, ceilings: { received: sustained(15), handled: sustained(12) } });
    const customer = await opened();
    const neighbor = await opened();
    const headersOfAll: (readonly number[])[] = [];
    const admissions = Array.from({ length: 20 }, (_, nth) =>
      crowded.admit({
        authorization: `Bearer ${customer.key}`,
        surface: 'data',
        scope: 'civic:read',
        now: NOW + 500,
        onAllowance: (states) => void (headersOfAll[nth] = states.map(({ remaining }) => remaining)),
      }),
    );
    const other = crowded.admit({
      authorization: `Bearer ${neighbor.key}`,
      surface: 'data',
      scope: null,
      now: NOW + 500,
    });
    const answers = (await Promise.allSettled(admissions)).map((answer) =>
      answer.status === 'fulfilled' ? 'passed' : String(answer.reason),
    );
    const [used, beyond] = [
      'Rejection: the allowance of the account is used up',
      'Rejection: the account exceeded the maximum request rate',
    ];
    expect(answers).toEqual([
      ...Array<string>(6).fill('passed'),
      ...Array<string>(6).fill(used),
      ...Array<string>(8).fill(beyond),
    ]);
    const remainders = [9, 8, 7, 6, 5, 4, ...Array<number>(6).fill(4)];
    expect(headersOfAll).toEqual(remainders.map((minute) => [minute, minute - 4]));
    expect((await other).accountId).toBe(neighbor.accountId);
    expect(await bench.counters(customer.accountId)).toMatchObject({ received: 20, handled: 15, minute: 6, burst: 6 });
  });

  test('concurrent batches and requests together never exceed the allowance', async () => {
    const customer = await opened();
    const principal = await admitted(customer);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, nth) =>
        nth % 2 === 0 ? admission.chargeUnits(principal, 2, NOW + 500) : admitted(customer),
      ),
    );
    const units = 1 + outcomes.reduce((sum, { status }, nth) => sum + (status === 'fulfilled' ? 2 - (nth % 2) : 0), 0);
    expect(await bench.counters(customer.accountId)).toMatchObject({ minute: units, burst: units });
    expect([5, 6]).toContain(units);
  });

  test('every charge is refused while the store fails, the cause is only logged, and charges then resume', async () => {
    const customer = await opened();
    const principal = await admitted(customer);
    bench.failures.length = 0;
    bench.failing = new DatabaseUnavailable('the counters are gone');
    try {
      const unavailable = {
        code: 'authentication_unavailable',
        message: expect.not.stringContaining('counters are gone') as string,
      };
      await expect(admitted(customer)).rejects.toMatchObject(unavailable);
      await expect(admission.chargeUnits(principal, 1, NOW)).rejects.toMatchObject(unavailable);
      await expect(admission.chargeExport(principal, 1, NOW)).rejects.toMatchObject(unavailable);
      expect(bench.failures).toEqual([bench.failing, bench.failing, bench.failing]);
    } finally {
      bench.failing = null;
    }
    await admitted(customer);
    expect(await bench.counters(customer.accountId)).toMatchObject({ minute: 2 });
  });
});

describe('billing that is not enforced', () => {
  test('serves any usable key on the plan of the tier', async () => {
    const open = await edgeBy({ billingEnforced: false });
    const [unset, pro] = [
      await bench.open({ channel: 'unset', tier: 'none', paidUntil: null }),
      await opened({ tier: 'pro', paidUntil: NOW }),
    ];
    const [first, second] = [await ask(open, unset), await ask(open, pro)];
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([
      200,
      '"minute";q=120;w=60, "burst";q=30;w=1',
    ]);
    expect([second.status, second.headers.get('ratelimit-policy')]).toEqual([
      200,
      '"minute";q=300;w=60, "burst";q=50;w=1',
    ]);
  });
});
