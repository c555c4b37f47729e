import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { makeKeySecret } from '../../domain/key-secret.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type IntakeWorld, memoryIntake } from '../support/memory-intake.ts';

const accountId = 'account';
let world: IntakeWorld;
let submit: ReturnType<IntakeWorld['process']>;
beforeEach(() => {
  world = memoryIntake({ now: Date.UTC(2026, 0, 1), cap: 3 });
  submit = world.process();
});

const input = { sourceUrl: 'https://records.example.org/1', expectedRecord: 'a record' };
const refusal = async (request: Promise<object>): Promise<string> =>
  request.then(
    () => 'taken in',
    (error: unknown) => (error instanceof Rejection ? error.code : Promise.reject(error as Error)),
  );
const key = makeKeySecret(randomBytes);
const surface = { kind: 'mcp', tool: 'search_agenda' } as const;

describe('input that cannot be stored is refused and not counted', () => {
  test.each([
    ['U+0000', { ...input, expectedRecord: 'a\0b' }],
    ['half a character', { ...input, expectedRecord: 'a\ud800' }],
    ['U+0000 further in', { ...input, queryContext: { searchTerms: '\0', surface } }],
    ['half a character in a filter', { ...input, queryContext: { filters: { sourceSystem: '\udc00' }, surface } }],
    ['an API key', { ...input, expectedRecord: `my key is ${key}, and nothing came` }],
    ['an API key in the address', { ...input, sourceUrl: `https://records.example.org/${key}/1` }],
    ['an API key further in', { ...input, queryContext: { filters: { sourceRecordId: key }, surface } }],
    ['an address of this machine', { ...input, sourceUrl: 'http://127.0.0.1/' }],
    ['half a character in the address', { ...input, sourceUrl: 'https://records.example.org/\ud800' }],
  ])('%s', async (_, bad) => {
    for (let again = 0; again < 8; again += 1)
      expect(await refusal(submit({ accountId, token: 'x', input: bad }))).toBe('invalid_input');
    expect(await refusal(submit({ accountId, token: 'x' }))).toBe('taken in');
    expect(world.history()).toHaveLength(1);
  });

  test('an API key as the token', async () => {
    expect(await refusal(submit({ accountId, token: key }))).toBe('invalid_input');
    expect(await refusal(submit({ accountId, token: `again.${key}` }))).toBe('invalid_input');
    expect(await refusal(submit({ accountId, token: `${key.slice(0, -1)}-` }))).toBe('taken in');
    expect(world.history()).toHaveLength(1);
  });

  test('characters outside the first plane, and words that resemble an escape, are accepted', async () => {
    const expectedRecord = String.raw`𝔘 \u0000 \ud800 ` + '\u202e';
    expect(await refusal(submit({ accountId, token: 'x', input: { ...input, expectedRecord } }))).toBe('taken in');
  });
});

describe('a lost answer of the log', () => {
  test.each(['lose before', 'lose after'] as const)(
    '(%s it was stored) makes one report and returns its receipt',
    async (fate) => {
      world.log.fates.push(fate, fate);
      const receipt = await submit({ accountId, token: 'x' });
      expect(world.history()).toHaveLength(1);
      expect(await submit({ accountId, token: 'x' })).toEqual(receipt);
    },
  );
});

describe('a receipt', () => {
  test('is not returned before the report can be read, and the same submission returns it later', async () => {
    world.folds = false;
    for (let again = 0; again < 7; again += 1)
      await expect(submit({ accountId, token: 'x' })).rejects.toThrow(DeadlineExceeded);
    world.folds = true;
    expect(await submit({ accountId, token: 'x' })).toMatchObject({ reportId: [...world.open()][0] });
    expect(world.history()).toHaveLength(1);
  });
});

describe('a place in the queue', () => {
  const open = async (count: number) => {
    for (let number = 0; number < count; number += 1) await submit({ accountId, token: `token-${number}` });
  };

  test('is taken once by concurrent submissions of one token', async () => {
    await open(2);
    const twin = world.process();
    const [one, other] = await Promise.all([submit({ accountId, token: 'twin' }), twin({ accountId, token: 'twin' })]);
    expect(one).toEqual(other);
    expect([...world.row.reserved]).toEqual([]);
    expect(world.open().size).toBe(3);
  });

  test('is returned by a submission whose token turns out to be used', async () => {
    world.claimsLast = false;
    const twin = world.process();
    const [one, other] = await Promise.all([submit({ accountId, token: 'twin' }), twin({ accountId, token: 'twin' })]);
    expect(one).toEqual(other);
    const otherInput = { ...input, expectedRecord: 'another' };
    const submissions = [submit({ accountId, token: 'x' }), twin({ accountId, token: 'x', input: otherInput })];
    expect((await Promise.all(submissions.map(refusal))).toSorted()).toEqual(['replay_conflict', 'taken in']);
    expect([world.row.counted, ...world.row.reserved.keys()]).toEqual([2]);
    expect(world.history()).toHaveLength(2);
  });

  test('of a process that died is free again when that process can have nothing in progress', async () => {
    await open(2);
    world.row.reserved.set('00000000-0000-4000-8000-00000000dead', world.now + 10_000);
    expect(await refusal(submit({ accountId, token: 'x' }))).toBe('queue_unavailable');
    world.now += 10_001;
    expect(await refusal(submit({ accountId, token: 'x' }))).toBe('taken in');
    expect(await refusal(submit({ accountId, token: 'y' }))).toBe('queue_unavailable');
  });

  test('of a stored report remains if its process died before it was counted', async () => {
    await open(2);
    const { reportId } = (await submit({ accountId, token: 'x' })) as { reportId: string };
    world.row.counted! -= 1;
    world.row.reserved.set(reportId, world.now - 1_000_000);
    expect(await refusal(submit({ accountId, token: 'y' }))).toBe('queue_unavailable');
    expect([world.row.counted, ...world.row.reserved.keys()]).toEqual([3]);
  });

  test('is not granted by an outdated row: a process counts itself before its first submission', async () => {
    await open(3);
    world.row.counted = 0;
    expect(await refusal(world.process()({ accountId, token: 'x' }))).toBe('queue_unavailable');
  });

  test('is free again when a report is closed', async () => {
    await open(3);
    const [reportId] = world.open();
    await world.settle(accountId, reportId!);
    expect(await refusal(submit({ accountId, token: 'x' }))).toBe('taken in');
  });
});

describe('while the read model of reports lags behind the log', () => {
  test('a submission ends at its deadline, and no refusal states a full queue', async () => {
    world.catchesUp = false;
    await expect(submit({ accountId, token: 'x' })).rejects.toThrow(DeadlineExceeded);
    expect(world.history()).toEqual([]);
    world.catchesUp = true;
    expect(await refusal(submit({ accountId, token: 'x' }))).toBe('taken in');
  });
});
