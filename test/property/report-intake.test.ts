import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { intakeCheckpoint, intakeDecider, tokensOf } from '../../commands/report-intake/intake-decider.ts';
import { Rejection } from '../../domain/rejections.ts';
import { testSeed } from '../support/test-seed.ts';
import { type IntakeWorld, memoryIntake } from '../support/memory-intake.ts';
import { testRuns } from '../support/test-runs.ts';

const START = Date.UTC(2026, 0, 1, 23, 50);
/** Limit of open reports over both accounts. */
const CAPS = [4, 25, 1_000] as const;
const MINUTE = 60_000;

interface Submission {
  readonly account: number;
  readonly token: number;
  readonly input: number;
  readonly key: number;
  readonly surface: 'rest' | 'mcp';
  readonly process: number;
}

type Step =
  | { readonly kind: 'submit'; readonly submission: Submission }
  /** Concurrently, in one process or in two. */
  | { readonly kind: 'together'; readonly submissions: readonly Submission[] }
  /** One new token per minute. */
  | { readonly kind: 'fill'; readonly account: number; readonly count: number; readonly settles: boolean }
  /** One token with many keys. */
  | { readonly kind: 'present'; readonly submission: Submission; readonly keys: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'settle'; readonly nth: number }
  | { readonly kind: 'close'; readonly code: 'intake_paused' | 'budget_exhausted' | null }
  | { readonly kind: 'lose'; readonly fate: 'lose before' | 'lose after' };

const submission: fc.Arbitrary<Submission> = fc.record({
  account: fc.nat({ max: 1 }),
  token: fc.nat({ max: 12 }),
  input: fc.nat({ max: 1 }),
  key: fc.nat({ max: 3 }),
  surface: fc.constantFrom('rest', 'mcp'),
  process: fc.nat({ max: 1 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('submit' as const), submission }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('together' as const),
      submissions: fc.array(submission, { minLength: 2, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fill' as const),
      account: fc.nat({ max: 1 }),
      count: fc.integer({ min: 1, max: 24 }),
      settles: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('present' as const), submission, keys: fc.integer({ min: 20, max: 40 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(1, 30, 60, 3_600, 86_400) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), nth: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('close' as const),
      code: fc.constantFrom('intake_paused', 'budget_exhausted', null, null, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('lose' as const), fate: fc.constantFrom('lose before', 'lose after') }),
  },
);

interface StoredReceipt {
  readonly input: number;
  readonly receipt: object;
  readonly aliases: Set<string>;
}

/** The answers that a customer got, from which the next answers follow. */
class Model {
  readonly #world: IntakeWorld;
  readonly #tokens = new Map<string, StoredReceipt>();
  readonly #minutes = new Map<string, number>();
  readonly #days = new Map<string, number>();
  readonly #open = [new Set<string>(), new Set<string>()];

  readonly #cap: number;

  constructor(world: IntakeWorld, cap: number) {
    this.#world = world;
    this.#cap = cap;
  }

  /** The present receipt, the code of a refusal, or `new`. */
  expected({ account, token, input, key, surface }: Submission): StoredReceipt | string {
    const receipt = this.#tokens.get(`${account} ${token}`);
    if (receipt?.input === input) {
      const alias = `${key} ${surface}`;
      return receipt.aliases.has(alias) || receipt.aliases.size < 32 ? receipt : 'report_limit_reached';
    }
    if ((this.#minutes.get(this.minute(account)) ?? 0) >= 5) return 'submit_rate_limited';
    if (this.#world.closed !== null) return this.#world.closed.code;
    if (receipt !== undefined) return 'replay_conflict';
    if ((this.#days.get(this.day(account)) ?? 0) >= 20 || this.#open[account]!.size >= 20)
      return 'report_limit_reached';
    return this.#open[0]!.size + this.#open[1]!.size >= this.#cap ? 'queue_unavailable' : 'new';
  }

  /** Records an answer; concurrent requests are answered in any order. */
  learn({ account, token, input, key, surface }: Submission, answer: object | string): void {
    const name = `${account} ${token}`;
    const receipt = this.#tokens.get(name);
    const isReplay = receipt?.input === input;
    if (!isReplay && answer !== 'submit_rate_limited') {
      this.#minutes.set(this.minute(account), (this.#minutes.get(this.minute(account)) ?? 0) + 1);
    }
    if (typeof answer === 'string') return;
    if (receipt === undefined) {
      this.#tokens.set(name, { input, receipt: answer, aliases: new Set([`${key} ${surface}`]) });
      this.#days.set(this.day(account), (this.#days.get(this.day(account)) ?? 0) + 1);
      this.#open[account]!.add((answer as { reportId: string }).reportId);
    } else {
      if (!isReplay || !isDeepStrictEqual(answer, receipt.receipt))
        throw new Error(`${name} was answered with another receipt`);
      receipt.aliases.add(`${key} ${surface}`);
    }
  }

  open(): readonly (readonly [account: number, reportId: string])[] {
    return this.#open.flatMap((reports, account) => [...reports].map((reportId) => [account, reportId] as const));
  }

  settled(account: number, reportId: string): void {
    this.#open[account]!.delete(reportId);
  }

  minute = (account: number): string => `${account} ${Math.floor(this.#world.now / MINUTE)}`;
  day = (account: number): string => `${account} ${new Date(this.#world.now).toISOString().slice(0, 10)}`;
}

async function run(cap: number, steps: readonly Step[]): Promise<void> {
  const world = memoryIntake({ now: START, cap });
  const model = new Model(world, cap);
  const processes = [world.process(), world.process()];
  let fresh = 100;

  const ask = async ({ account, token, input, key, surface, process }: Submission): Promise<object | string> => {
    const submitted = {
      accountId: `account-${account}`,
      token: `token-${token}`,
      keyId: `00000000-0000-4000-8000-00000000${String(key).padStart(4, '0')}`,
      surface,
      input: { sourceUrl: `https://example.org/${input}`, expectedRecord: 'a record' },
    };
    try {
      return await processes[process]!(submitted);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      if (error.code === 'report_limit_reached') expect(error.retryAfterSeconds).toBe(86_400);
      if (error.code === 'submit_rate_limited')
        expect(error.retryAfterSeconds).toBe(Math.max(1, Math.ceil((MINUTE - (world.now % MINUTE)) / 1000)));
      return error.code;
    }
  };
  const submit = async (request: Submission): Promise<void> => {
    const expected = model.expected(request);
    const answer = await ask(request);
    if (expected === 'new') expect(typeof answer).toBe('object');
    else expect(answer).toEqual(typeof expected === 'string' ? expected : expected.receipt);
    model.learn(request, answer);
  };
  const settle = async (account: number, reportId: string): Promise<void> => {
    await world.settle(`account-${account}`, reportId);
    model.settled(account, reportId);
  };

  const take = async (next: Step): Promise<void> => {
    switch (next.kind) {
      case 'submit':
        return submit(next.submission);
      case 'together': {
        const { submissions } = next;
        const answers = await Promise.all(submissions.map(ask));
        // Submissions that made a report come before those that were answered with its receipt.
        for (const isMaker of [true, false]) {
          for (const [nth, submission] of submissions.entries()) {
            const answer = answers[nth]!;
            const makes =
              typeof answer === 'object' &&
              submissions.findIndex(
                (other, at) => sameReport(answers[at], answer) && other.token === submission.token,
              ) === nth;
            if (makes === isMaker) model.learn(submission, answer);
          }
        }
        return undefined;
      }
      case 'fill':
        for (let remaining = next.count; remaining > 0; remaining -= 1) {
          world.now += MINUTE;
          await submit({
            account: next.account,
            token: (fresh += 1),
            input: 0,
            key: 0,
            surface: 'rest',
            process: remaining % 2,
          });
          const last = model.open().at(-1);
          if (next.settles && last !== undefined) await settle(...last);
        }
        return undefined;
      case 'present':
        world.now += MINUTE;
        await submit(next.submission);
        for (let key = 10; key < 10 + next.keys; key += 1) await submit({ ...next.submission, key });
        return undefined;
      case 'wait':
        world.now += next.seconds * 1000;
        return undefined;
      case 'settle': {
        const open = model.open();
        const chosen = open[next.nth % Math.max(1, open.length)];
        return chosen === undefined ? undefined : settle(...chosen);
      }
      case 'close':
        world.closed = next.code === null ? null : new Rejection(next.code, 'closed');
        return undefined;
      case 'lose':
        world.log.fates.push(next.fate);
        return undefined;
    }
  };

  for (const next of steps) {
    await take(next);
    expectHistory(world, model, cap);
  }
}

const sameReport = (one: unknown, other: object): boolean =>
  typeof one === 'object' && (one as { reportId: string }).reportId === (other as { reportId: string }).reportId;

/** Invariants of the stored data, for any answers. */
function expectHistory(world: IntakeWorld, model: Model, cap: number): void {
  const reports = new Map<string, string>();
  const days = new Map<string, number>();
  const aliases = new Map<string, Set<string>>();
  for (const stored of world.log.events) {
    const event = intakeDecider.read(stored);
    const name = event.type === 'DataReportSettled' ? '' : `${stored.stream} ${event.data.token}`;
    if (event.type === 'DataReportSubmitted') {
      expect(reports.has(name)).toBe(false);
      reports.set(name, event.data.reportId);
      const day = `${stored.stream} ${event.data.submittedAt.slice(0, 10)}`;
      days.set(day, (days.get(day) ?? 0) + 1);
      aliases.set(name, new Set([`${event.data.keyId} ${event.data.surface}`]));
    }
    if (event.type === 'DataReportTokenAliased') {
      expect(event.data.reportId).toBe(reports.get(name));
      aliases.get(name)!.add(`${event.data.keyId} ${event.data.surface}`);
    }
  }
  expect(new Set(reports.values()).size).toBe(reports.size);
  expect(Math.max(0, ...days.values())).toBeLessThanOrEqual(20);
  expect(Math.max(0, ...[...aliases.values()].map(({ size }) => size))).toBeLessThanOrEqual(32);
  // The answers to the customers equal the stored reports: none is lost, none is made twice.
  expect(new Set(model.open().map(([, reportId]) => reportId))).toEqual(world.open());
  expect(world.open().size).toBeLessThanOrEqual(cap);
  // No place is reserved after all requests were answered.
  expect([...world.row.reserved.keys()]).toEqual([]);
}

test('every answer to random submissions, repeats, races, closings and losses follows the rules', async () => {
  await fc.assert(fc.asyncProperty(fc.constantFrom(...CAPS), fc.array(step, { minLength: 1, maxLength: 40 }), run), {
    seed: testSeed(),
    numRuns: testRuns(40),
  });
});

test('an account that was folded from a checkpoint decides as one that was read in full', async () => {
  const at = fc.integer({ min: START, max: START + 10 * 86_400_000 }).map((time) => new Date(time).toISOString());
  const key = fc.nat({ max: 40 }).map((number) => `00000000-0000-4000-8000-00000000${String(number).padStart(4, '0')}`);
  const event = fc.tuple(
    fc.nat({ max: 2 }),
    fc.nat({ max: 99 }),
    key,
    at,
    fc.constantFrom('rest', 'mcp'),
    fc.constantFrom('https://a.test', 'http://b.test:80/x'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 300 }), async (drawn) => {
      let state = intakeDecider.initialState();
      for (const [kind, number, keyId, time, surface, base] of drawn) {
        const reportId = `00000000-0000-4000-8000-0000000000${String(number).padStart(2, '0')}`;
        const token = `token ${number}`;
        const input = { sourceUrl: 'https://example.org', expectedRecord: 'x' };
        const submitted = {
          reportId,
          token,
          inputHash: 'a'.repeat(64),
          input,
          keyId,
          surface,
          submittedAt: time,
          nextCheckAt: time,
          statusUrl: `${base}/r/${reportId}`,
        };
        if (kind === 0) state = intakeDecider.evolve(state, { type: 'DataReportSubmitted', data: submitted });
        if (kind === 1)
          state = intakeDecider.evolve(state, {
            type: 'DataReportTokenAliased',
            data: { reportId, token, keyId, surface },
          });
        if (kind === 2)
          state = intakeDecider.evolve(state, { type: 'DataReportSettled', data: { reportId, closedAt: time } });
      }
      const again = intakeCheckpoint.read(JSON.parse(JSON.stringify(intakeCheckpoint.write(state))));
      expect({ ...again, tokens: tokensOf(again.tokens) }).toEqual({ ...state, tokens: tokensOf(state.tokens) });
      expect(JSON.stringify(intakeCheckpoint.write(state))).not.toContain('token ');
    }),
    { seed: testSeed(), numRuns: testRuns(60) },
  );
});
