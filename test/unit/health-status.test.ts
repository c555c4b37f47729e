import { describe, expect, test } from 'vitest';
import { derivedId } from '../../domain/identifiers.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { Generation } from '../../domain/ports/generations.ts';
import { createReadCivicHealth } from '../../queries/feed/read-civic-health.ts';

const NOW = Date.parse('2026-01-05T12:00:00Z');
const [BEHIND, HEAD] = ['00000000000000000001' as Position, '00000000000000000002' as Position];
const clock = { now: () => NOW, sleep: () => new Promise<void>(() => undefined) };

const LEASED = { owner: 'projector', leaseUntil: NOW + 1_000 };
const NOT_LEASED = { owner: null, leaseUntil: 0 };

/** Health with one live projection, which has an event of that age still to fold; none if it is null. */
function health(pendingSeconds: number | null, lease: Pick<Generation, 'owner' | 'leaseUntil'>) {
  const generation: Generation = {
    ...lease,
    generation: 1,
    projection: 'agenda',
    version: 1,
    state: 'live',
    logId: null,
    checkpoint: pendingSeconds === null ? HEAD : BEHIND,
    lastEvent: null,
    token: 1,
    pausedReason: null,
    pausedEvent: null,
    folded: 0,
    createdAt: 0,
    changedAt: 0,
    held: false,
    acceptDifferences: false,
    operatorPausedAt: null,
    comparison: null,
    keptUntil: null,
    speed: {
      ownedSince: 0,
      eventsRead: 0,
      windowSince: 0,
      windowFolded: 0,
      windowEventsRead: 0,
      foldRate: null,
      readRate: null,
    },
  };
  const pending = { time: NOW - (pendingSeconds ?? 0) * 1000 } as StoredEvent;
  const log = {
    head: async () => HEAD,
    distance: () => 1,
    readAll: async () => ({ events: [pending], scannedTo: HEAD, isEnd: true }),
  };
  const reads = {
    rows: async () => [{ feedId: derivedId('test', 'feed'), position: 1, fingerprint: null }],
    many: async () => [],
  };
  return createReadCivicHealth({
    log,
    reads,
    clock,
    leaseClock: clock,
    deadlineMs: 60_000,
    logger: {
      warn: ({ part, error }: { readonly part: string; readonly error: string }) =>
        expect.unreachable(`${part}: ${error}`),
    },
    history: { doubt: () => null },
    generations: { list: async () => [generation] },
    handles: new Map([['agenda', ['RecordPublished']]]),
    processorStore: { listReactors: async () => [] },
    follows: new Map(),
    unclassified: { count: async () => 0 },
  } as unknown as Parameters<typeof createReadCivicHealth>[0])();
}

describe('the service is', () => {
  test('healthy while its projections are folded in time', async () => {
    for (const pending of [null, 0, 60]) {
      const { status, pipeline } = await health(pending, LEASED);
      expect({ status, unanswered: pipeline.unanswered }).toEqual({ status: 'healthy', unanswered: undefined });
      expect(pipeline).toMatchObject({ failedWork: 0, projections: [{ state: 'live' }] });
    }
  });

  test('degraded once a live projection is more than 60 seconds behind, though it is folded', async () => {
    expect(await health(61, LEASED)).toMatchObject({
      status: 'degraded',
      pipeline: { lagSeconds: 61, projections: [{ state: 'live', lagSeconds: 61 }] },
    });
  });

  test('degraded as soon as no process folds a projection that has work', async () => {
    expect(await health(1, NOT_LEASED)).toMatchObject({
      status: 'degraded',
      pipeline: { projections: [{ state: 'stopped' }] },
    });
    expect(await health(null, NOT_LEASED)).toMatchObject({
      status: 'healthy',
      pipeline: { projections: [{ state: 'live' }] },
    });
  });
});
