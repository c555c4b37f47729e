import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { openUnreliableProxy, type UnreliableProxy } from '../support/unreliable-proxy.ts';
import { testRuns } from '../support/test-runs.ts';

/** `TEST_RUNS=100 SOAK_SEED=7 npm run test:nightly -- test/nightly/replicate-kill.test.ts` is the long run. */
const KILLS = testRuns(3);
const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000);
const MAX_MS = 600_000 + KILLS * 30_000;
/** Short, so that a replica that is off for a while finds its cursor expired. */
const RETENTION_MS = 4_000;
const RECORDS = 400;
const FAULTY_PART = 0.3;
/** Part of the pauses that outlast the retention. */
const LONG_PAUSES = 0.2;

const random = seededRandom(SEED);
const work = { imports: 0, rebuilds: 0, pruned: 0, kills: 0, restarts: 0 };
let databases: TestDatabase[];
let installation: Installation;
let service: Service;
let pruner: TestCivic;
let proxy: UnreliableProxy;
let keyFile: string;

beforeAll(async () => {
  databases = [await startTestDatabase(), await startTestDatabase()];
  installation = makeInstallation('civic-replicate-kill-', {
    DATABASE_URL: databases[0]!.url,
    CIVIC_REPLAY_RETENTION: `PT${RETENTION_MS / 1000}S`,
  });
  service = await installation.start();
  pruner = await openTestCivic(databases[0]!.url, { retentionMs: RETENTION_MS });
  proxy = await openUnreliableProxy(() => service.baseUrl, seededRandom(SEED + 1), FAULTY_PART);
  keyFile = join(installation.folder, 'key');
  writeFileSync(keyFile, await installation.openAccount());
}, MAX_MS);

afterAll(async () => {
  await proxy?.close();
  await pruner?.close();
  await service?.stop();
  await installation?.close();
  for (const database of databases) await database.close();
});

async function here(args: readonly string[], input = ''): Promise<void> {
  const { exitCode, stderr } = await installation.civicHere(args, { input });
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stderr}`);
}

async function importSome(count: number): Promise<void> {
  const lines = randomChanges(() => random.next(), count, RECORDS).map((change) => {
    const { op, resource, id } = change;
    return `${JSON.stringify(change.op === 'upsert' ? { op, resource, id, data: change.content } : { op, resource, id })}\n`;
  });
  await here(['records', 'import', '-'], lines.join(''));
  work.imports += 1;
}

async function untilOver(over: AbortSignal, pauseMs: number, step: () => Promise<unknown>): Promise<void> {
  while (!over.aborted) {
    await step();
    await after(pauseMs);
  }
}

const idle = () => Object.entries({ ...work, ...Object.fromEntries(proxy.faults) }).filter(([, times]) => times === 0);

/** The real command, killed at random moments; ends after its part of the kills, and not before everything has happened once. */
async function killRepeatedly(args: readonly string[], kills: number): Promise<void> {
  for (let kill = 0; kill < kills || (kill < 20 * kills && idle().length > 0); kill += 1) {
    const running = installation.run([...args, '--follow']);
    // Later kills come later: a slow machine has not sent a request in the time of the first ones.
    const moment = after(150 + random.next() * 2_500 * (1 + Math.floor(kill / kills)));
    const early = await Promise.race([moment.then(() => null), running.ended]);
    if (early !== null) throw new Error(`${args.at(-1)} ended by itself: ${JSON.stringify(early)}`);
    running.kill('SIGKILL');
    const { stderr } = await running.ended;
    work.kills += 1;
    if (stderr.includes('starting again from a snapshot')) work.restarts += 1;
    if (random.chance(LONG_PAUSES)) await after(RETENTION_MS + 1_000);
  }
}

describe(`three mirrors killed ${KILLS} times under writers, rebuilds, pruning and a proxy that damages ${FAULTY_PART * 100} % (seed ${SEED})`, () => {
  test('end with the digests of the service', { timeout: MAX_MS }, async () => {
    await importSome(2 * RECORDS);
    const targets = [
      join(installation.folder, 'mirror'),
      `sqlite:${join(installation.folder, 'mirror.db')}`,
      databases[1]!.url,
    ];
    const command = (baseUrl: string, to: string) => [
      'replicate',
      '--base-url',
      baseUrl,
      '--key-file',
      keyFile,
      '--to',
      to,
    ];
    const over = new AbortController();
    const others = [
      untilOver(over.signal, 100, () => importSome(40)),
      untilOver(over.signal, 1_500, async () => {
        await here(['projections', 'rebuild', 'record_history']);
        work.rebuilds += 1;
      }),
      untilOver(over.signal, 1_000, async () => (work.pruned += await pruner.prune(Date.now()))),
    ];
    const share = Math.ceil(KILLS / targets.length);
    const killing = Promise.all(targets.map((to) => killRepeatedly(command(proxy.baseUrl, to), share))).finally(() =>
      over.abort(),
    );
    await Promise.all([killing, ...others]);
    for (const to of targets) {
      const { exitCode, stdout, stderr } = await installation.civic([
        ...command(service.baseUrl, to),
        '--verify',
        '--json',
      ]);
      expect({ exitCode, stderr: stderr.replaceAll(/^warning: .*\n/gm, '') }).toEqual({ exitCode: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ verified: true });
    }
    expect(idle()).toEqual([]);
  });
});
