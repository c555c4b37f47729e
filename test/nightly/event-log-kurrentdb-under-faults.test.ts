import { openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { recovering } from '../support/event-log-recovering.ts';
import { startKurrentPeer } from '../support/kurrent-peer.ts';
import { eventLogContract } from '../contract/event-log.suite.ts';

/** The same suite, unchanged, on every adapter with faults. */
const seed = testSeed();

const random = randomFrom(seed);

eventLogContract(`KurrentDB with appends that go wrong and are mended (TEST_SEED=${seed})`, async () => {
  const peer = await startKurrentPeer();
  return {
    connect: () => recovering(openKurrentLog({ url: peer.url, deadlineMs: 20_000 }), random),
    stop: async () => await peer.stop(),
  };
});

eventLogContract(`KurrentDB over connections that are cut at any moment (TEST_SEED=${seed})`, async () => {
  const peer = await startKurrentPeer();
  const { faults, way } = peer;
  // Faults depend on stored events and not on time, so that there is progress between two faults on any machine.
  const leaveInPeace = peer.store.listen(() => {
    if (random() > 1 / 100) return;
    const what = Math.floor(random() * 4);
    if (what === 0) way.cut();
    else if (what === 1) faults.cutAfterStoring = 1;
    else if (what === 2) faults.cutBeforeStoring = 1;
    else faults.refuseCalls = 1;
  });
  return {
    connect: () => openKurrentLog({ url: peer.url, deadlineMs: 60_000, againMs: 60_000 }),
    async stop() {
      leaveInPeace();
      await peer.stop();
    },
  };
});
