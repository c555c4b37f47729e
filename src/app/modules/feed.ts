import { createTakeSnapshot } from '../../../commands/snapshots/take-snapshot.ts';
import type { CreatedSnapshot } from '../../../contract/create-civic-snapshot.ts';
import type {
  ChangesInput,
  JsonPage,
  RecordsInput,
  SnapshotInput,
  SnapshotPageInput,
} from '../../../contract/inputs.ts';
import { MINUTE_MS } from '../../../domain/durations.ts';
import { uuid } from '../../../domain/records/fields.ts';
import type { Resource } from '../../../domain/records/resources.ts';
import { resolveWithin } from '../../../plumbing/retry.ts';
import { pruneRecordHistory } from '../../../projections/record-history/prune.ts';
import { RECORD_HISTORY } from '../../../projections/record-history/tables.ts';
import { snapshots } from '../../../projections/snapshots/projection.ts';
import { readFeedHead } from '../../../queries/feed/feed-head.ts';
import type { PageOrigin } from '../../../queries/feed/cached-pages.ts';
import { createReadCivicChanges } from '../../../queries/feed/read-civic-changes.ts';
import { createReadCivicRecords } from '../../../queries/feed/read-civic-records.ts';
import { createReadCivicSnapshotPage } from '../../../queries/feed/read-civic-snapshot-page.ts';
import { readModelAnswers } from '../../../queries/live-tables.ts';
import { limitPage, identifyCaller } from '../../edge/admission/admit.ts';
import { createFeedReads } from '../../edge/admission/feed-reads.ts';
import { createSampledFailures } from '../../edge/admission/sampled-failures.ts';
import { asData, type CustomerAnswers } from '../../edge/answers/exchange.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

export interface FeedFunctions {
  readonly readCivicChanges: (input: ChangesInput) => Promise<JsonPage>;
  readonly createCivicSnapshot: (input: SnapshotInput) => Promise<CreatedSnapshot>;
  readonly readCivicSnapshotPage: (input: SnapshotPageInput) => Promise<JsonPage>;
  readonly readCivicRecords: (input: RecordsInput) => Promise<JsonPage>;
}

export const feedOperations = (functions: FeedFunctions) =>
  ({
    readCivicChanges: (exchange) => functions.readCivicChanges({ ...exchange.query, ...limitPage(exchange) }),
    createCivicSnapshot: async (exchange) => asData(await functions.createCivicSnapshot(identifyCaller(exchange))),
    readCivicSnapshotPage: ({ params, ...exchange }) => {
      const { accountId } = exchange.principal;
      return functions.readCivicSnapshotPage({ ...params, ...exchange.query, accountId, ...limitPage(exchange) });
    },
    readCivicRecords: ({ body, principal }) =>
      functions.readCivicRecords({
        requests: deduplicateLookups(body.requests),
        maxResponseBytes: principal.allowances.maxResponseBytes,
      }),
  }) satisfies Partial<CustomerAnswers>;

/** Removes duplicates, and ids that are not uuids: no record has one. */
function deduplicateLookups(
  requests: readonly { resource: Resource; ids: readonly string[] }[],
): RecordsInput['requests'] {
  const ids = new Map<Resource, Set<string>>();
  for (const request of requests) {
    const requested = ids.get(request.resource) ?? new Set();
    for (const id of request.ids) {
      const parsed = uuid.safeParse(id);
      if (parsed.success) requested.add(parsed.data);
    }
    if (requested.size > 0) ids.set(request.resource, requested);
  }
  return [...ids].map(([resource, known]) => ({ resource, ids: [...known] }));
}

/** Change feed, snapshots, reads of current records, and pruning of superseded ones. */
export function feed(platform: Platform) {
  const {
    settings,
    log,
    logger,
    clock,
    machineClock,
    identifiers,
    reads,
    progress,
    database,
    stores,
    figures,
    deadlineMs,
    onClose,
  } = platform;
  const takeSnapshot = createTakeSnapshot({
    log,
    clock,
    identifiers,
    readHead: async () => (await Promise.all([readFeedHead(reads), readModelAnswers(reads, snapshots.name)]))[0],
    visible: (position, deadline) => progress.waitFor(snapshots.name, position, deadline),
    lifetimeMs: settings.CIVIC_SNAPSHOT_LIFETIME,
    deadlineMs,
  });
  /** Deletes rows that neither replay nor a live snapshot needs. Resolves to their number. */
  const prune = async (): Promise<number> => {
    const live = (await stores.generations.list()).filter(({ state }) => state === 'live');
    const [history, exports] = [RECORD_HISTORY.name, snapshots.name].map(
      (name) => live.find(({ projection }) => projection === name)?.generation,
    );
    if (history === undefined || exports === undefined) return 0;
    const times = { now: clock.now(), retentionMs: settings.CIVIC_REPLAY_RETENTION };
    return figures.pruned(await pruneRecordHistory(database.transactor, { history, snapshots: exports, ...times }));
  };
  const feedReads = createFeedReads({
    store: stores.storeFeedReads,
    clock,
    machineClock,
    onFailure: createSampledFailures({ clock, logger }, 'could not store the feed positions of readers'),
  });
  onClose(() => feedReads.close());
  const onPage = (from: PageOrigin): void => void (figures.feedPages[from] += 1);
  const readChanges = createReadCivicChanges({ reads, clock, retentionMs: settings.CIVIC_REPLAY_RETENTION, onPage });
  return {
    operations: feedOperations({
      readCivicChanges: readChanges,
      createCivicSnapshot: (input) => resolveWithin(clock, deadlineMs, (over) => takeSnapshot(input, over)),
      readCivicSnapshotPage: createReadCivicSnapshotPage({ reads, clock }),
      readCivicRecords: createReadCivicRecords(reads),
    }),
    jobs: [{ work: 'pruneHistory', what: 'pruning', everyMs: MINUTE_MS, lease: 'prune', run: prune }],
    readChanges,
    feedReads,
    prune,
  } satisfies Module & Record<'readChanges' | 'feedReads' | 'prune', unknown>;
}
