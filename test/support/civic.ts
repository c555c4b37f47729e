import { createRecordWriter } from '../../commands/records/write-records.ts';
import { openFeed } from '../../commands/feed/feed-identity.ts';
import { createTakeSnapshot } from '../../commands/snapshots/take-snapshot.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { createFillLock } from '../../infra/postgresql/read-models/fill-lock.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { createLiveReads, createProgress } from '../../infra/postgresql/read-models/live-reads.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { systemClock } from '../../infra/system/clock.ts';
import type { ProjectorDependencies } from '../../src/processors/projector/fold-batch.ts';
import { type Projector, startProjector } from '../../src/processors/projector/projector.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { pruneRecordHistory } from '../../projections/record-history/prune.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import { createReadCivicChanges } from '../../queries/feed/read-civic-changes.ts';
import { createReadCivicRecords } from '../../queries/feed/read-civic-records.ts';
import { createReadCivicSnapshotPage } from '../../queries/feed/read-civic-snapshot-page.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { MAX_LEASE_MS } from '../../plumbing/while-leased.ts';
import { rowsAsText } from './rows-as-text.ts';
import { ALL_PROJECTIONS } from './civic-projections.ts';
import { startTestDatabase } from './embedded-database.ts';
import { tellPlaces } from './places.ts';
import { STALL_MS, untilReached } from './until-reached.ts';

export { untilTrue } from './until-reached.ts';

export const DAY_MS = 86_400_000;
/** The longest lease that is honoured, less the time that a statement takes. */
export const LONG_LEASE_MS = MAX_LEASE_MS - 1_000;
/** Used by a process that a test freezes: it might hold a row lock, so the server must end its transaction soon. */
export const FROZEN_MS = 5_000;
export const RETENTION_MS = 30 * DAY_MS;
export const LIFETIME_MS = 7 * DAY_MS;
/** The start of the test clock: 1 January 2026. */
export const TEST_TIME = Date.UTC(2026, 0, 1);

const PLACE = `select g.checkpoint as place from civic.projections p join civic.generations g on g.generation = p.live_generation where p.name = $1`;

/** A clock that only the test moves. */
export class TestClock implements Clock {
  time = TEST_TIME;
  now = (): number => this.time;
  sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> => systemClock.sleep(milliseconds, signal);
  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

/** Keeps its input for a test. */
export class KeptLog implements Logger {
  readonly told: string[] = [];
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  debug(): void {}
  info(fields: object, message: string): void {
    this.told.push(`${message} ${JSON.stringify(fields)}`);
  }
  warn(fields: object, message: string): void {
    this.warnings.push(`${message} ${JSON.stringify(fields)}`);
  }
  error(fields: object, message: string): void {
    this.errors.push(`${message} ${JSON.stringify(fields)}`);
  }
}

export interface TestCivicOptions {
  readonly retentionMs?: number;
  readonly lifetimeMs?: number;
  readonly leaseMs?: number;
  readonly batchSize?: number;
  readonly idleInTransactionMs?: number;
}

export type TestCivic = Awaited<ReturnType<typeof openTestCivic>>;

let owners = 0;

/** The parts of the program on one database, with a test clock. It folds nothing until a projector is started. */
export async function openTestCivic(url: string, options: TestCivicOptions = {}) {
  const clock = new TestClock();
  const logger = new KeptLog();
  const identifiers = randomIdentifiers;
  const database = await openDatabase({
    dsn: url,
    statementTimeoutMs: STALL_MS,
    idleInTransactionMs: options.idleInTransactionMs ?? STALL_MS,
  });
  const log = openEventLog({ dsn: url, statementTimeoutMs: STALL_MS });
  const opened = await openFeed({ log, clock, identifiers, fillLock: createFillLock(url) });
  const generations = createGenerationStore(database.transactor);
  const reads = createLiveReads(database.read);
  const progress = createProgress(database.read, systemClock);
  const projectors: Projector[] = [];
  const retentionMs = options.retentionMs ?? RETENTION_MS;
  const live = async (projection: string): Promise<number> => {
    const row = (await generations.list()).find(
      ({ projection: name, state }) => name === projection && state === 'live',
    );
    if (row === undefined) throw new Error(`${projection} has no live generation`);
    return row.generation;
  };
  /** Returns nothing if there is no live generation yet. */
  const placeOf = async (projection: string): Promise<string> => {
    const [row] = await database.read.rows<{ place: string }>({
      name: 'read_place',
      text: PLACE,
      values: [projection],
    });
    return row?.place ?? '';
  };
  const dependencies = (overrides: Partial<ProjectorDependencies> = {}): ProjectorDependencies => ({
    log,
    transactor: database.transactor,
    generations,
    leaseClock: systemClock,
    logger,
    owner: `test-${process.pid}-${++owners}`,
    leaseMs: options.leaseMs ?? 2000,
    batchSize: options.batchSize ?? 500,
    keptMs: DAY_MS,
    ...overrides,
  });
  return {
    url,
    clock,
    logger,
    identifiers,
    database,
    log,
    generations,
    reads,
    progress,
    retentionMs,
    feedId: (JSON.parse(opened.data) as { feedId: string }).feedId,
    writer: createRecordWriter({ log, clock, identifiers, deadlineMs: 20_000 }),
    changes: createReadCivicChanges({ reads, clock, retentionMs }),
    records: createReadCivicRecords(reads),
    snapshotPage: createReadCivicSnapshotPage({ reads, clock }),
    takeSnapshot: createTakeSnapshot({
      log,
      clock,
      identifiers,
      readHead: () => readFeedHead(reads),
      visible: (position) => progress.waitFor(snapshots.name, position, Date.now() + STALL_MS),
      lifetimeMs: options.lifetimeMs ?? LIFETIME_MS,
      // Uses the test clock, which may move by days while a snapshot is taken.
      deadlineMs: 3_650 * DAY_MS,
    }),
    live,
    dependencies,
    startProjector(
      projections: readonly Projection[] = ALL_PROJECTIONS,
      overrides: Partial<ProjectorDependencies> = {},
    ): Projector {
      const projector = startProjector(dependencies(overrides), projections);
      projectors.push(projector);
      return projector;
    },
    /** The feed's head and a cursor there that every filter accepts. */
    async atHead() {
      const { feedId, position, fingerprint } = await readFeedHead(reads);
      return { position, cursor: encodeFeedCursor({ feedId: feedId!, position, fingerprint, binding: 'nothing' }) };
    },
    /**
     * Waits until the named read models have passed a position, by default the head; fails if one makes no progress.
     */
    async caughtUp(
      position?: Position,
      names: readonly string[] = [recordHistory.name, snapshots.name],
    ): Promise<void> {
      const goal = position ?? (await log.head());
      const tell = async () =>
        `${await tellPlaces({ generations, log })}\nerrors: ${logger.errors.join('; ')}\nwarnings: ${logger.warnings.slice(-3).join('; ')}`;
      for (const name of names) await untilReached<string>(name, goal, () => placeOf(name), { tell });
    },
    async prune(now: number = clock.now()): Promise<number> {
      return pruneRecordHistory(database.transactor, {
        history: await live(recordHistory.name),
        snapshots: await live(snapshots.name),
        now,
        retentionMs,
      });
    },
    /** Rows of a statement, as text. */
    async rows(
      text: string,
      values: readonly (string | number)[] = [],
    ): Promise<readonly (readonly (string | null)[])[]> {
      return await rowsAsText(url, text, values);
    },
    async close(): Promise<void> {
      await Promise.all(projectors.map((projector) => projector.stop()));
      await log.close();
      await database.close();
    },
  };
}

/** `openTestCivic` on a new database, which `close` drops. */
export async function openFreshCivic(options?: TestCivicOptions): Promise<TestCivic> {
  const database = await startTestDatabase();
  const civic = await openTestCivic(database.url, options);
  const close = async (): Promise<void> => {
    await civic.close();
    await database.close();
  };
  return { ...civic, close };
}
