import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import { BatchedWriter } from '../batched-writer.ts';
import { placeOfClient, requireClientName } from './bodies.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { publishedSources, recordsOfClient } from './client-records.ts';
import { sourceCheckChange } from './source-records.ts';
import { SyncRun } from './sync-run.ts';
import {
  type Connector,
  type ProbeRequest,
  type Source,
  SyncRefused,
  type SyncReport,
  type SyncRequest,
  type SyncTarget,
} from '../source.ts';

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

/**
 * `readerOf` opens a client over HTTP or from recordings. `prefix` keeps the clients, and so the ids, of a platform apart from those of
 * Legistar, which have none.
 */
export function agendaConnector(readerOf: (request: ProbeRequest, clock: Clock) => LegistarReader, prefix: '' | `${string}:`): Connector {
  const keyed = <Request extends Pick<SyncRequest, 'client'>>(request: Request): Request => ({
    ...request,
    client: `${prefix}${requireClientName(request.client)}`,
  });
  const placeOf = (request: Pick<SyncRequest, 'client' | 'place'>) => placeOfClient(keyed(request).client, undefined, request.place);
  return {
    sync: async (request, target) => ({
      ...(await syncLegistar(readerOf(request, target.clock), keyed(request), target)),
      client: request.client,
    }),
    probe: async (request, clock) => {
      placeOf(request);
      await readerOf(request, clock).bodies();
    },
    records: (request, known) => recordsOfClient(known, keyed(request).client, placeOf(request)),
    checks: async (request, known) =>
      (await publishedSources(known, keyed(request).client, placeOf(request))).map(({ current }) => current),
  };
}

export type LegistarReport = Awaited<ReturnType<typeof syncLegistar>>;

/** Appends only source checks where nothing changed. Throws `SyncRefused`; a source that fails is in the report's `failure`. */
export async function syncLegistar(reader: LegistarReader, request: SyncRequest, target: SyncTarget) {
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
  // A run that cannot read the list of bodies knows only the published sources.
  const sources = run.sources.length > 0 ? run.sources : await publishedSources(target.known, request.client, place);
  await checks.add(
    sources.map((source) => {
      const succeeded = failure === null && !failedSources.has(source.sourceId);
      const left = failure === null ? run.leftOf(source.sourceId) : null;
      return sourceCheckChange(source, place, {
        at,
        succeeded,
        siteUrl: failure === null ? siteUrl : null,
        platform: reader.platform,
        left,
      });
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
    degraded: run.degraded,
    /** `sources` records whose check was recorded; `appended` does not count them. */
    sourcesChecked: checks.appended,
    /** Events that are listed but could not be read; none of their records was removed. */
    failedEvents: run.failedEvents,
    failure,
    position: positions.toSorted().at(-1) ?? null,
  };
}
