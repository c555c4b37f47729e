import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../infra/system/clock.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { LONG_LEASE_MS, openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { below, randomChanges, randomFrom } from '../support/civic-records.ts';
import { testRuns } from '../support/test-runs.ts';
import { testSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type KafkaPeer, startKafkaPeer } from '../support/kafka-peer.ts';
import { FEED_TOPIC, feedItems, readChained, relayAtRest, relayRow, startRelay } from '../support/relay.ts';

const MAIN = fileURLToPath(new URL('../support/relay-main.ts', import.meta.url));
const LEASE_MS = 600;
const ROUNDS = testRuns(2);

let database: TestDatabase;
let civic: TestCivic;
let peer: KafkaPeer;

beforeEach(async () => {
  database = await startTestDatabase();
  civic = await openTestCivic(database.url);
  civic.startProjector();
  peer = await startKafkaPeer();
});
afterEach(async () => {
  await civic.close();
  await peer.stop();
  await database.close();
});

async function startProcess() {
  const child = spawn(process.execPath, [MAIN, database.url, peer.brokers, String(LEASE_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: childEnvironment(),
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async kill9() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
const countRelayed = () => [...(peer.store.topics.get(FEED_TOPIC) ?? [])].reduce((sum, { end }) => sum + end, 0n);
const calls = () => [...peer.calls.values()].reduce((sum, count) => sum + count, 0);
async function complete() {
  const items = await feedItems(civic);
  const messages = await readChained(peer.brokers);
  expect(messages.map(({ headers }) => Number(headers['civic-position']))).toEqual(items.map((_, index) => index + 1));
}

test('a relay that is killed at random points loses and repeats no message', async () => {
  const seed = testSeed();
  const random = randomFrom(seed);
  // Slow answers, so that kills meet every stage of a transaction.
  peer.faults.slowMs = 2;
  for (let round = 0; round < ROUNDS; round++) {
    const relay = await startProcess();
    const writing = (async () => {
      for (let part = 0; part < 6; part++) await civic.writer.write(randomChanges(random, 20, 60), {});
    })();
    const from = calls();
    const after = below(random, 120);
    await untilTrue(
      `so many calls were made (TEST_SEED=${seed})`,
      async () => calls() - from >= after || (await relayRow(civic))?.checkpoint === (await civic.log.head()),
    );
    await relay.kill9();
    await writing;
  }
  peer.faults.slowMs = 0;
  const last = startRelay(civic, peer.brokers, { leaseMs: LEASE_MS });
  await relayAtRest(civic);
  await last.stop();
  await complete();
});

test('a relay that was frozen while another took over publishes nothing when it continues', async () => {
  const frozen = await startProcess();
  await civic.writer.write(randomChanges(randomFrom(1), 100), {});
  await relayAtRest(civic);
  peer.faults.slowMs = 40;
  const writing = civic.writer.write(randomChanges(randomFrom(2), 200), {});
  const before = countRelayed();
  await untilTrue('it is in the middle of a transaction', () => countRelayed() > before);
  frozen.kill('SIGSTOP');
  await writing;
  peer.faults.slowMs = 0;
  // A short lease could end and be acquired again on a busy machine.
  const next = startRelay(civic, peer.brokers, { leaseMs: LONG_LEASE_MS });
  await relayAtRest(civic);
  const [afterTakeOver, owner] = [countRelayed(), (await relayRow(civic))!.owner];
  const callsBefore = calls();
  frozen.kill('SIGCONT');
  await untilTrue('the frozen one has been heard of again', () => calls() > callsBefore);
  // A fixed wait for messages that must not arrive.
  await systemClock.sleep(1500);
  expect(countRelayed()).toBe(afterTakeOver);
  expect((await relayRow(civic))!.owner).toBe(owner);
  await civic.writer.write(randomChanges(randomFrom(3), 50), {});
  await relayAtRest(civic);
  await complete();
  await next.stop();
  await frozen.kill9();
});
