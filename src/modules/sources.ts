import { createRecordWriter } from '../../commands/records/write-records.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import type { Platform } from '../platform.ts';
import type { Sync, SyncReport, SyncRequest } from '../sources/source.ts';
import { type SourceName, SOURCES } from '../sources/sources.ts';
import { SAMPLE_IDS, sampleRemovals } from '../sources/sample/sample-records.ts';
import type { Module } from './module.ts';

const POLL_EVERY_MS = 15 * 60_000;
/** Deadline of one batch of records, in milliseconds. */
const WRITE_DEADLINE_MS = 30_000;

/** Reads an entry of `CIVIC_POLL`. Throws for an unknown source. */
function polled(entry: string) {
  const [client, source = 'legistar'] = entry.split(':').toReversed() as [string, string?];
  if (!Object.hasOwn(SOURCES, source)) {
    throw new Error(`CIVIC_POLL names the source ${source}; allowed is ${Object.keys(SOURCES).join(', ')}`);
  }
  const lease = source === 'legistar' ? `poll ${client}` : `poll ${source}:${client}`;
  return { source: source as SourceName, client, lease };
}

/** Record changes into the log: the writer of all of them, and the sources that are pulled. */
export function sources({ settings, log, clock, identifiers, reads, logger }: Platform, syncs: Readonly<Record<SourceName, Sync>>) {
  const writer = createRecordWriter({ log, clock, identifiers, deadlineMs: WRITE_DEADLINE_MS });
  const published = publishedRecords(reads, log);
  /** The first complete sync ends the sample: invented records never stand beside real ones. */
  const syncSource = async (source: SourceName, request: SyncRequest): Promise<SyncReport> => {
    const report = await syncs[source](request, { writer, known: published, clock });
    const sample = await published.current('jurisdictions', [SAMPLE_IDS.jurisdiction]);
    if (report.failure !== null || sample.size === 0) return report;
    const outcomes = await writer.write(sampleRemovals(), {});
    const positions = outcomes.flatMap((outcome) => (outcome.kind === 'appended' ? outcome.position : []));
    return { ...report, position: positions.toSorted().at(-1) ?? report.position };
  };
  return {
    jobs: (settings.CIVIC_POLL?.split(',') ?? []).map(polled).map(({ source, client, lease }) => ({
      work: 'poll the sources of CIVIC_POLL' as const,
      what: `polling ${client}`,
      everyMs: POLL_EVERY_MS,
      lease,
      run: async (signal: AbortSignal) => {
        const { appended, removed, failure } = await syncSource(source, { client, options: {}, signal });
        if (failure === null) logger.info({ source, client, appended, removed }, 'source polled');
        else logger.warn({ source, client, appended, removed, failure }, 'a source could not be read completely; it is polled again');
      },
    })),
    writer,
    published,
    syncSource,
  } satisfies Module & Record<'writer' | 'published' | 'syncSource', unknown>;
}
