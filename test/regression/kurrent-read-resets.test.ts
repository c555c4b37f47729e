import { expect, test } from 'vitest';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { freshStream, newEvent } from '../support/event-log-builders.ts';
import { startKurrentPeer } from '../support/kurrent-peer.ts';

// A server of HTTP/2 closes the connection of a client that cancels many calls: Node.js after 1,000 at once and 33 a second.
test('a read of the last events of streams on KurrentDB cancels no call', async () => {
  const peer = await startKurrentPeer();
  const log = openKurrentLog({ url: peer.url, deadlineMs: 20_000 });
  try {
    const streams = Array.from({ length: 200 }, () => freshStream());
    await log.appendEach(streams.map((stream) => ({ stream, expectedRevision: NO_STREAM, events: [newEvent()] })));
    peer.faults.endLate = true;
    const last = await log.readLast([...streams, freshStream()]);
    expect(last.size).toBe(200);
    expect(peer.calls.cancelledRead).toBe(0);
  } finally {
    await log.close();
    await peer.stop();
  }
});
