import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSubscriptionChanges } from '../../commands/subscriptions/change-subscriptions.ts';
import { readSubscriptionEvent } from '../../domain/events/account-events.ts';
import { decodeFeedCursor } from '../../domain/cursor.ts';
import { derivedId, eventId } from '../../domain/identifiers.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { accountFeedsStream, accountStream } from '../../domain/streams.ts';
import { testSeed } from '../support/test-seed.ts';
import { memoryCheckpoints } from '../support/memory-checkpoints.ts';
import { type Fate, memoryLog } from '../support/memory-log.ts';
import { testRuns } from '../support/test-runs.ts';

const ACCOUNT = derivedId('test', 'account');
const FEED = derivedId('test', 'feed');
const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const KEYS = 3;
const keyId = (key: number) => derivedId('test', 'key', key);

type Step =
  | {
      readonly do: 'create';
      readonly key: number;
      readonly name: number;
      readonly resource: Resource | null;
      readonly fate: Fate;
    }
  /** The n-th subscription created so far, requested with a key that may be another one. */
  | { readonly do: 'revoke'; readonly nth: number; readonly key: number; readonly fate: Fate }
  | { readonly do: 'revoke key'; readonly key: number }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'plan'; readonly cap: number };

const key = fc.nat({ max: KEYS - 1 });
const fate = fc.constantFrom<Fate>('stored', 'stored', 'stored', 'lose before', 'lose after');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      key,
      name: fc.nat({ max: 5 }),
      resource: fc.constantFrom(null, null, 'topics' as const),
      fate,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('revoke' as const), nth: fc.nat({ max: 12 }), key, fate }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke key' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('plan' as const), cap: fc.integer({ min: 1, max: 6 }) }) },
);

/** The fields of a subscription as plain values. */
interface Row {
  readonly id: string;
  readonly key: number;
  readonly name: string;
  readonly resource: Resource | null;
  revokedAt: string | null;
}

/** The parts of the program over a log in memory; keys expire 0, 24 and 48 hours after the start, the first never. */
async function openProgram() {
  const memory = memoryLog();
  const checkpoints = memoryCheckpoints();
  const clock = { time: START, now: () => clock.time, sleep: async () => undefined };
  let ids = 0;
  let mark = 0;
  const append = async (type: string, data: object) => {
    const commandId = derivedId('test', 'command', memory.events.length);
    const revision = memory.events.filter(({ stream }) => stream === accountStream(ACCOUNT)).length - 1;
    const event = {
      id: eventId(commandId, 0),
      type,
      schemaVersion: 1,
      data: JSON.stringify(data),
      metadata: { commandId },
      time: clock.time,
    };
    memory.store({ stream: accountStream(ACCOUNT), expectedRevision: revision, events: [event] });
  };
  for (let number = 0; number < KEYS; number += 1) {
    const expiresAt = number === 0 ? null : new Date(START + number * 24 * HOUR_MS).toISOString();
    await append('KeyIssued', { keyId: keyId(number), sha256: 'a'.repeat(64), scopes: ['civic:read'], expiresAt });
  }
  const parts = {
    log: memory.log,
    checkpoints,
    clock,
    identifiers: { next: () => derivedId('test', 'fresh', (ids += 1)) },
    readMark: async () => ({ feedId: FEED, position: (mark += 1), fingerprint: null }),
    visible: async () => true,
    deadlineMs: HOUR_MS,
  };
  return {
    memory,
    clock,
    append,
    ...createSubscriptionChanges({
      ...parts,
      // The read model, folded again from the whole stream.
      revokedBefore: async ({ subscriptionId, keyId: requestedKey }) => {
        let matchingId: string | null = null;
        let owner: string | null = null;
        for (const stored of memory.events.filter(({ stream }) => stream === accountFeedsStream(ACCOUNT))) {
          const event = readSubscriptionEvent(stored);
          if (event.data.id !== subscriptionId) continue;
          if (event.type === 'FeedSubscriptionCreated') owner = event.data.keyId;
          else matchingId = event.data.revokedAt;
        }
        return owner === requestedKey ? matchingId : null;
      },
    }),
  };
}

const outcome = async <Result>(work: Promise<Result>): Promise<Result | string> =>
  work.catch((error: unknown) => {
    if (error instanceof Rejection) return error.code;
    throw error;
  });

test('every answer equals that of plain lists of subscriptions and keys, with any lost append', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 150 }), async (steps) => {
      const program = await openProgram();
      const rows: Row[] = [];
      const revokedKeys = new Set<number>();
      let cap = 4;
      const isAlive = (number: number) =>
        !revokedKeys.has(number) && (number === 0 || program.clock.time < START + number * 24 * HOUR_MS);
      const live = () => rows.filter((row) => row.revokedAt === null && isAlive(row.key));

      const expectedCreation = (request: Extract<Step, { do: 'create' }>, name: string): Row | string | null => {
        if (!isAlive(request.key)) return 'unauthorized';
        const same = live().find((row) => row.key === request.key && row.name === name);
        if (same !== undefined) return same.resource === request.resource ? same : 'feed_subscription_conflict';
        return live().length >= cap ? 'feed_subscription_limit_reached' : null;
      };

      for (const revocation of steps) {
        program.clock.time += 1;
        const before = program.memory.events.length;
        if (revocation.do === 'create') {
          const name = `name ${revocation.name}`;
          const expected = expectedCreation(revocation, name);
          if (expected === null) program.memory.fates.push(revocation.fate);
          const request = {
            accountId: ACCOUNT,
            keyId: keyId(revocation.key),
            requestId: 'r',
            name,
            resource: revocation.resource,
            cap,
          };
          const actual = await outcome(program.create(request));
          if (typeof actual === 'string') expect(actual).toBe(expected);
          else if (expected === null) {
            const { id, startCursor, ...answer } = actual.subscription;
            const createdAt = new Date(program.clock.time).toISOString();
            expect([actual.created, answer]).toEqual([
              true,
              { name, resource: revocation.resource, keyId: keyId(revocation.key), createdAt },
            ]);
            expect(decodeFeedCursor(startCursor)).toMatchObject({
              feedId: FEED,
              binding: revocation.resource ?? 'all',
            });
            rows.push({ id, key: revocation.key, name, resource: revocation.resource, revokedAt: null });
          } else expect([actual.created, actual.subscription.id]).toEqual([false, (expected as Row).id]);
          expect(program.memory.events.length - before).toBe(expected === null ? 1 : 0);
          if (expected === null) expect(live().length).toBeLessThanOrEqual(cap);
        } else if (revocation.do === 'revoke') {
          // A dead key is refused before this point.
          if (!isAlive(revocation.key)) continue;
          const row = rows[revocation.nth];
          const mine = row !== undefined && row.key === revocation.key;
          const changes = mine && row.revokedAt === null;
          if (changes) program.memory.fates.push(revocation.fate);
          const subscriptionId = row?.id ?? derivedId('test', 'nothing');
          const actual = await outcome(
            program.revoke({ accountId: ACCOUNT, keyId: keyId(revocation.key), requestId: 'r', subscriptionId }),
          );
          if (changes) row.revokedAt = new Date(program.clock.time).toISOString();
          expect(actual).toEqual(mine ? { id: row.id, revokedAt: row.revokedAt } : 'not_found');
          expect(program.memory.events.length - before).toBe(changes ? 1 : 0);
        } else if (revocation.do === 'revoke key') {
          if (revocation.key === 0 || revokedKeys.has(revocation.key)) continue;
          revokedKeys.add(revocation.key);
          await program.append('KeyRevoked', { keyId: keyId(revocation.key) });
        } else if (revocation.do === 'wait') program.clock.time += revocation.hours * HOUR_MS;
        else cap = revocation.cap;
        expect(program.memory.fates).toEqual([]);
      }
    }),
    { seed: testSeed(), numRuns: testRuns(60) },
  );
});

test('a thousand subscriptions created and ended need no more events to read than the first hundred', async () => {
  const { memory, create, revoke } = await openProgram();
  const request = { accountId: ACCOUNT, keyId: keyId(0), requestId: 'r', resource: null, cap: 10 };
  const costs: number[] = [];
  for (let round = 0; round < 1_000; round += 1) {
    const before = memory.read;
    const { subscription } = await create({ ...request, name: `round ${round % 3}` });
    await revoke({ ...request, subscriptionId: subscription.id });
    costs.push(memory.read - before);
  }
  expect(Math.max(...costs.slice(100))).toBeLessThanOrEqual(Math.max(...costs.slice(0, 100)));
  expect(memory.events.length).toBeGreaterThan(2_000);
});

test('two hundred at once on one account cause no conflict, and all are answered by the rules', async () => {
  const { memory, create } = await openProgram();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, nth) =>
      outcome(
        create({
          accountId: ACCOUNT,
          keyId: keyId(0),
          requestId: 'r',
          name: `name ${nth % 20}`,
          resource: null,
          cap: 10,
        }),
      ),
    ),
  );
  const codes = answers.map((answer) => (typeof answer === 'string' ? answer : answer.created));
  expect(codes.filter((code) => code === true)).toHaveLength(10);
  expect(codes.filter((code) => code === false)).toHaveLength(90);
  expect(codes.filter((code) => code === 'feed_subscription_limit_reached')).toHaveLength(100);
  expect(memory.appends).toBe(10);
});
