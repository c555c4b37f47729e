import { type AgendaReader, SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { BatchedWriter } from '../batched-writer.ts';
import { placeOfClient, requireClientName } from './bodies.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { publishedSources, recordsOfClient } from './client-records.ts';
import { VotesMemory } from './read-votes.ts';
import { READING_VERSION } from './reading-version.ts';
import { sourceCheckChange, unreadSourceChange } from './source-records.ts';
import { surveyAgendas } from './survey.ts';
import { SyncRun } from './sync-run.ts';
import { type Connector, type ProbeRequest, type SyncReport, type SyncRequest, type SyncTarget } from '../source.ts';

/**
 * `readerOf` opens a client over HTTP or from recordings. `prefix` keeps the clients, and so the ids, of a platform apart from those of
 * Legistar, which have none. `webOf` opens the reader of agendas in files.
 */
export function agendaConnector(
  readerOf: (request: ProbeRequest, clock: Clock) => AgendaReader,
  prefix: '' | `${string}:`,
  webOf?: (request: ProbeRequest) => WebReader,
): Connector {
  const keyed = <Request extends Pick<SyncRequest, 'client'>>(request: Request): Request => ({
    ...request,
    client: `${prefix}${requireClientName(request.client)}`,
  });
  const votesMemory = new VotesMemory();
  const placeOf = (request: Pick<SyncRequest, 'client' | 'place'>) =>
    placeOfClient(keyed(request).client, undefined, request.place);
  return {
    sync: async (request, target) => ({
      ...(await syncAgendas(readerOf(request, target.clock), keyed(request), target, {
        votesMemory,
        web: webOf?.(request),
      })),
      client: request.client,
    }),
    probe: async (request, clock) => {
      placeOf(request);
      await readerOf(request, clock).bodies();
    },
    survey: (request, clock) => surveyAgendas(readerOf(request, clock), clock.now()),
    records: (request, known) => recordsOfClient(known, keyed(request).client, placeOf(request)),
    checks: async (request, known) =>
      (await publishedSources(known, keyed(request).client, placeOf(request))).map(({ current }) => current),
  };
}

export type AgendasReport = Awaited<ReturnType<typeof syncAgendas>>;

/** Appends only source checks where nothing changed. Throws `SyncRefused`; a source that fails is in the report's `failure`. */
export async function syncAgendas(
  reader: AgendaReader,
  request: SyncRequest,
  target: SyncTarget,
  {
    votesMemory = new VotesMemory(),
    web,
  }: { readonly votesMemory?: VotesMemory; readonly web?: WebReader | undefined } = {},
) {
  const run = new SyncRun({ reader, request, target, votesMemory, web });
  const rejected: SyncReport['rejected'][number][] = [];
  const inOrder = () =>
    new BatchedWriter(target.writer, 1, ({ resource, id }, reason) => void rejected.push({ resource, id, reason }));
  const [records, checks] = [inOrder(), inOrder()];
  let failure: string | null = null;
  try {
    await run.readAndWrite(records);
  } catch (error) {
    if (!(error instanceof SourceUnavailable) && !(error instanceof UnknownSourceClient)) throw error;
    failure = error.message;
  }
  const { place, siteUrl, findings } = run;
  const readingVersion = run.isWhole ? READING_VERSION : null;
  const unread = failure === null ? run.unread() : [];
  await records.add(unread.map((source) => unreadSourceChange({ ...source, readingVersion }, place, reader.platform)));
  await records.flush();
  const at = new Date(target.clock.now()).toISOString();
  // A run that cannot read the list of bodies knows only the published sources.
  const readActiveSources = async () =>
    (await publishedSources(target.known, request.client, place)).filter(({ current }) => current.active);
  const sources = run.sources.length > 0 ? run.sources : await readActiveSources();
  await checks.add(
    sources.map((source) => {
      const failureOfSource = failure ?? findings.failureOf(source.sourceId);
      const skippedCounts = failure === null ? findings.skippedCountsOf(source.sourceId) : null;
      return sourceCheckChange(source, place, {
        at,
        failure: failureOfSource,
        siteUrl: failure === null ? siteUrl : null,
        platform: reader.platform,
        readingVersion: failureOfSource === null ? readingVersion : null,
        left: skippedCounts,
        textEvidence: findings.textEvidenceOf(source.sourceId),
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
    skipped: findings.skipped,
    degraded: findings.degraded,
    /** `sources` records whose check was recorded; `appended` does not count them. */
    sourcesChecked: checks.appended,
    failedEvents: findings.failedEvents,
    failure,
    sourceIds: sources.map(({ sourceId }) => sourceId),
    position: positions.toSorted().at(-1) ?? null,
  };
}
