import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import { BatchedWriter } from '../batched-writer.ts';
import { type Source, SyncRefused, type SyncReport, type SyncRequest, type SyncTarget } from '../source.ts';
import { publishedSources, sourceCheckChange } from './source-checks.ts';
import { SyncRun } from './sync-run.ts';

export const LEGISTAR: Source = {
  description: 'a client of the Legistar Web API',
  client: 'the client as its Web API names it',
  options: [
    ['--base-url <url>', 'another address of the Web API; it ends in /v1'],
    ['--from <folder>', 'read recorded responses from <folder>/<client> instead'],
    ['--since <date>', 'every event dated on or after YYYY-MM-DD, instead of what was modified lately'],
    ['--jurisdiction <slug>', 'jurisdiction of a client outside the shipped table'],
  ],
  check: ({ baseUrl, from }) => {
    if (baseUrl !== undefined && from !== undefined) throw new SyncRefused('give --base-url or --from, not both');
  },
};

export interface LegistarReport extends SyncReport {
  readonly jurisdictionSlug: string;
  readonly read: { readonly bodies: number; readonly events: number; readonly items: number };
  /** `sources` records whose check was recorded; `appended` does not count them. */
  readonly sourcesChecked: number;
  /** Events that are listed but could not be read; none of their records was removed. */
  readonly failedEvents: number;
}

/**
 * Writes the records of one Legistar client. A second run over unchanged data appends only the check of each source. Throws `SyncRefused`
 * for a request that cannot be carried out; a source that fails is in the report's `failure`.
 */
export async function syncLegistar(reader: LegistarReader, request: SyncRequest, target: SyncTarget): Promise<LegistarReport> {
  const run = new SyncRun(reader, request, target);
  const rejected: SyncReport['rejected'][number][] = [];
  const inOrder = () => new BatchedWriter(target.writer, 1, ({ resource, id }, reason) => void rejected.push({ resource, id, reason }));
  const [records, checks] = [inOrder(), inOrder()];
  let failure: string | null = null;
  try {
    await run.readAndWrite(records);
  } catch (error) {
    if (!(error instanceof SourceUnavailable) && !(error instanceof UnknownSourceClient)) throw error;
    failure = error.message;
  }
  await records.flush();
  const { place, siteUrl, failedSources } = run;
  const at = new Date(target.clock.now()).toISOString();
  const sources = failure === null ? run.sources : await publishedSources(target.known, request.client, place);
  await checks.add(
    sources.map((source) => {
      const succeeded = failure === null && !failedSources.has(source.sourceId);
      return sourceCheckChange(source, place, { at, succeeded, siteUrl: failure === null ? siteUrl : null });
    }),
  );
  await checks.flush();
  const positions = [records.position, checks.position].filter((position) => position !== null);
  return {
    client: request.client,
    jurisdictionSlug: place.jurisdictionSlug,
    read: run.read,
    appended: records.appended,
    unchanged: records.unchanged,
    removed: records.removed,
    rejected,
    skipped: run.skipped,
    sourcesChecked: checks.appended,
    failedEvents: run.failedEvents,
    failure,
    position: positions.toSorted().at(-1) ?? null,
  };
}
