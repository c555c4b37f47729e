import { expect, test } from 'vitest';
import { createTakeSnapshot, type TakeSnapshotDependencies } from '../../commands/snapshots/take-snapshot.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { EMPTY_DIGEST } from '../../domain/digests.ts';
import { TestClock } from '../support/civic.ts';

const ofEach = <Value>(value: Value) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, value])) as Record<Resource, Value>;
const ID = '5b0c3b0e-0f0e-4b57-9d3d-0a4a5b1f7f10';

/** Creates a snapshot, refused while the feed is read or not; resolves to the number of stored events. */
async function stored(isRefused: boolean): Promise<number> {
  const over = new AbortController();
  let appends = 0;
  const take = createTakeSnapshot({
    log: {
      readStream: async () => [],
      append: async () => {
        appends += 1;
        return { kind: 'appended', position: '1' as Position, revision: 0 };
      },
    } as unknown as TakeSnapshotDependencies['log'],
    clock: new TestClock(),
    identifiers: randomIdentifiers,
    readHead: async () => {
      if (isRefused) over.abort(new Error('refused by now'));
      return {
        feedId: ID,
        position: 1,
        prunedThrough: 0,
        fingerprint: null,
        counts: ofEach(0),
        digests: ofEach(EMPTY_DIGEST),
      };
    },
    visible: async () => true,
    lifetimeMs: 1_000,
    deadlineMs: 1_000,
  });
  const pending = take({ accountId: ID, keyId: ID, requestId: 'test' }, over.signal);
  if (isRefused) await expect(pending).rejects.toThrow('refused by now');
  else await pending;
  return appends;
}

test('a snapshot whose request was refused while the feed was read is not stored', async () => {
  expect(await stored(true)).toBe(0);
  expect(await stored(false)).toBe(1);
});
