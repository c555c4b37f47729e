import { createKeyedMutex } from '../../../commands/keyed-mutex.ts';
import { changeSourceList, readSourceList } from '../../../commands/sources/source-list.ts';
import type { RecordOutcome } from '../../../commands/records/handle-each.ts';
import { createFactsRenewal } from '../../../commands/records/renew-facts.ts';
import { createRecordWriter } from '../../../commands/records/write-records.ts';
import { MINUTE_MS } from '../../../domain/durations.ts';
import { type AddedSource, sourceKey, type SourceRef } from '../../../domain/events/source-events.ts';
import type { DocumentReader } from '../../../domain/ports/documents.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import { chunksOf } from '../../../plumbing/chunks.ts';
import { readSources } from '../../../queries/feed/read-civic-health.ts';
import { publishedRecords } from '../../../queries/feed/published-records.ts';
import type { Platform } from '../platform.ts';
import { createAddedSourceWriter, removalReason } from '../../sources/added-source-writer.ts';
import { addedSources, connectorOf, type Connectors, requestOf, statesOf } from '../../sources/added-sources.ts';
import { sourceCheckOf } from '../../sources/check-reasons.ts';
import { parsePollEntry, pollLease, requireLegistarTokens } from '../../sources/poll-settings.ts';
import { countRows, type SyncReport, type SyncRequest } from '../../sources/source.ts';
import { type SourceName, SOURCES } from '../../sources/sources.ts';
import { SAMPLE_IDS, sampleRemovals } from '../../sources/sample/sample-records.ts';
import { createFactsReactor } from '../../processors/reactors/facts/facts-reactor.ts';
import type { JobPart } from '../../processors/runtime/job-parts.ts';
import { runWhenFree } from '../../processors/runtime/jobs.ts';
import type { Job, Module } from './module.ts';

const POLL_EVERY_MS = 15 * MINUTE_MS;
/** Deadline of one batch of records, in milliseconds. */
const WRITE_DEADLINE_MS = 30_000;
/** Milliseconds that a batch of a source waits for the previous one. */
const WAIT_MS = 2 * WRITE_DEADLINE_MS;
const REMOVALS_PER_WRITE = 500;

type SyncSource = (source: SourceName, request: SyncRequest) => Promise<SyncReport>;
type Poll = (ref: SourceRef, signal: AbortSignal) => Promise<void>;
type SourceParts = ReturnType<typeof openParts>;

/** Creates the writer of all record changes, and reads, polls and edits the sources. */
export function sources(platform: Platform, connectors: Connectors, documentReader: DocumentReader) {
  const parts = openParts(platform, connectors, documentReader);
  const { log, clock, writer, published } = parts;
  const syncSource = createSyncSource(parts);
  return {
    jobs: pollJobs(parts, createPoll(platform, syncSource)),
    reactors: [createFactsReactor(createFactsRenewal({ ...parts.ports, deadlineMs: WRITE_DEADLINE_MS }))],
    writer,
    published,
    syncSource,
    ...createSourceEdits(parts),
    everAdded: () => readSourceList(log),
    addedSources: () => addedSources(log),
    sourceStates: async () =>
      statesOf(
        {
          connectors,
          known: published,
          added: await addedSources(log),
          syncs: await parts.checks.list(),
          read: await readSources(platform.reads, clock),
        },
        clock.now(),
      ),
  } satisfies Module & Record<string, unknown>;
}

function openParts(platform: Platform, connectors: Connectors, documentReader: DocumentReader) {
  const { settings, log, clock, identifiers, reads, stores, leaseClock } = platform;
  const ports = { log, clock, identifiers };
  const tokens = settings.CIVIC_SOURCE_TOKENS;
  requireLegistarTokens(tokens?.keys() ?? []);
  return {
    ...ports,
    ports,
    connectors,
    documents: { reader: documentReader, stored: stores.storedDocuments },
    checks: stores.sourceChecks,
    pollEntries: (settings.CIVIC_POLL?.split(',') ?? []).map(parsePollEntry),
    writer: createRecordWriter({ ...ports, deadlineMs: WRITE_DEADLINE_MS }),
    published: publishedRecords(reads, log),
    tokenOf: (ref: SourceRef) => tokens?.get(sourceKey(ref)),
    /** Makes the polls of the other sources of the place due, which publish on their own what they had joined. */
    pollOthersOf: async ({ source, client, jurisdiction }: AddedSource): Promise<void> => {
      const others = (await addedSources(log)).filter(
        (other) => other.jurisdiction.slug === jurisdiction.slug && sourceKey(other) !== sourceKey({ source, client }),
      );
      await stores.processorStore.hastenJobs(others.map(pollLease), leaseClock.now());
    },
    /** One process at a time writes a batch of an added source; a removal waits until the batch is written. */
    whileWriting: <Result>(ref: SourceRef, run: () => Promise<Result>): Promise<Result> =>
      runWhenFree(
        { ...platform, store: stores.processorStore },
        { name: `write ${sourceKey(ref)}`, deadline: leaseClock.now() + WAIT_MS },
        run,
      ),
  };
}

/** The first complete sync removes the sample, so that made-up and real records are never mixed. */
function createSyncSource(parts: SourceParts): SyncSource {
  const { log, clock, connectors, documents, checks, writer, published, tokenOf, whileWriting } = parts;
  const isAdded = async (ref: SourceRef) => (await readSourceList(log)).get(sourceKey(ref))?.isRemoved === false;
  return async (source, requested) => {
    const ref = { source, client: requested.client };
    const request = { ...(await requestOf(log, source, requested)), token: tokenOf(ref) };
    // Only an added source names a place.
    const into = request.place === undefined ? writer : createAddedSourceWriter(parts, ref);
    const report = await connectors[source].sync(request, { writer: into, known: published, clock, documents });
    const noteCheck = () => checks.put(sourceCheckOf(ref, report, clock.now()));
    if (request.place === undefined) await noteCheck();
    // A removal deletes what was noted before it.
    else await whileWriting(ref, async () => void ((await isAdded(ref)) && (await noteCheck())));
    const sample = await published.current('jurisdictions', [SAMPLE_IDS.jurisdiction]);
    if (report.failure !== null || sample.size === 0) return report;
    const removed = appendedPositions(await writer.write(sampleRemovals(), {}));
    return { ...report, position: lastOf(removed) ?? report.position };
  };
}

function createPoll({ logger }: Platform, syncSource: SyncSource): Poll {
  return async ({ source, client }, signal) => {
    const report = await syncSource(source as SourceName, { client, options: {}, signal });
    const { appended, removed, skipped, degraded, failedEvents, failure } = report;
    const counts = {
      source,
      client,
      appended,
      removed,
      skipped: skipped.length,
      degraded: countRows(degraded),
      failedEvents,
    };
    if (failure === null) logger.info(counts, 'source polled');
    else logger.warn({ ...counts, failure }, 'a source could not be read completely; it will be polled again');
  };
}

function pollJobs({ log, pollEntries }: SourceParts, poll: Poll): readonly Job[] {
  const work = 'pollSources';
  const fromSettings = pollEntries.map(
    (ref) =>
      ({
        work,
        what: `polling ${ref.client}`,
        everyMs: POLL_EVERY_MS,
        lease: pollLease(ref),
        run: (signal: AbortSignal) => poll(ref, signal),
      }) satisfies Job,
  );
  const leasesOfSettings = new Set(pollEntries.map(pollLease));
  const addedParts = async (): Promise<readonly JobPart[]> =>
    (await addedSources(log))
      .filter((added) => Object.hasOwn(SOURCES, added.source) && !leasesOfSettings.has(pollLease(added)))
      .map((added) => ({ lease: pollLease(added), run: (signal) => poll(added, signal) }));
  return [...fromSettings, { work, what: 'polling added sources', everyMs: POLL_EVERY_MS, parts: addedParts }];
}

function createSourceEdits(parts: SourceParts) {
  const { ports, clock, connectors, documents, checks, published, writer, tokenOf, whileWriting, pollOthersOf } = parts;
  const mutex = createKeyedMutex();
  /** Changes the list after earlier changes of this process, which would conflict because the list is one stream. */
  const changeList = (command: Parameters<typeof changeSourceList>[1], deadlineMs: number) =>
    mutex('source list', () => changeSourceList(ports, command, clock.now() + deadlineMs));
  /** Returns every record that the source has published. */
  const recordsOfSource = ({ source, client, jurisdiction }: AddedSource) =>
    connectorOf(connectors, source).records({ client, place: jurisdiction }, published);
  return {
    recordsOfSource,
    /**
     * Throws the error of `probe` if the client cannot be read, or the reason of the signal, which ends the probe.
     * Rejects a source that already exists.
     */
    addSource: async (added: AddedSource, deadlineMs: number, signal?: AbortSignal) => {
      const { source, client, baseUrl, options } = added;
      const request = {
        client,
        options: { baseUrl, ...options },
        place: added.jurisdiction,
        token: tokenOf(added),
        signal,
      };
      await connectorOf(connectors, source).probe(request, clock);
      return changeList({ type: 'AddSource', added }, deadlineMs);
    },
    /** Resolves once no sync of the source writes any more. */
    removeSource: async (removed: SourceRef, deadlineMs: number) => {
      const handled = await changeList({ type: 'RemoveSource', removed }, deadlineMs);
      await whileWriting(removed, async () => undefined);
      await checks.remove(sourceKey(removed));
      return handled;
    },
    removeRecords: async (added: AddedSource) => {
      const records = await recordsOfSource(added);
      const reason = removalReason(added);
      const positions: Position[] = [];
      for (const batch of chunksOf(records, REMOVALS_PER_WRITE)) {
        const removals = batch.map((record) => ({ op: 'remove' as const, ...record, reason }));
        positions.push(...appendedPositions(await writer.write(removals, {})));
        await documents.stored.forget(batch.map(({ id }) => id));
      }
      await pollOthersOf(added);
      return { removed: positions.length, position: lastOf(positions) };
    },
  };
}

const appendedPositions = (outcomes: readonly RecordOutcome[]): readonly Position[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'appended' ? outcome.position : []));

const lastOf = (positions: readonly Position[]): Position | null => positions.toSorted().at(-1) ?? null;
