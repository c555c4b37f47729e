import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentAnswer } from '../../src/edge/admission/payments/paid-call.ts';
import { hasEnded } from '../../domain/payments/payment.ts';
import { accountStream } from '../../domain/streams.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { testSeed } from '../support/test-seed.ts';
import { PaymentWorld } from '../support/payment-world.ts';
import { testRuns } from '../support/test-runs.ts';

let civic: TestCivic;
beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

const nth = fc.integer({ min: 0, max: 2 });
const death = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({ commit: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom('before', 'after') }),
  },
);
const settleMode = fc.constantFrom('ok', 'lost', 'nothing', 'refused', 'later');
const readMode = fc.constantFrom('data', 'data', 'data', 'empty', 'fails');
/** The state at the start of a world. */
const modes = fc.record({ settleMode, readMode });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('ask' as const), nth, death, at_once: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      chain: fc.boolean(),
      death,
      at_once: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('advance' as const), seconds: fc.constantFrom(1, 6, 6, 16, 16, 70, 130) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      mode: fc.constantFrom('ok', 'lost', 'nothing', 'refused', 'later'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('verify' as const),
      mode: fc.constantFrom('valid', 'valid', 'refused', 'unavailable'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), mode: readMode }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('chain' as const), up: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('land' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('operate' as const), nth }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

/** The data answer or final failure of each payment; neither may change later. */
type LastAnswers = Map<number, PaymentAnswer>;

/** The payment must not be billed after these answers, whether it is sent again or not. */
const FINAL: readonly string[] = [
  'payment_settlement_failed',
  'payment_previous_settlement_failure',
  'payment_previous_read_failure',
];

function look(world: PaymentWorld, seen: LastAnswers, payment: number, answer: PaymentAnswer): void {
  const before = seen.get(payment);
  if (before?.kind === 'error') expect([before.code, answer.kind]).toEqual([before.code, 'error']);
  if (answer.kind === 'error' && FINAL.includes(answer.code)) seen.set(payment, answer);
  if (answer.kind !== 'paid') return;
  // No data is returned before it is paid.
  expect(world.moved.get(world.nonce(payment))).toBe(answer.receipt.transaction);
  expect(answer).toEqual(seen.get(payment) ?? answer);
  seen.set(payment, answer);
}

async function take(world: PaymentWorld, seen: LastAnswers, each: Step): Promise<void> {
  switch (each.do) {
    case 'ask': {
      const asking = Array.from({ length: each.at_once }, (_, index) =>
        world.ask(each.nth, index === 0 ? each.death : null),
      );
      for (const answer of await Promise.all(asking)) look(world, seen, each.nth, answer);
      return;
    }
    case 'work':
      await Promise.all(
        Array.from({ length: each.at_once }, (_, index) => world.work(each.chain, index === 0 ? each.death : null)),
      );
      return;
    case 'advance':
      world.time += each.seconds * 1000;
      return;
    case 'settle':
      world.settleMode = each.mode;
      return;
    case 'verify':
      world.verifyMode = each.mode;
      return;
    case 'read':
      world.readMode = each.mode;
      return;
    case 'chain':
      world.chainUp = each.up;
      return;
    case 'land':
      world.land();
      return;
    case 'operate':
      await world.operate(each.nth);
      return;
  }
}

/** Invariant at every moment: settled equals billed, and a payment answered as failed was not billed. */
async function hold(world: PaymentWorld): Promise<void> {
  for (const payment of world.payments) {
    const row = await world.ledger.find(world.keyOf(payment));
    const moved = world.moved.has(world.nonce(payment));
    if (row === null) expect(moved).toBe(false);
    else if (row.state === 'SETTLED') expect(moved).toBe(true);
    else if (row.state !== 'SETTLING' && row.state !== 'RECONCILE')
      expect([row.state, moved]).toEqual([row.state, false]);
  }
}

/**
 * Checks at the end, after all deadlines and with the chain readable, that no outcome is unknown, all calls are
 * answered, and budgets equal the billed sums.
 */
async function finish(world: PaymentWorld, seen: LastAnswers): Promise<void> {
  Object.assign(world, { chainUp: true, settleMode: 'nothing', readMode: 'data', verifyMode: 'valid' });
  world.land();
  for (const seconds of [20, 400, 4_000, 20, 20]) {
    world.time += seconds * 1000;
    await world.work(true);
  }
  await hold(world);
  const events = await civic.log.readStream(accountStream(world.accountId), -1, 500);
  const facts = events.map(({ type, data }) => ({ type, ...(JSON.parse(data) as { paymentId: string }) }));
  let billed = 0n;
  for (const payment of world.payments) {
    const row = await world.ledger.find(world.keyOf(payment));
    const ownFacts = facts.filter(({ paymentId }) => paymentId === row?.paymentId);
    const answer = await world.ask(payment);
    look(world, seen, payment, answer);
    expect(answer.kind === 'paid').toBe(world.moved.has(world.nonce(payment)));
    if (seen.get(payment)?.kind === 'error') expect(world.moved.has(world.nonce(payment))).toBe(false);
    if (row === null) continue;
    expect(hasEnded(row.state)).toBe(true);
    expect(row).toMatchObject({ verifiedPublished: true, outcomePublished: true, payload: null });
    expect(ownFacts.at(-1)?.type).toBe(row.state === 'SETTLED' ? 'AccountPaymentSettled' : 'AccountPaymentFailed');
    expect(ownFacts.filter(({ type }) => type !== 'AccountPaymentVerified')).toHaveLength(1);
    if (row.state === 'SETTLED') billed += BigInt(row.amount);
  }
  const budgets = await civic.rows(
    'select coalesce(sum(reserved), 0)::text from civic.payment_budgets where spender = $1',
    [world.accountId],
  );
  expect(budgets).toEqual([[String(billed)]]);
}

test('through any crash, loss, repetition and order no call is billed twice, for nothing, or unanswered', async () => {
  const ends = { steps: 0, settled: 0 };
  await fc.assert(
    fc.asyncProperty(modes, fc.array(step, { minLength: 14, maxLength: 30, size: 'max' }), async (begin, steps) => {
      const world = new PaymentWorld(civic);
      Object.assign(world, begin);
      const lastStates: LastAnswers = new Map();
      for (const each of steps) {
        await take(world, lastStates, each);
        await hold(world);
        ends.steps += 1;
      }
      await finish(world, lastStates);
      ends.settled += world.moved.size;
    }),
    { numRuns: testRuns(30), seed: testSeed() },
  );
  // The run contained payments.
  expect(ends.steps).toBeGreaterThan(200);
  expect(ends.settled).toBeGreaterThan(20);
});
