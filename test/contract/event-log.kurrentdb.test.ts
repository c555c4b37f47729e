import { describe } from 'vitest';
import { openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { imageOf } from '../support/compose.ts';
import { CONTAINER_START_MS, imageMissing } from '../support/containers.ts';
import type { Store } from '../support/event-log-builders.ts';
import { startKurrentPeer } from '../support/kurrent-peer.ts';
import { eventLogContract } from './event-log.suite.ts';

const openOn = (url: string, stop: () => Promise<void>): Store => ({
  connect: () => openKurrentLog({ url, deadlineMs: 20_000 }),
  stop,
});

eventLogContract('a peer that speaks the wire protocol of KurrentDB', async () => {
  const peer = await startKurrentPeer();
  return openOn(peer.url, async () => await peer.stop());
});

const configuredUrl = process.env.EVENTSTORE_URL;
describe.skipIf(configuredUrl === undefined)(
  'with EVENTSTORE_URL (set it to a KurrentDB of its own with MaxAppendSize 4194304)',
  () => {
    eventLogContract('the server of EVENTSTORE_URL', async () => openOn(configuredUrl!, async () => {}));
  },
);

const image = imageOf('kurrentdb');
const missing = await imageMissing(image);
describe.skipIf(missing !== null)(`in a container (${missing ?? 'Docker runs here'})`, () => {
  eventLogContract('KurrentDB', async () => {
    const { GenericContainer, Wait } = await import('testcontainers');
    const container = await new GenericContainer(image)
      .withEnvironment({ KURRENTDB_INSECURE: 'true', KURRENTDB_MAX_APPEND_SIZE: '4194304', KURRENTDB_MEM_DB: 'true' })
      .withExposedPorts(2113)
      .withStartupTimeout(CONTAINER_START_MS)
      .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCodeMatching((code) => code < 300))
      .start();
    const url = `esdb://${container.getHost()}:${container.getMappedPort(2113)}?tls=false`;
    return openOn(url, async () => void (await container.stop()));
  });
});
