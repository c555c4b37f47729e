import { createUnclassifiedItems } from '../../infra/postgresql/leases/unclassified-items.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { systemClock } from '../../infra/system/clock.ts';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { currentIds, publishedRecords } from '../../queries/feed/published-records.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { LOG_START, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';
import {
  CLASSIFICATION,
  type ClassificationDependencies,
  createClassificationReactor,
} from '../../src/processors/reactors/classification/classification-reactor.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { runReactor } from '../../src/processors/runtime/run-reactor.ts';
import { AgendaEvents } from './agenda-events.ts';
import { type KeptLog, openTestCivic, type TestCivicOptions } from './civic.ts';
import { untilAtEnd } from './until-reached.ts';

/** Short timeouts: retries follow at once. */
export const hurriedClock: Clock = {
  now: () => systemClock.now(),
  sleep: (milliseconds, signal) => systemClock.sleep(Math.min(milliseconds, 20), signal),
};

/** An event as a change for the record writer. */
function changeOf({ stream, type, data }: StoredEvent): RecordChange {
  const { resource, recordId } = recordOfStream(stream);
  return type === RECORD_PUBLISHED
    ? { op: 'upsert', resource, id: recordId, content: JSON.parse(data) as unknown }
    : { op: 'remove', resource, id: recordId };
}

export interface RunningReactor {
  readonly owner: string;
  readonly logger: KeptLog;
  readonly stop: () => Promise<void>;
}

export type TestClassification = Awaited<ReturnType<typeof openClassification>>;

let owners = 0;

/** The record read models, unless another folds them, and the classification on one database; the reactor runs when it is started. */
export async function openClassification(
  url: string,
  { folds = true, ...options }: TestCivicOptions & { readonly folds?: boolean } = {},
) {
  const civic = await openTestCivic(url, options);
  const projector = folds ? civic.startProjector() : undefined;
  const events = new AgendaEvents();
  const store = createProcessorStore(civic.database.transactor);
  const records = publishedRecords(civic.reads, civic.log);
  const unclassified = createUnclassifiedItems(civic.database.transactor);
  const running: RunningReactor[] = [];
  const parts = (overrides: Partial<ClassificationDependencies> = {}): ClassificationDependencies => ({
    log: civic.log,
    clock: systemClock,
    writer: civic.writer,
    known: records,
    logger: civic.logger,
    classifier: topicClassifier(),
    unclassified,
    progress: civic.progress,
    readModels: [recordHistory.name, recordReferences.name],
    currentIds: (resource) => currentIds(civic.reads, resource),
    ...overrides,
  });
  const row = async () => (await store.listReactors()).find(({ name }) => name === CLASSIFICATION);
  const hits = async (): Promise<readonly RecordData<'agenda_hits'>[]> => {
    const hits: RecordData<'agenda_hits'>[] = [];
    for await (const ids of currentIds(civic.reads, 'agenda_hits'))
      hits.push(...(await records.current('agenda_hits', ids)).values());
    return hits;
  };
  return {
    civic,
    projector,
    events,
    store,
    known: records,
    unclassified,
    parts,
    row,
    hits,
    write: async (...events: readonly (StoredEvent | readonly StoredEvent[])[]) =>
      civic.writer.write(events.flat().map(changeOf), {}),
    start(
      overrides: Partial<ClassificationDependencies> = {},
      {
        reactor = createClassificationReactor(parts(overrides)),
        leaseMs = 1500,
        clock = hurriedClock,
      }: StartOptions = {},
    ): RunningReactor {
      const stopping = new AbortController();
      const owner = `test-${process.pid}-${++owners}`;
      const { log, logger } = civic;
      const ended = runReactor({ log, store, leaseClock: clock, logger, owner, leaseMs }, reactor, stopping.signal);
      const started = {
        owner,
        logger,
        stop: async () => {
          stopping.abort();
          await ended;
        },
      };
      running.push(started);
      return started;
    },
    /** Waits until the reactor has followed the log to its end, and the read models too. */
    async atRest(): Promise<void> {
      await untilAtEnd('the reactor', civic.log, async () => {
        const now = await row();
        if (now?.pausedReason) throw new Error(`paused: ${now.pausedReason}`);
        return now?.checkpoint;
      });
      await civic.caughtUp(undefined, [recordHistory.name, recordReferences.name]);
    },
    /** Resets the checkpoint; only while the reactor is stopped. */
    async backToStart(): Promise<void> {
      await civic.rows('update civic.processors set checkpoint = $1', [LOG_START]);
    },
    async close(): Promise<void> {
      await Promise.all(running.map((each) => each.stop()));
      await civic.close();
    },
  };
}

interface StartOptions {
  readonly reactor?: Reactor;
  readonly leaseMs?: number;
  readonly clock?: Clock;
}
