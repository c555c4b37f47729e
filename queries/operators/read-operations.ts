import { DAY_MS } from '../../domain/durations.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { LOG_START, type SetBacks } from '../../domain/ports/event-log.ts';
import type { PaymentLedger } from '../../domain/ports/payments.ts';
import type { SourceChecks } from '../../domain/ports/source-checks.ts';
import type { InstallationStore } from '../../domain/ports/stores.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { readFeedHead } from '../feed/feed-head.ts';
import { liveSubscriptions } from '../feed/feed-subscriptions.ts';
import type { UnclassifiedItems } from '../../domain/ports/classifier.ts';
import { listFeedReaders } from './feed-readers.ts';
import {
  listProjections,
  type ListProjectionsDependencies,
  listReactors,
  type ListReactorsDependencies,
} from './processors.ts';
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
  readonly unclassified: Pick<UnclassifiedItems, 'count'>;
  readonly sourceChecks: Pick<SourceChecks, 'list'>;
  /** Clock of the service, which a trial can shift. */
  readonly serviceClock: Pick<Clock, 'now'>;
}

export async function readOperations(deps: ReadOperationsDependencies) {
  const { reads, clock, log } = deps;
  const [
    head,
    feed,
    projections,
    reactors,
    { databaseBytes, ...exports },
    reports,
    sources,
    payments,
    setBacks,
    backupMadeAt,
    readers,
    unclassified,
    sourceChecks,
  ] = await Promise.all([
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
    deps.unclassified.count(),
    deps.sourceChecks.list(),
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
    /** The last sync of each source. */
    sourceChecks,
    /** Payments that have not ended or were begun in the last day. */
    payments,
    /** Unacknowledged losses of history. */
    setBacks,
    readers,
    /** Agenda items that the classifier failed on, so that they have no hits. */
    unclassified,
    /** Age of the newest verified backup; null before the first. */
    backupSeconds: backupMadeAt === null ? null : Math.max(0, deps.serviceClock.now() - backupMadeAt) / 1000,
  };
}

export type Operations = Awaited<ReturnType<typeof readOperations>>;

/** Upper limit of a count, to limit its cost. */
const COUNTED_UP_TO = 100_000;
const countRow = z.object({ snapshots: z.number(), subscriptions: z.number(), databaseBytes: z.number() });

/**
 * Returns the size of the database, and counts readable snapshots and subscriptions with a valid key of all accounts,
 * each up to `COUNTED_UP_TO`. `now` is in clock milliseconds.
 */
async function countLiveExports(reads: LiveReads, now: number) {
  const [row] = await reads.many((live) => {
    const { snapshots, isLive } = liveTokens(SNAPSHOTS, live);
    return sql.type(countRow)`
      select
        (select count(*) from (
          select from ${snapshots} where expires_at > ${now}::bigint and ${isLive} limit ${COUNTED_UP_TO}
        ) s) as snapshots,
        (select count(*) from (select ${liveSubscriptions(live, now)} limit ${COUNTED_UP_TO}) s) as subscriptions,
        pg_database_size(current_database()) as "databaseBytes"`;
  });
  return row!;
}
