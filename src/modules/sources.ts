import { changeSourceList, readSourceList } from '../../commands/sources/source-list.ts';
import { createRecordWriter, type RecordWriter } from '../../commands/records/write-records.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import { type AddedSource, sourceKey, type SourceRef } from '../../domain/events/source-events.ts';
import { NO_STREAM, type Position } from '../../domain/ports/event-log.ts';
import { recordStream } from '../../domain/streams.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import type { Platform } from '../platform.ts';
import { addedSources, connectorOf, type Connectors, requestOf, stateOf } from '../sources/added-sources.ts';
import { type SyncReport, type SyncRequest } from '../sources/source.ts';
import { type SourceName, SOURCES } from '../sources/sources.ts';
import { SAMPLE_IDS, sampleRemovals } from '../sources/sample/sample-records.ts';
import { type JobPart, runWhenFree } from '../processors/runtime/jobs.ts';
import type { Module } from './module.ts';

const POLL_EVERY_MS = 15 * MINUTE_MS;
/** Deadline of one batch of records, in milliseconds. */
const WRITE_DEADLINE_MS = 30_000;
/** How long a batch of one source waits for another one, in milliseconds. */
const WAIT_MS = 2 * WRITE_DEADLINE_MS;
const REMOVALS_A_CALL = 500;

/** Reads an entry of `CIVIC_POLL`. Throws for an unknown source. */
function polled(entry: string): SourceRef {
  const [client, source = 'legistar'] = entry.split(':').toReversed() as [string, string?];
  if (!Object.hasOwn(SOURCES, source)) {
    throw new Error(`CIVIC_POLL names the source ${source}; allowed is ${Object.keys(SOURCES).join(', ')}`);
  }
  return { source, client };
}

const leaseOf = ({ source, client }: SourceRef): string => (source === 'legistar' ? `poll ${client}` : `poll ${source}:${client}`);

class SourceRemoved extends Error {
  override readonly name = 'SourceRemoved';
}

/** Record changes into the log: the writer of all of them, and the sources that are pulled. */
export function sources(platform: Platform, connectors: Connectors) {
  const { settings, log, clock, identifiers, reads, logger, leaseClock } = platform;
  const ports = { log, clock, identifiers };
  const writer = createRecordWriter({ ...ports, deadlineMs: WRITE_DEADLINE_MS });
  const published = publishedRecords(reads, log);
  /** One process at a time writes a batch of an added source, and the end of a removal waits for it. */
  const whileWriting = <Result>(ref: SourceRef, run: () => Promise<Result>): Promise<Result> =>
    runWhenFree(
      { ...platform, store: platform.stores.processorStore },
      { name: `write ${sourceKey(ref)}`, deadline: leaseClock.now() + WAIT_MS },
      run,
    );
  const requireAdded = async (ref: SourceRef): Promise<void> => {
    const added = (await readSourceList(log)).get(sourceKey(ref));
    if (added === undefined || added.isRemoved)
      throw new SourceRemoved(`${sourceKey(ref)} was removed from the added sources while it was read`);
  };
  /**
   * Writes nothing once the source has been removed. A process that is suspended between its check and its append loses the lease: a record
   * that was removed meanwhile has another revision, which repeats the check, and a new record is withdrawn again by its writer.
   */
  const whileAdded = (ref: SourceRef): RecordWriter => ({
    write: (changes, context, _delivery, order) =>
      whileWriting(ref, async () => {
        const isNew = new Set<string>();
        const delivery = {
          commandId: identifiers.next(),
          numbers: changes.map((_, index) => index),
          stored: new Set<string>(),
          claim: async (revisions: ReadonlyMap<string, number>) => {
            await requireAdded(ref);
            for (const [stream, revision] of revisions) if (revision === NO_STREAM) isNew.add(stream);
          },
        };
        try {
          const outcomes = await writer.write(changes, context, delivery, order);
          await requireAdded(ref);
          return outcomes;
        } catch (error) {
          if (!(error instanceof SourceRemoved)) throw error;
          const withdrawn = changes.filter(({ resource, id }) => isNew.has(recordStream(resource, id)));
          const reason = `the source ${sourceKey(ref)} was removed`;
          await writer.write(
            withdrawn.map(({ resource, id }) => ({ op: 'remove' as const, resource, id, reason })),
            {},
          );
          throw error;
        }
      }),
  });

  /** The first complete sync ends the sample: invented records never stand beside real ones. */
  const syncSource = async (source: SourceName, given: SyncRequest): Promise<SyncReport> => {
    const request = await requestOf(log, source, given);
    // Only an added source has a place.
    const into = request.place === undefined ? writer : whileAdded({ source, client: request.client });
    const report = await connectors[source].sync(request, { writer: into, known: published, clock });
    const sample = await published.current('jurisdictions', [SAMPLE_IDS.jurisdiction]);
    if (report.failure !== null || sample.size === 0) return report;
    const outcomes = await writer.write(sampleRemovals(), {});
    const positions = outcomes.flatMap((outcome) => (outcome.kind === 'appended' ? outcome.position : []));
    return { ...report, position: positions.toSorted().at(-1) ?? report.position };
  };

  const poll = async ({ source, client }: SourceRef, signal: AbortSignal): Promise<void> => {
    const { appended, removed, skipped, degraded, failure } = await syncSource(source as SourceName, { client, options: {}, signal });
    const counts = { source, client, appended, removed, skipped: skipped.length, degraded: degraded.length };
    if (failure === null) logger.info(counts, 'source polled');
    else logger.warn({ ...counts, failure }, 'a source could not be read completely; it is polled again');
  };

  const fromSettings = (settings.CIVIC_POLL?.split(',') ?? []).map(polled);
  const pollOfSettings = fromSettings.map((ref) => ({
    work: 'poll sources' as const,
    what: `polling ${ref.client}`,
    everyMs: POLL_EVERY_MS,
    lease: leaseOf(ref),
    run: (signal: AbortSignal) => poll(ref, signal),
  }));
  const known = new Set(fromSettings.map(leaseOf));
  const addedParts = async (): Promise<readonly JobPart[]> =>
    (await addedSources(log))
      .filter((added) => Object.hasOwn(SOURCES, added.source) && !known.has(leaseOf(added)))
      .map((added) => ({ lease: leaseOf(added), run: (signal) => poll(added, signal) }));

  /** Throws what `probe` throws for a client that cannot be read; refuses a source that is added already. */
  const addSource = async (added: AddedSource, deadlineMs: number) => {
    const { source, client, baseUrl } = added;
    await connectorOf(connectors, source).probe({ client, options: { baseUrl }, place: added.jurisdiction }, clock);
    return changeSourceList(ports, { type: 'AddSource', added }, clock.now() + deadlineMs);
  };

  /** Everything that the source has published. */
  const recordsOfSource = ({ source, client, jurisdiction }: AddedSource) =>
    connectorOf(connectors, source).records({ client, place: jurisdiction }, published);

  const removeRecords = async (added: AddedSource) => {
    const { source, client } = added;
    const records = await recordsOfSource(added);
    const positions: Position[] = [];
    for (let from = 0; from < records.length; from += REMOVALS_A_CALL) {
      const some = records.slice(from, from + REMOVALS_A_CALL);
      const reason = `the source ${sourceKey({ source, client })} was removed`;
      for (const outcome of await writer.write(
        some.map((record) => ({ op: 'remove' as const, ...record, reason })),
        {},
      )) {
        if (outcome.kind === 'appended') positions.push(outcome.position);
      }
    }
    return { removed: positions.length, position: positions.toSorted().at(-1) ?? null };
  };

  return {
    jobs: [...pollOfSettings, { work: 'poll sources' as const, what: 'polling added sources', everyMs: POLL_EVERY_MS, parts: addedParts }],
    writer,
    published,
    syncSource,
    addSource,
    /** Resolves when no sync of the source writes any more. */
    removeSource: async (removed: SourceRef, deadlineMs: number) => {
      const handled = await changeSourceList(ports, { type: 'RemoveSource', removed }, clock.now() + deadlineMs);
      await whileWriting(removed, async () => undefined);
      return handled;
    },
    recordsOfSource,
    removeRecords,
    everAdded: () => readSourceList(log),
    addedSources: () => addedSources(log),
    sourceStates: async () => Promise.all((await addedSources(log)).map((added) => stateOf(connectors, published, added, clock.now()))),
  } satisfies Module & Record<string, unknown>;
}
