import { spawnSync } from 'node:child_process';
import { type AgendaFiles, writeAgendaFiles } from '../rig/agenda-files.ts';
import type { Sites, SitesJob } from '../rig/agenda-sites.ts';
import { atMost, type Bench, count, type Load, type Row, withoutTarget } from '../rig/bench.ts';
import type { ReadFiles } from '../rig/document-jobs.ts';
import { headCursor } from '../rig/feed-head.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate, percentile, timed } from '../rig/measure.ts';
import { residentMb, startWorker, type Worker } from '../rig/processes.ts';
import { scoped } from '../rig/scoped.ts';
import { environmentOf, serve } from '../rig/service.ts';

/** Pages of the files: short agendas and a packet. */
const PAGES = {
  small: [...Array.from({ length: 20 }, () => 2), 12, 12, 100],
  full: [...Array.from({ length: 60 }, () => 2), ...Array.from({ length: 10 }, () => 12), 287],
};

const hasPdftotext = (): boolean => spawnSync('pdftotext', ['-v']).error === undefined;

function runPdftotext({ paths }: AgendaFiles): void {
  for (const path of paths) {
    const { status, stderr } = spawnSync('pdftotext', ['-layout', path, '-'], { maxBuffer: 256 * 1024 * 1024 });
    if (status !== 0) throw new Error(`pdftotext ${path}: ${stderr.toString()}`);
  }
}

/** Pages a second of reading all files. */
const rateOf = async ({ pages }: AgendaFiles, read: () => Promise<unknown>): Promise<number> =>
  pages / ((await timed(read)).ms / 1000);

async function compareReading(bench: Bench, files: AgendaFiles, worker: Worker): Promise<Row> {
  let last: ReadFiles = { items: 0, peakMb: 0 };
  const read = async () => {
    last = await worker.ask<ReadFiles>({ paths: files.paths });
  };
  const ours = () => rateOf(files, read);
  const load = `agendas in PDF: ${count(files.pages)} pages in ${files.paths.length} files`;
  const described = (rate: number) => `${count(rate)} pages/s, ${Math.round(last.peakMb)} MB`;
  if (!hasPdftotext()) {
    await ours();
    const rate = await ours();
    return { load, ours: described(rate), yardstick: 'pdftotext is not installed', ...withoutTarget(rate) };
  }
  const compared = await alternate(bench.rounds, ours, () => rateOf(files, async () => runPdftotext(files)));
  return {
    load,
    ours: described(compared.ours),
    yardstick: `pdftotext ${count(compared.yardstick)} pages/s`,
    ...withoutTarget(compared.ratio),
    details: { ratios: compared.ratios, items: last.items, peakMb: last.peakMb },
  };
}

const readAgendas = (bench: Bench): Promise<Row> =>
  scoped(async (use) => {
    const files = use(writeAgendaFiles(PAGES[bench.size]));
    return compareReading(bench, files, use(startWorker(new URL('../rig/document-jobs.ts', import.meta.url))));
  });

interface Measured {
  readonly p99: number;
  readonly memoryMb: number;
}

/** Starts the service and measures readers of the feed from its first moment on. */
const measureReaders = (dataDir: string, key: string, seconds: number): Promise<Measured> =>
  scoped(async (use) => {
    const service = use(await serve(dataDir));
    const generator = use(startWorker(new URL('../rig/load-generator.ts', import.meta.url)));
    const path = `/api/v1/data/changes?limit=500&cursor=${await headCursor(service.url, key)}`;
    const headers = `Authorization: Bearer ${key}\r\n`;
    const job = { kind: 'poll', url: service.url, path, headers, readers: 50, everyMs: 500, seconds };
    const { times } = await generator.ask<Generated>(job);
    return { p99: percentile(times, 0.99), memoryMb: residentMb(service.pid) };
  });

/** The service polls its sources from its start on, so the first seconds of a start are the load. */
const pollSources = (bench: Bench): Promise<Row> =>
  scoped(async (use) => {
    const [size, seconds] = bench.size === 'full' ? [200, 120] : [20, 20];
    const { dataDir, key } = await bench.datasets.of(bench.sizes[0]);
    // The first start on new records classifies them.
    await measureReaders(dataDir, key, seconds);
    const alone = await measureReaders(dataDir, key, seconds);
    const sites = use(startWorker(new URL('../rig/agenda-sites.ts', import.meta.url)));
    const { urls } = await sites.ask<Sites>({ open: size } satisfies SitesJob);
    const adding = startWorker(new URL('../rig/add-sources.ts', import.meta.url), environmentOf(dataDir));
    await adding.ask<number>({ urls });
    await adding[Symbol.asyncDispose]();
    const polled = await measureReaders(dataDir, key, seconds);
    const { files } = await sites.ask<Sites>({});
    const ratio = polled.p99 / alone.p99;
    return {
      load: `feed pages while ${size} sources are polled: ${count(files)} new agendas`,
      ours: `p99 ${polled.p99.toFixed(1)} ms`,
      yardstick: `without sources ${alone.p99.toFixed(1)} ms`,
      ...atMost(ratio, 1.33),
      details: { polled, alone, files },
    };
  });

const run = async (bench: Bench): Promise<readonly Row[]> => [await readAgendas(bench), await pollSources(bench)];

export const agendas: Load = { name: 'agendas', title: 'reading agendas in PDF, and polling many sources', run };
