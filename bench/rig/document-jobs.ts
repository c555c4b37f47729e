import { readFile } from 'node:fs/promises';
import { createDocumentReader } from '../../infra/documents/document-reader.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { residentMb, serveJobs } from './processes.ts';

export interface ReadFiles {
  readonly items: number;
  /** Largest resident memory after a file, with the worker thread. */
  readonly peakMb: number;
}

const reader = createDocumentReader({ clock: systemClock });

/** Reads files as agendas, as the service does: in a worker thread, one after another. */
serveJobs(async ({ paths }: { readonly paths: readonly string[] }): Promise<ReadFiles> => {
  let [items, peakMb] = [0, 0];
  for (const path of paths) {
    const { agenda } = await reader.read(await readFile(path), 'application/pdf');
    items += agenda.items.length;
    peakMb = Math.max(peakMb, residentMb(process.pid));
  }
  return { items, peakMb };
});
