import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../../domain/digests.ts';
import { readRecording, startReplayServer } from '../integration/agendas/replay-server.ts';
import { type Ask, catchUp, FeedBroken, FeedMirror, readSnapshot, UnexpectedAnswer } from '../support/feed-mirror.ts';
import { ImportingWriter } from '../support/importing-writer.ts';
import { reactorsAtRest } from '../support/reactors-at-rest.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Answered, type Installation, makeInstallation, type Service } from '../support/service.ts';

/** `SOAK_KILLS=200 SOAK_SEED=7 npm run test:nightly -- test/nightly/service-kill.test.ts` is the long run. */
const KILLS = Number(process.env['SOAK_KILLS'] ?? 8);
const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000);
/** A timeout far longer than the kills take on a busy machine. */
const MAX_MS = 600_000 + KILLS * 300_000;
const LINES_A_FILE = 200;
/** The pause between two operations of an actor; without it the starts get no processor time. */
const PAUSE_MS = 300;
/** Maximum in milliseconds: a third of the kills happen during the start, the others after it. */
const LIFE = { starting: 2_500, serving: 1_500 };
const REBUILT = ['record_history', 'record_references'];

const random = seededRandom(SEED);
/**
 * The database of a killed service may be unavailable for longer than a command waits on an overloaded machine; the
 * command is then run again.
 */
const isAway = ({ exitCode, stderr }: Answered): boolean => exitCode === 1 && /could not be reached/.test(stderr);
const writers = ['first', 'second', 'third'].map(
  (name, index) =>
    new ImportingWriter({
      name,
      random: seededRandom(SEED + index + 1),
      linesAFile: LINES_A_FILE,
      killed: name === 'third' ? 0.4 : 0,
      excuses: isAway,
    }),
);
const mirror = new FeedMirror();
const rebuilt = new Map(REBUILT.map((name) => [name, 0]));
const refused = new Map<number, number>();
let advancesWhileKilled = 0;
let installation: Installation;
let source: Awaited<ReturnType<typeof startReplayServer>>;
let key: string;
let service: Service | undefined;

const limit = (): number => 1 + random.below(500);
const ask: Ask = (path, options = {}) => {
  if (service === undefined) throw new TypeError('nothing serves right now');
  return service.fetch(path, { ...options, key });
};
/** Waits until no change arrives and the mirror is complete: a command waits for the read models before it prints. */
async function settle(): Promise<void> {
  await reactorsAtRest(installation.dataDir);
  await installation.civicHere(['records', 'export', '--resource', 'topics']);
  await catchUp(mirror, ask, limit);
}
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const synced = (): Promise<Answered> =>
  installation.civic([
    'sources',
    'sync',
    'legistar',
    '--client',
    'fortworthgov',
    '--base-url',
    source.baseUrl,
    '--since',
    '2000-01-01',
    '--json',
  ]);

async function syncOnce(): Promise<void> {
  let answer = await synced();
  while (isAway(answer)) answer = await synced();
  if (answer.exitCode !== 0 || answer.stderr !== '') throw new Error(`sync: ${JSON.stringify(answer)}`);
}

/** Repeats an operation until the kills are over; the first failure ends all. */
async function untilOver(over: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!over.aborted) {
    await work();
    await after(PAUSE_MS);
  }
}

/** Returns the kinds of work that were too rare so far for the kills to prove anything. */
function stillToDo(): readonly string[] {
  const few = writers
    .filter(({ imports }) => imports < 2)
    .map(({ imports }) => `a writer made ${imports} of 2 imports`);
  const unbuilt = [...rebuilt].filter(([, count]) => count === 0).map(([name]) => `no rebuild of ${name}`);
  return [
    ...few,
    ...unbuilt,
    ...(advancesWhileKilled < 3 ? [`the mirror advanced ${advancesWhileKilled} of 3 times`] : []),
  ];
}

/**
 * Kills at least this many times. Continues on a busy machine, with a longer life of the service, until it has
 * disturbed some work.
 */
async function killAgainAndAgain(failed: AbortSignal): Promise<void> {
  for (let kill = 0; (kill < KILLS || (kill < 10 * KILLS && stillToDo().length > 0)) && !failed.aborted; kill += 1) {
    const starting = installation.launch();
    const started = starting.ready.then(
      (up) => void (service = up),
      () => undefined,
    );
    const patience = 1 + Math.floor(kill / KILLS);
    const moment = random.chance(0.33)
      ? after(random.next() * LIFE.starting * patience)
      : started.then(() => after(random.next() * LIFE.serving * patience));
    const early = await Promise.race([moment.then(() => null), starting.ended]);
    if (early !== null) throw new Error(`start ${kill} failed: ${JSON.stringify(early)}`);
    service = undefined;
    starting.kill('SIGKILL');
    await Promise.all([starting.ended, started]);
    service = undefined;
  }
}

async function rebuildOne(name: string): Promise<void> {
  const answer = await installation.civicHere(['projections', 'rebuild', name, '--json']);
  if (isAway(answer)) return;
  if (answer.exitCode !== 0) throw new Error(`rebuild of ${name}: ${JSON.stringify(answer)}`);
  rebuilt.set(name, rebuilt.get(name)! + 1);
}

/** Repeats from its cursor after any error of the connection, as a customer does. */
async function replicate(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const from = mirror.position;
    try {
      await catchUp(mirror, ask, limit);
    } catch (error) {
      if (error instanceof FeedBroken) throw error;
      if (error instanceof UnexpectedAnswer) refused.set(error.status, (refused.get(error.status) ?? 0) + 1);
    }
    if (mirror.position > from) advancesWhileKilled += 1;
    await after(20);
  }
}

describe(`a service killed ${KILLS} times during imports by three writers and two rebuilds (seed ${SEED})`, {
  timeout: MAX_MS,
}, () => {
  beforeAll(async () => {
    installation = makeInstallation('civic-kill-');
    source = await startReplayServer('fortworthgov', await readRecording('fortworthgov'));
    key = await installation.openAccount();
    const over = new AbortController();
    const all = [
      killAgainAndAgain(over.signal).finally(() => over.abort()),
      ...writers.map((writer) => untilOver(over.signal, () => writer.importOne(installation))),
      ...REBUILT.map((name) => untilOver(over.signal, () => rebuildOne(name))),
      replicate(over.signal),
      syncOnce(),
    ];
    try {
      await Promise.all(all);
    } finally {
      over.abort();
      await Promise.allSettled(all);
    }
    service = await installation.start();
    await settle();
  }, MAX_MS);

  afterAll(async () => {
    await source.close();
    await service?.stop();
    await installation.close();
  }, MAX_MS);

  test('makes progress between the kills', () => {
    expect(stillToDo()).toEqual([]);
    expect([...refused].filter(([status]) => status !== 503 && status !== 504)).toEqual([]);
  });

  test('has every acknowledged change in the feed, and publishes no change twice', () => {
    const published = new Map<string, number>();
    for (const change of mirror.changes) {
      const token = /"token":"([^"]+)"/.exec(change)?.[1];
      if (token !== undefined) published.set(token, (published.get(token) ?? 0) + 1);
    }
    for (const { acknowledged, inOneGo } of writers) {
      expect(acknowledged.filter((token) => !published.has(token))).toEqual([]);
      expect(inOneGo.filter((token) => published.get(token) !== 1)).toEqual([]);
    }
  });

  test('has the last statement of the writer in each record that only one writer changes', () => {
    const mirroredRecord = (id: string): unknown => {
      const text = mirror.records.get(`stream_records ${id}`);
      return text === undefined ? null : (JSON.parse(text) as { title: string }).title;
    };
    for (const { own } of writers) {
      expect(
        [...own].flatMap(([id, token]) =>
          mirroredRecord(id) === token ? [] : [{ id, token, held: mirroredRecord(id) }],
        ),
      ).toEqual([]);
    }
  });

  test('gives a snapshot with the records and digests of the reader', async () => {
    const snapshot = await readSnapshot(ask, limit);
    expect(snapshot.position).toBe(mirror.position);
    expect(snapshot.records).toEqual(mirror.records);
    expect(mirror.digests()).toEqual(snapshot.digests);
    const health = (await (await ask('/api/v1/data/health')).json()) as {
      data: { pipeline: { head: { digests: unknown } } };
    };
    expect(health.data.pipeline.head.digests).toEqual(snapshot.digests);
  });

  test('gives a second replay that equals the first, item for item', async () => {
    const again = new FeedMirror();
    await catchUp(again, ask, () => 500);
    expect(again.changes.length).toBe(mirror.changes.length);
    expect(again.changes.findIndex((change, index) => change !== mirror.changes[index])).toBe(-1);
  });

  test('exports the records of the reader, and appends nothing when they are imported again', async () => {
    const exported = await installation.civic(['records', 'export']);
    expect({ exitCode: exported.exitCode, stderr: exported.stderr }).toEqual({ exitCode: 0, stderr: '' });
    const records = lines(exported.stdout).map(
      (line) => JSON.parse(line) as { resource: string; id: string; data: unknown },
    );
    expect(
      new Map(records.map(({ resource, id, data }) => [`${resource} ${id}`, canonicalJson(data)] as const)),
    ).toEqual(mirror.records);
    const file = join(installation.folder, 'export.ndjson');
    writeFileSync(file, exported.stdout);
    expect(readFileSync(file, 'utf8').length).toBeGreaterThan(0);
    const imported = await installation.civic(['records', 'import', file, '--json']);
    expect(JSON.parse(imported.stdout)).toMatchObject({
      read: records.length,
      appended: 0,
      unchanged: records.length,
      rejected: 0,
    });
  });

  test('appends nothing but its own check when an unchanged source is synced again', async () => {
    expect((await synced()).exitCode).toBe(0);
    await settle();
    const before = mirror.position;
    expect((await synced()).exitCode).toBe(0);
    await settle();
    expect(mirror.changes.slice(before).filter((change) => !change.includes('"resource":"sources"'))).toEqual([]);
  });

  test('has read models that match the log, row by row', async () => {
    const verified = await installation.civic(['projections', 'verify', '--all', '--json']);
    expect(verified.stderr).toBe('');
    const results = JSON.parse(verified.stdout) as { name: string; equal: boolean; differences: string[] }[];
    expect(results.filter(({ equal }) => !equal)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(4);
  });
});
