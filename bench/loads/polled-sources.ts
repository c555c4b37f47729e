import type { Client } from 'pg';
import type { Sites, SitesJob } from '../rig/agenda-sites.ts';
import { atMost, type Bench, count, type Row, withoutTarget } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import { headCursor } from '../rig/feed-head.ts';
import type { Generated } from '../rig/load-generator.ts';
import { median, percentile } from '../rig/measure.ts';
import { cpuSeconds, residentMb, startWorker, type Worker } from '../rig/processes.ts';
import { scoped } from '../rig/scoped.ts';
import { environmentOf, type Service, serve } from '../rig/service.ts';
import { arePolled, pausePolls, spreadPolls } from '../rig/source-polls.ts';

/** `window` is the length of one measurement in seconds. */
const SIZES = { small: { sources: 20, window: 9 }, full: { sources: 200, window: 45 } };

/** Followers ask for what is new. The other readers ask for the first page of the feed, which is full. */
const READERS = {
  follower: { name: 'pages of followers', readers: 50, follows: true },
  replay: { name: 'full pages', readers: 10, follows: false },
} as const;
type Reading = keyof typeof READERS;

interface Setup {
  readonly service: Service;
  readonly key: string;
  readonly client: Client;
  readonly sites: Worker;
  readonly generator: Worker;
  readonly window: number;
}

interface Measured {
  readonly p99: number;
  readonly polls: number;
  /** Processor time of the service in milliseconds. */
  readonly processorMs: number;
  readonly memoryMb: number;
}

async function measure({ service, key, sites, generator, window }: Setup, reading: Reading): Promise<Measured> {
  const { readers, follows } = READERS[reading];
  const cursor = follows ? `&cursor=${await headCursor(service.url, key)}` : '';
  const path = `/api/v1/data/changes?limit=500${cursor}`;
  const before = { ...(await sites.ask<Sites>({})), cpu: cpuSeconds(service.pid) };
  const { times } = await generator.ask<Generated>({
    kind: 'poll',
    url: service.url,
    path,
    headers: `Authorization: Bearer ${key}\r\n`,
    readers,
    follows,
    everyMs: 500,
    seconds: window,
  });
  const processorMs = (cpuSeconds(service.pid) - before.cpu) * 1000;
  const { pages } = await sites.ask<Sites>({});
  return { p99: percentile(times, 0.99), polls: pages - before.pages, processorMs, memoryMb: residentMb(service.pid) };
}

/** Measures followers from the addition of the sources until each was polled once: all of their agendas are new. */
async function measureFirstSync(setup: Setup, sources: number): Promise<Row> {
  const measured: Measured[] = [];
  const started = performance.now();
  do measured.push(await measure(setup, 'follower'));
  while (!(await arePolled(setup.client, sources)));
  const seconds = (performance.now() - started) / 1000;
  const { files } = await setup.sites.ask<Sites>({});
  const p99 = median(measured.map((each) => each.p99));
  return {
    load: `${READERS.follower.name} during the first sync of ${sources} sources: ${count(files)} agendas in ${count(seconds)} s`,
    ours: `p99 ${p99.toFixed(1)} ms, ${Math.round(Math.max(...measured.map(({ memoryMb }) => memoryMb)))} MB`,
    yardstick: '',
    ...withoutTarget(p99),
    details: { measured },
  };
}

/**
 * Measures the same readers in turns without polls and while sources are polled as 200 sources are every 15 minutes. One
 * of the polled sources has a new agenda.
 */
async function measurePolls(bench: Bench, setup: Setup, reading: Reading, sources: number): Promise<Row> {
  const { client, sites } = setup;
  const polled: Measured[] = [];
  const quiet: Measured[] = [];
  for (let round = 0; round <= bench.rounds; round++) {
    await pausePolls(client, sources);
    const before = await measure(setup, reading);
    const { published } = await sites.ask<Sites>({ publish: 1 } satisfies SitesJob);
    await spreadPolls(client, sources, (published - 1) % sources);
    const during = await measure(setup, reading);
    // The first round warms the code.
    if (round === 0) continue;
    quiet.push(before);
    polled.push(during);
  }
  const p99 = (measured: readonly Measured[]) => median(measured.map((each) => each.p99)).toFixed(1);
  const ratios = polled.map((each, round) => each.p99 / quiet[round]!.p99);
  const msPerPoll = polled.map((each, round) => (each.processorMs - quiet[round]!.processorMs) / each.polls);
  const polls = median(polled.map((each) => each.polls));
  return {
    load: `${READERS[reading].name} beside ${polls} polls in ${setup.window} s, as of 200 sources`,
    ours: `p99 ${p99(polled)} ms; ${Math.round(median(msPerPoll))} ms of processor time per poll`,
    yardstick: `without polls ${p99(quiet)} ms`,
    ...atMost(median(ratios), 1.33),
    details: { ratios, msPerPoll, polled, quiet },
  };
}

/** Reads pages during polls, in one process with the same simulated sites and clients on both sides. */
export const pollSources = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const { sources, window } = SIZES[bench.size];
    const { dataDir, key } = await bench.datasets.of(bench.sizes[0]);
    const { client } = use(await holdDatabase(dataDir));
    const sites = use(startWorker(new URL('../rig/agenda-sites.ts', import.meta.url)));
    const generator = use(startWorker(new URL('../rig/load-generator.ts', import.meta.url)));
    const adding = use(startWorker(new URL('../rig/add-sources.ts', import.meta.url), environmentOf(dataDir)));
    const service = use(await serve(dataDir));
    const setup = { service, key, client, sites, generator, window };
    // The first start on new records classifies them.
    await measure(setup, 'follower');
    const { urls } = await sites.ask<Sites>({ open: sources } satisfies SitesJob);
    await adding.ask<number>({ urls });
    return [
      await measureFirstSync(setup, sources),
      await measurePolls(bench, setup, 'follower', sources),
      await measurePolls(bench, setup, 'replay', sources),
    ];
  });
