import { DAY_MS } from '../../domain/durations.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { LOG_START, type SetBacks } from '../../domain/ports/event-log.ts';
import type { PaymentLedger } from '../../domain/ports/payments.ts';
import type { InstallationStore } from '../../domain/ports/stores.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { readFeedHead } from '../feed/feed-head.ts';
import { liveSubscriptions } from '../feed/feed-subscriptions.ts';
import { listFeedReaders } from './feed-readers.ts';
import { listProjections, type ListProjectionsDependencies, listReactors, type ListReactorsDependencies } from './processors.ts';
import { readSources } from '../feed/read-civic-health.ts';
import { readReportFigures } from '../reports/report-figures.ts';
import { sql } from 'slonik';
import { z } from 'zod';
import { SNAPSHOTS } from '../../projections/snapshots/tables.ts';
import { liveTokens } from '../live-tables.ts';

const LISTED_READERS = 10;

interface ReadOperationsDependencies extends ListProjectionsDependencies, ListReactorsDependencies {
  readonly reads: LiveReads;
  readonly payments: Pick<PaymentLedger, 'countByState'>;
  readonly setBacks: Pick<SetBacks, 'open'>;
  readonly installation: Pick<InstallationStore, 'verifiedBackupMadeAt'>;
  /** The clock of the service, which may be a trial's. */
  readonly serviceClock: Pick<Clock, 'now'>;
}

export async function readOperations(deps: ReadOperationsDependencies) {
  const { reads, clock, log } = deps;
  const [head, feed, projections, reactors, { databaseBytes, ...exports }, reports, sources, payments, setBacks, backupMadeAt, readers] =
    await Promise.all([
      log.head(),
      readFeedHead(reads),
      listProjections(deps),
      listReactors(deps),
      countLiveExports(reads, clock.now()),
      readReportFigures(reads),
      readSources(reads, clock),
      deps.payments.countByState(clock.now() - DAY_MS),
      deps.setBacks.open(),
      deps.installation.verifiedBackupMadeAt(),
      listFeedReaders(reads, deps.serviceClock.now(), LISTED_READERS),
    ]);
  return {
    log: { head: head as string, events: log.distance(LOG_START, head) },
    feedPosition: feed.position,
    projections,
    reactors,
    exports,
    databaseBytes,
    reports,
    sources,
    /** Those that have not ended, and those begun in the last day. */
    payments,
    /** Losses of history that no operator has acknowledged. */
    setBacks,
    readers,
    /** Age of the newest backup that was found whole; null before the first. */
    backupSeconds: backupMadeAt === null ? null : Math.max(0, deps.serviceClock.now() - backupMadeAt) / 1000,
  };
}

export type Operations = Awaited<ReturnType<typeof readOperations>>;

/** Counting stops here to bound its cost; this count means at least so many. */
const COUNTED_UP_TO = 100_000;
const counted = z.object({ snapshots: z.number(), subscriptions: z.number(), databaseBytes: z.number() });

/** The size of the database; snapshots that can be read and subscriptions whose key is alive, of all accounts, each up to `COUNTED_UP_TO`. `now` in clock milliseconds. */
async function countLiveExports(reads: LiveReads, now: number) {
  const [row] = await reads.many((live) => {
    const { snapshots, isLive } = liveTokens(SNAPSHOTS, live);
    return sql.type(counted)`
      select
        (select count(*) from (
          select from ${snapshots} where expires_at > ${now}::bigint and ${isLive} limit ${COUNTED_UP_TO}) s) as snapshots,
        (select count(*) from (select ${liveSubscriptions(live, now)} limit ${COUNTED_UP_TO}) s) as subscriptions,
        pg_database_size(current_database()) as "databaseBytes"`;
  });
  return row!;
}
