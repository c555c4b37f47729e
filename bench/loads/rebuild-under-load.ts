import type { Client } from 'pg';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import type { GenerationStore } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { PROJECTIONS } from '../../src/app/read-models.ts';
import { atMost, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import type { Dataset } from '../rig/datasets.ts';
import { median, percentile } from '../rig/measure.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import type { Mixed, MixedRequest } from '../rig/read-mix.ts';
import { uuidOf } from '../rig/records.ts';
import { rowsOf, rowsThatDiffer, someThatDiffer } from '../rig/same-tables.ts';
import { serve, type Service } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/read-mix.ts', import.meta.url);
/** The same at every size: a rebuild of a million events under load takes too long. */
const RECORDS = 100_000;
const READERS = 32;
/** Reads while every read model is rebuilt one after the other, which takes long. */
const PER_SECOND = 60;
const WINDOW_SECONDS = 3;
const MAX_PAIRS = 12;
const PAGES = 40;
const IDS = 100;

interface Page {
  readonly meta: { readonly nextCursor: string };
}
interface SnapshotAnswer {
  readonly data: { readonly snapshotId: string };
}

/** Pages of the feed at many depths, lookups spread over all records, and pages of a snapshot, one after the other. */
async function requestsOf({ url }: Service, { key, records }: Dataset): Promise<readonly MixedRequest[]> {
  const ask = async <Answer>(path: string, method = 'GET'): Promise<Answer> => {
    const answer = await fetch(url + path, { method, headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const { snapshotId } = (await ask<SnapshotAnswer>('/api/v1/data/snapshots', 'POST')).data;
  const requests: MixedRequest[] = [];
  const readPages = async (path: string) => {
    let cursor = '';
    for (let page = 0; page < PAGES; page++) {
      requests.push({ method: 'GET', path: `${path}${cursor}`, body: '' });
      cursor = `&cursor=${(await ask<Page>(`${path}${cursor}`)).meta.nextCursor}`;
    }
  };
  await readPages('/api/v1/data/changes?limit=100');
  await readPages(`/api/v1/data/snapshots/${snapshotId}/agenda_items?limit=100`);
  for (let body = 0; body < PAGES; body++) {
    const ids = Array.from({ length: IDS }, (_, id) => uuidOf('item', (body * 7919 + id * 104_729) % records));
    requests.push({
      method: 'POST',
      path: '/api/v1/data/batch',
      body: JSON.stringify({ requests: [{ resource: 'agenda_items', ids: [...new Set(ids)] }] }),
    });
  }
  return requests.map((_, index) => requests[(index * 47) % requests.length]!);
}

interface Round {
  /** p50 and p99 of each window, alternately without and with the rebuild. */
  readonly quiet: Windows;
  readonly during: Windows;
  readonly requests: number;
  readonly failures: readonly string[];
  /** Time in which it was not paused. */
  readonly seconds: number;
  readonly folded: number;
  readonly switched: ReadonlyMap<string, number>;
}

interface Windows {
  readonly p50: number[];
  readonly p99: number[];
}

/**
 * Rebuilds one read model after the other, and pauses each for a window of reads as long as the one before it: what
 * else happens on the machine happens to both.
 */
async function measure(
  worker: Worker,
  job: object,
  store: GenerationStore,
  projections: readonly Projection[],
): Promise<Round> {
  const [quiet, during]: Windows[] = [
    { p50: [], p99: [] },
    { p50: [], p99: [] },
  ];
  // Enough to tell by: from then on it is not paused any more, and only failures count.
  const beyond: Windows = { p50: [], p99: [] };
  const failures: string[] = [];
  let [requests, ms, folded] = [0, 0, 0];
  const measureWindow = async (into: Windows): Promise<void> => {
    const { times, failures: failed } = await worker.ask<Mixed>({ ...job, seconds: WINDOW_SECONDS });
    requests += times.length;
    failures.push(...failed);
    into.p50.push(percentile(times, 0.5));
    into.p99.push(percentile(times, 0.99));
  };
  const switched = new Map<string, number>();
  for (const projection of projections) {
    const { generation, operatorPausedAt } = await store.create(projection, 'building', Date.now());
    if (operatorPausedAt !== null) throw new Error(`a rebuild of ${projection.name} is there, and paused: cancel it`);
    const row = async () => (await store.list()).find((each) => each.generation === generation)!;
    for (;;) {
      const startedAt = Date.now();
      await measureWindow(quiet!.p99.length >= MAX_PAIRS ? beyond : during!);
      const now = await row();
      if (now.state === 'live') {
        // The switch fell into this window: only as much of it counts.
        ms += Math.max(0, now.changedAt - startedAt);
        folded += now.folded;
        break;
      }
      if (now.state !== 'building' || now.pausedReason !== null)
        throw new Error(`the rebuild of ${projection.name}: ${now.pausedReason}`);
      ms += Date.now() - startedAt;
      if (quiet!.p99.length >= MAX_PAIRS || (await store.decide(generation, 'pause', Date.now())) === null) continue;
      await measureWindow(quiet!);
      await store.decide(generation, 'resume', Date.now());
      while ((await row()).owner === null && (await row()).state === 'building')
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    switched.set(projection.name, generation);
  }
  while (quiet!.p99.length < during!.p99.length) await measureWindow(quiet!);
  return { quiet: quiet!, during: during!, requests, failures, seconds: ms / 1000, folded, switched };
}

/** A service that is newer than its data builds what it folds otherwise: that is not what is measured. */
async function untilNothingIsBuilt(store: GenerationStore): Promise<void> {
  for (let built = true; built; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const rows = await store.list();
    built = PROJECTIONS.some(
      ({ name, version }) =>
        !rows.some((row) => row.projection === name && row.state === 'live' && row.version === version),
    );
  }
}

/** Rows compared of every table of what was replaced and what replaced it, and those that differ. */
async function compareReplaced(
  client: Client,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
) {
  let [rows, different] = [0, 0];
  const examples: string[] = [];
  for (const [name, generation] of after) {
    const projection = PROJECTIONS.find((each) => each.name === name)!;
    const others = projection.tables(generation);
    for (const [index, table] of projection.tables(before.get(name)!).entries()) {
      rows += await rowsOf(client, table);
      const differingRows = await rowsThatDiffer(client, table, others[index]!);
      if (differingRows > 0) examples.push(...(await someThatDiffer(client, table, others[index]!)));
      different += differingRows;
    }
  }
  return { rows, different, some: examples };
}

const liveGenerations = async (store: GenerationStore): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await store.list())
      .filter(({ state }) => state === 'live')
      .map(({ projection, generation }) => [projection, generation]),
  );

const rowsFor = (
  bench: Bench,
  what: string,
  projections: readonly Projection[],
  perSecond: number | null,
): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const dataset = await bench.datasets.of(RECORDS);
    const { dataDir, key, records } = dataset;
    const service = use(await serve(dataDir));
    const attached = use(await holdDatabase(dataDir));
    const database = await openDatabase({ dsn: attached.url, statementTimeoutMs: 60_000 });
    use({ [Symbol.asyncDispose]: () => database.close() });
    const store = createGenerationStore(database.transactor);
    await untilNothingIsBuilt(store);
    const worker = use(startWorker(GENERATOR));
    const requests = await requestsOf(service, dataset);
    const job = {
      url: service.url,
      headers: `Authorization: Bearer ${key}\r\n`,
      requests,
      readers: READERS,
      perSecond,
    };
    await worker.ask<Mixed>({ ...job, seconds: WINDOW_SECONDS * 2 });
    const rounds: Round[] = [];
    let [rows, different] = [0, 0];
    for (let round = 0; round < bench.rounds; round++) {
      const before = await liveGenerations(store);
      const measured = await measure(worker, job, store, projections);
      rounds.push(measured);
      const compared = await compareReplaced(attached.client, before, measured.switched);
      rows += compared.rows;
      different += compared.different;
      const { quiet, during, failures, seconds, requests: requestCount } = measured;
      const describe = (of: (windows: Windows) => number[]) =>
        `${median(of(quiet)).toFixed(1)} to ${median(of(during)).toFixed(1)} ms`;
      bench.say(
        `${what}: ${seconds.toFixed(1)} s in ${during.p99.length} windows; p50 ${describe(({ p50 }) => p50)}, p99 ${describe(({ p99 }) => p99)}; ` +
          `${requestCount} requests, ${failures.length} failed; ${compared.rows} rows, ${compared.different} differ ${failures[0] ?? ''}`,
      );
      for (const row of compared.some) bench.say(row);
    }
    const all = (of: (round: Round) => readonly number[]) =>
      rounds.flatMap(of).map((value) => Math.round(value * 10) / 10);
    const quiet = { p50: all((round) => round.quiet.p50), p99: all((round) => round.quiet.p99) };
    const during = { p50: all((round) => round.during.p50), p99: all((round) => round.during.p99) };
    const failures = rounds.flatMap((round) => round.failures);
    const rate = median(rounds.map(({ folded, seconds }) => folded / seconds));
    const load = `${what} rebuilt under ${perSecond === null ? `${READERS} readers without a pause` : `${perSecond} reads/s`}, ${count(records)} records`;
    const figures = { ours: `p99 ${median(during.p99)} ms`, yardstick: `without ${median(quiet.p99)} ms` };
    const details = {
      quiet,
      during,
      rate,
      seconds: rounds.map(({ seconds }) => seconds),
      failures: failures.slice(0, 5),
      rows,
    };
    const requestCount = rounds.reduce((sum, round) => sum + round.requests, 0);
    return [
      { load, ...figures, ...atMost(median(during.p99) / median(quiet.p99), 2), details },
      {
        load: `requests that failed, of ${count(requestCount)}`,
        ours: count(failures.length),
        yardstick: '',
        ...atMost(failures.length, 0),
      },
      { load: `rows that differ, of ${count(rows)}`, ours: count(different), yardstick: '', ...atMost(different, 0) },
      {
        load: 'events folded per second during the load',
        ours: count(rate),
        yardstick: '',
        figure: rate,
        reach: '',
        reached: null,
      },
    ];
  });

export const rebuildUnderLoad: Load = {
  name: 'rebuild-under-load',
  title:
    'latency of readers who never pause while a read model is rebuilt beside them, and what comes of it row by row',
  run: (bench) => rowsFor(bench, 'record_history', [recordHistory], null),
};

export const rebuildAllUnderLoad: Load = {
  name: 'rebuild-all-under-load',
  title: 'the same with every read model one after the other, beside readers at a pace',
  run: (bench) => rowsFor(bench, 'every read model', PROJECTIONS, PER_SECOND),
};
