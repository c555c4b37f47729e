import { spawnSync } from 'node:child_process';
import { type AgendaFiles, writeAgendaFiles } from '../rig/agenda-files.ts';
import { type Bench, count, type Load, type Row, withoutTarget } from '../rig/bench.ts';
import type { ReadFiles } from '../rig/document-jobs.ts';
import { alternate, timed } from '../rig/measure.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { scoped } from '../rig/scoped.ts';
import { pollSources } from './polled-sources.ts';

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

const run = async (bench: Bench): Promise<readonly Row[]> => [await readAgendas(bench), ...(await pollSources(bench))];

export const agendas: Load = { name: 'agendas', title: 'reading agendas in PDF, and polling many sources', run };
