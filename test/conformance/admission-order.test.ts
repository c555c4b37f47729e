import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import type { RejectionCode } from '../../domain/rejections.ts';
import {
  ABUSE_CEILING,
  type AccountFacts,
  type AdmissionBench,
  BUILT_IN_RULES,
  type Counters,
  type Customer,
  type KeyFacts,
  openAdmissionBench,
} from '../support/admission.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';

/** A time in the middle of a minute, of a second and of an hour. */
const NOW = Date.parse('2026-03-01T12:17:23.400Z');
const MINUTE = NOW - (NOW % 60_000);
const SECOND = NOW - (NOW % 1000);
const HOUR = NOW - (NOW % 3_600_000);
const FULL = 1_000_000;

/** The properties of one request that can cause a refusal. */
interface Scene {
  readonly account?: AccountFacts;
  readonly key?: KeyFacts;
  /** Exhausted counters, as columns of the row of the class of the key, with the starts of their windows. */
  readonly full?: readonly (readonly [column: string, start: number])[];
  readonly exportsUsed?: true;
  readonly credential?: 'malformed' | 'unknown';
  readonly store?: 'failing';
  readonly operation?: 'snapshot' | 'batch' | 'subscriptions' | 'report';
  readonly query?: string;
  readonly body?: string;
  readonly work?: 'failing';
}

interface Condition {
  readonly name: string;
  readonly scene: Scene;
  readonly status: number;
  readonly code: RejectionCode;
  /** The counters that change, of those that can change for the account. */
  readonly moves: readonly string[];
  readonly retryAfter?: number;
}

const ABUSE = ['received', 'received burst', 'handled', 'handled burst'];
const CHARGED = [...ABUSE, 'minute', 'burst'];
const paidThrough: AccountFacts = { channel: 'subscription' };

/** The checks in the order of admission. Checks within one step have an order of their own. */
const STEPS: readonly (readonly Condition[])[] = [
  [{ name: 'malformed', scene: { credential: 'malformed' }, status: 401, code: 'unauthorized', moves: [] }],
  [{ name: 'store failing', scene: { store: 'failing' }, status: 503, code: 'authentication_unavailable', moves: [] }],
  [{ name: 'unknown', scene: { credential: 'unknown' }, status: 401, code: 'unauthorized', moves: [] }],
  [
    {
      name: 'received ceiling',
      scene: { account: paidThrough, full: [['perimeter_ceiling', MINUTE]] },
      status: 429,
      code: 'rate_limited',
      moves: ['received', 'received burst'],
      retryAfter: 37,
    },
    {
      name: 'received burst',
      scene: { account: paidThrough, full: [['perimeter_burst', SECOND]] },
      status: 429,
      code: 'rate_limited',
      moves: ['received', 'received burst'],
      retryAfter: 1,
    },
  ],
  [
    {
      name: 'handled ceiling',
      scene: { account: paidThrough, full: [['handler_ceiling', MINUTE]] },
      status: 429,
      code: 'rate_limited',
      moves: ABUSE,
      retryAfter: 37,
    },
    {
      name: 'handled burst',
      scene: { account: paidThrough, full: [['handler_burst', SECOND]] },
      status: 429,
      code: 'rate_limited',
      moves: ABUSE,
      retryAfter: 1,
    },
  ],
  [
    { name: 'revoked', scene: { key: { revoked: true } }, status: 401, code: 'unauthorized', moves: ABUSE },
    { name: 'expired', scene: { key: { expiresAt: NOW } }, status: 401, code: 'unauthorized', moves: ABUSE },
    { name: 'suspended', scene: { account: { suspended: true } }, status: 401, code: 'unauthorized', moves: ABUSE },
  ],
  [
    {
      name: 'minute',
      scene: { full: [['minute', MINUTE]] },
      status: 429,
      code: 'rate_limited',
      moves: ABUSE,
      retryAfter: 37,
    },
    {
      name: 'burst',
      scene: { full: [['burst', SECOND]] },
      status: 429,
      code: 'rate_limited',
      moves: ABUSE,
      retryAfter: 1,
    },
  ],
  [{ name: 'scope', scene: { key: { scopes: ['mcp:read'] } }, status: 403, code: 'forbidden', moves: CHARGED }],
  [
    {
      name: 'channel unset',
      scene: { account: { channel: 'unset' } },
      status: 403,
      code: 'billing_channel_unset',
      moves: CHARGED,
    },
    {
      name: 'payg',
      scene: { account: { channel: 'payg' } },
      status: 403,
      code: 'billing_entitlement_required',
      moves: CHARGED,
    },
    {
      name: 'unpaid',
      scene: { account: { channel: 'subscription', paidUntil: NOW } },
      status: 403,
      code: 'billing_entitlement_required',
      moves: CHARGED,
    },
    {
      name: 'report, unpaid',
      scene: { operation: 'report', account: { channel: 'subscription', paidUntil: NOW } },
      status: 403,
      code: 'forbidden',
      moves: CHARGED,
    },
    {
      name: 'report, no payment',
      scene: { operation: 'report', account: { channel: 'payg' } },
      status: 403,
      code: 'forbidden',
      moves: CHARGED,
    },
  ],
  [
    {
      name: 'no plan for subscriptions',
      scene: { operation: 'subscriptions', account: { channel: 'subscription', tier: 'none' } },
      status: 403,
      code: 'feed_subscription_plan_required',
      moves: CHARGED,
    },
  ],
  [
    { name: 'bad query', scene: { query: '?unknown=1' }, status: 400, code: 'invalid_parameter', moves: CHARGED },
    {
      name: 'bad body',
      scene: { operation: 'batch', body: '{"requests":' },
      status: 400,
      code: 'invalid_parameter',
      moves: CHARGED,
    },
    {
      name: 'body too large',
      scene: { operation: 'batch', body: ' '.repeat(65_537) },
      status: 413,
      code: 'request_too_large',
      moves: CHARGED,
    },
  ],
  [
    {
      name: 'exports used up',
      scene: { operation: 'snapshot', exportsUsed: true },
      status: 429,
      code: 'rate_limited',
      moves: CHARGED,
      retryAfter: 2557,
    },
  ],
  [
    {
      name: 'work failing, of an export',
      scene: { operation: 'snapshot', work: 'failing' },
      status: 503,
      code: 'feed_unavailable',
      moves: [...CHARGED, 'api-customer-export-hour'],
    },
    {
      name: 'work failing, of a read',
      scene: { operation: 'batch', work: 'failing' },
      status: 503,
      code: 'feed_unavailable',
      moves: CHARGED,
    },
  ],
];

/** Both properties together, or null if one excludes the other. */
function together(one: Scene, other: Scene): Scene | null {
  for (const field of ['operation', 'query', 'body', 'credential'] as const) {
    if (one[field] !== undefined && other[field] !== undefined && one[field] !== other[field]) return null;
  }
  for (const fact of ['channel', 'paidUntil', 'tier'] as const) {
    const [first, second] = [one.account?.[fact], other.account?.[fact]];
    if (first !== undefined && second !== undefined && first !== second) return null;
  }
  const reports = [one, other].some(({ operation }) => operation === 'report');
  // Reports need no scope, have billing rules of their own, and have a separate code for bad input.
  if (reports && [one, other].some(({ key, query }) => key?.scopes !== undefined || query !== undefined)) return null;
  const scene: Scene = {
    ...one,
    ...other,
    account: { ...one.account, ...other.account },
    key: { ...one.key, ...other.key },
    full: [...(one.full ?? []), ...(other.full ?? [])],
  };
  // An unknown key has no state.
  const ofAccount = [one, other].some(({ account, key, full, exportsUsed }) => account ?? key ?? full ?? exportsUsed);
  return scene.credential === 'unknown' && ofAccount ? null : scene;
}

const alone = STEPS.flat().map((condition) => ({ name: condition.name, scene: condition.scene, first: condition }));
const pairs = STEPS.flatMap((step, nth) =>
  step.flatMap((first) =>
    STEPS.slice(nth + 1)
      .flat()
      .flatMap((second) => {
        const scene = together(first.scene, second.scene);
        return scene === null ? [] : [{ name: `${first.name}, then ${second.name}`, scene, first }];
      }),
  ),
);

let bench: AdmissionBench;
let edge: HttpEdge;
const customers = new Map<Scene, Customer>();
beforeAll(async () => {
  bench = await openAdmissionBench(NOW);
  edge = await startHttpEdge({ admission: bench.admission() });
  edge.now = NOW;
  for (const { scene } of [...alone, ...pairs]) customers.set(scene, await bench.open(scene.account, scene.key));
  await bench.caughtUp();
});
afterAll(async () => {
  await edge?.close();
  await bench?.close();
});

const isUsable = ({ key }: Scene): boolean => key?.revoked !== true && (key?.expiresAt ?? null) === null;

async function arrange(scene: Scene, { accountId }: Customer): Promise<void> {
  const usable = String(isUsable(scene));
  for (const [column, start] of scene.full ?? []) {
    const ofClass = column === 'minute' || column === 'burst' ? 'true' : usable;
    await bench.civic.rows(
      `insert into civic.admission_counts (account_id, usable, ${column}_start, ${column}_used) values ($1, $2::boolean, $3, $4)
        on conflict (account_id, usable) do update set ${column}_start = excluded.${column}_start, ${column}_used = excluded.${column}_used`,
      [accountId, ofClass, start, FULL],
    );
  }
  if (scene.exportsUsed === true) {
    await bench.civic.rows(`insert into civic.window_counts values ($1, 'api-customer-export-hour', $2, $3)`, [
      accountId,
      HOUR,
      FULL,
    ]);
  }
  bench.failing = scene.store === 'failing' ? new DatabaseUnavailable('gone') : null;
  const fail = async () => {
    throw new DatabaseUnavailable('gone');
  };
  edge.answerWith(scene.work === 'failing' ? { createCivicSnapshot: fail, readCivicRecords: fail } : {});
  edge.now = NOW;
  edge.calls.length = 0;
}

const PATHS = {
  snapshot: '/api/v1/data/snapshots',
  batch: '/api/v1/data/batch',
  subscriptions: '/api/v1/data/subscriptions',
  report: '/api/v1/data-reports/00000000-0000-4000-8000-000000000000',
} as const;

function ask({ credential, operation = 'snapshot', query = '', body }: Scene, { key }: Customer) {
  const token = { malformed: `${key}x`, unknown: edge.keys.unknown, given: key }[credential ?? 'given'];
  const isBatch = operation === 'batch';
  return fetch(`${edge.url}${PATHS[operation]}${query}`, {
    method: operation === 'snapshot' || isBatch ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(isBatch ? { body: body ?? '{"requests":[{"resource":"topics","ids":["1"]}]}' } : {}),
  });
}

/** The change of each counter. */
const moved = (before: Counters, after: Counters): Counters =>
  Object.fromEntries(
    Object.keys(after).flatMap((name) => {
      const by = after[name]! - (before[name] ?? 0);
      return by === 0 ? [] : [[name, by]];
    }),
  );

function expected({ moves }: Condition, scene: Scene): Counters {
  const covered = (scene.account?.channel ?? 'subscription') === 'subscription';
  const names = moves.filter((name) => covered || !ABUSE.includes(name));
  return Object.fromEntries(
    names.map((name) => [ABUSE.includes(name) && !isUsable(scene) ? `unusable ${name}` : name, 1]),
  );
}

describe.each([
  ['alone', alone],
  ['before another', pairs],
] as const)('%s', (_, scenes) => {
  test.each(scenes)('$name: the first is answered, and exactly its counters change', async ({ scene, first }) => {
    const customer = customers.get(scene)!;
    await arrange(scene, customer);
    const before = await bench.counters(customer.accountId);
    const answer = await ask(scene, customer);
    await expectRefusal(answer, first.status, first.code);
    expect(moved(before, await bench.counters(customer.accountId))).toEqual(expected(first, scene));
    expect(answer.headers.get('retry-after')).toBe(first.retryAfter === undefined ? null : String(first.retryAfter));
    expect(answer.headers.has('ratelimit')).toBe(
      first.moves.includes('minute') || first.name === 'minute' || first.name === 'burst',
    );
    expect(edge.calls).toHaveLength(first.name.startsWith('work') ? 1 : 0);
  });
});

test('the number of pairs matches the steps, and the ceilings of this test are the built-in ones', () => {
  expect(alone).toHaveLength(25);
  expect(pairs.length).toBeGreaterThan(180);
  expect(BUILT_IN_RULES.ceilings).toEqual({ received: ABUSE_CEILING, handled: ABUSE_CEILING });
});
