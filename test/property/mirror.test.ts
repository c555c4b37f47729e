import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import type { MirrorStore } from '../../client/mirror/mirror-store.ts';
import { FeedService } from '../support/feed-service.ts';
import { runMirror } from '../support/run-mirror.ts';
import { testRuns } from '../support/test-runs.ts';

class Killed extends Error {}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const IDS = ['a', 'b', 'c', 'd'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`);
const NAMES = ['topics', 'meetings'] as const;

/** Steps between two reads of the feed. */
const happening = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      resource: fc.constantFrom(...NAMES),
      id: fc.constantFrom(...IDS),
      value: fc.integer(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      resource: fc.constantFrom(...NAMES),
      id: fc.constantFrom(...IDS),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      after: fc.integer({ min: 0, max: 6 }),
      stored: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'expire' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restore' as const }) },
);

/** Dies after the given number of commits, before or after the store has applied the last one. */
function dyingAfter(store: MirrorStore, commits: number, stored: boolean): MirrorStore {
  let commitsLeft = commits;
  return {
    ...store,
    async commit(commit) {
      if (commitsLeft-- > 0) return store.commit(commit);
      if (stored) await store.commit(commit);
      throw new Killed();
    },
  };
}

describe.each(['folder', 'sqlite'] as const)('a mirror in a %s', (kind) => {
  test('equals the service after any writes, kills, expiries and restores, and never shows half a copy', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 40 }),
        fc.constantFrom(null, 'topics'),
        fc.integer({ min: 1, max: 4 }),
        async (steps, resource, pageSize) => {
          round += 1;
          const to = kind === 'sqlite' ? `sqlite:${join(folder, `${round}.db`)}` : join(folder, String(round));
          const service = new FeedService(pageSize);
          for (const step of steps) {
            if (step.kind === 'write') service.write(step.resource, step.id, { value: step.value });
            else if (step.kind === 'remove') service.write(step.resource, step.id, null);
            else if (step.kind === 'expire') {
              service.floor = service.changes.length;
              service.loseSnapshots();
            } else if (step.kind === 'restore')
              service.feedId = `${String(round).padStart(8, '0')}-0000-4000-8000-${String(service.changes.length).padStart(12, '0')}`;
            else {
              const store = await openMirrorStore(to);
              await runMirror(service, dyingAfter(store, step.after, step.stored), { resource }).catch(
                (error: unknown) => {
                  if (!(error instanceof Killed)) throw error;
                },
              );
              const { phase } = await store.state();
              // Readers always see a state that the service has had.
              if (phase !== 'empty') expect(await someState(service, store, resource)).toBe(true);
              await store.close();
            }
          }
          const store = await openMirrorStore(to);
          await runMirror(service, store, { resource });
          expect(await compareMirror(store, service.digests(service.changes.length), resource)).toEqual({
            equal: true,
            different: [],
          });
          await store.close();
        },
      ),
      { numRuns: testRuns(20) },
    );
  });
});

async function someState(service: FeedService, store: MirrorStore, resource: string | null): Promise<boolean> {
  for (let position = service.changes.length; position >= 0; position -= 1) {
    if ((await compareMirror(store, service.digests(position), resource)).equal) return true;
  }
  return false;
}

test('a page that skips a position is not applied', async () => {
  const service = new FeedService(10);
  const store = await openMirrorStore(join(folder, 'skip'));
  await runMirror(service, store);
  for (const id of IDS) service.write('topics', id, { value: 1 });
  const skipping: FeedService['ask'] = async (path, method) => {
    const answer = await service.ask<{ data: { items: unknown[] } }>(path, method);
    answer.data.items.splice(1, 1);
    return answer as never;
  };
  const broken = Object.assign(new FeedService(10), { ask: skipping });
  await expect(runMirror(broken, store)).rejects.toThrow(/position 3 came after 1/);
  expect(await compareMirror(store, service.digests(0), null)).toMatchObject({ equal: true });
  await store.close();
});

test('a snapshot that does not match its digest changes nothing', async () => {
  const service = new FeedService(10);
  for (const id of IDS) service.write('topics', id, { value: 1 });
  const losing: FeedService['ask'] = async (path, method) => {
    const answer = await service.ask<{ data: { items?: unknown[] } }>(path, method);
    if (path.includes('/topics')) answer.data.items?.pop();
    return answer as never;
  };
  const store = await openMirrorStore(join(folder, 'lost'));
  const lossy = Object.assign(new FeedService(10), { ask: losing });
  await expect(runMirror(lossy, store, { sleep: () => Promise.resolve() })).rejects.toThrow(/do not match its digest/);
  for await (const record of store.records()) expect(record).toBeUndefined();
  await store.close();
});
