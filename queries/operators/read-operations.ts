import type { Health } from '../../contract/read-civic-health.ts';
import type { PaymentState } from '../../domain/payments/payment.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import type { SetBack, SetBacks } from '../../domain/ports/history.ts';
import type { PaymentLedger } from '../../domain/ports/payment-ledger.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { readFeedHead } from '../feed/feed-head.ts';
import { listProjections, type ListProjectionsDependencies, type ProjectionStatus } from './list-projections.ts';
import { listReactors, type ListReactorsDependencies, type ReactorStatus } from './list-reactors.ts';
import { readSources } from '../feed/read-civic-health.ts';
import { readReportFigures, type ReportFigures } from '../reports/report-figures.ts';
import { sql } from 'slonik';
import { z } from 'zod';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { SNAPSHOTS } from '../../projections/snapshots/tables.ts';
import { SUBSCRIPTIONS } from '../../projections/subscriptions/tables.ts';
import { liveTable } from '../live-table.ts';

const DAY_MS = 86_400_000;

/** One reading of the state that all processes share. */
export interface Operations {
  readonly log: { readonly head: string; readonly events: number | null };
  readonly feedPosition: number;
  readonly projections: readonly ProjectionStatus[];
  readonly reactors: readonly ReactorStatus[];
  readonly exports: LiveExports;
  readonly reports: ReportFigures;
  readonly sources: Health['sources'];
  /** Those that have not ended, and those begun in the last day. */
  readonly payments: ReadonlyMap<PaymentState, number>;
  /** Losses of history that no operator has acknowledged. */
  readonly setBacks: readonly SetBack[];
}

interface ReadOperationsDependencies extends ListProjectionsDependencies, ListReactorsDependencies {
  readonly reads: LiveReads;
  readonly payments: Pick<PaymentLedger, 'countByState'>;
  readonly setBacks: Pick<SetBacks, 'open'>;
}

/** The figures for operators that are the same in every process. Throws what the database or the log throws. */
export async function readOperations(deps: ReadOperationsDependencies): Promise<Operations> {
  const { reads, clock, log } = deps;
  const [head, feed, projections, reactors, exports, reports, sources, payments, setBacks] = await Promise.all([
    log.head(),
    readFeedHead(reads),
    listProjections(deps),
    listReactors(deps),
    countLiveExports(reads, clock.now()),
    readReportFigures(reads),
    readSources(reads, clock),
    deps.payments.countByState(clock.now() - DAY_MS),
    deps.setBacks.open(),
  ]);
  const events = log.distance(LOG_START, head);
  return { log: { head, events }, feedPosition: feed.position, projections, reactors, exports, reports, sources, payments, setBacks };
}

/** Counting stops here to bound its cost; this count means at least so many. */
const COUNTED_UP_TO = 100_000;

const counted = z.object({ snapshots: z.number(), subscriptions: z.number() });
type LiveExports = Readonly<z.output<typeof counted>>;

/** Snapshots that can be read and subscriptions whose key is alive, of all accounts; each up to `COUNTED_UP_TO`. `now` in clock milliseconds. */
async function countLiveExports(reads: LiveReads, now: number): Promise<LiveExports> {
  const [row] = await reads.many((generation) => {
    const snapshots = liveTable(SNAPSHOTS.name, generation(SNAPSHOTS.name), (generation) => SNAPSHOTS.at(generation).snapshots);
    const subscriptions = liveTable(
      SUBSCRIPTIONS.name,
      generation(SUBSCRIPTIONS.name),
      (generation) => SUBSCRIPTIONS.at(generation).subscriptions,
    );
    const keys = liveTable(ACCOUNTS.name, generation(ACCOUNTS.name), (generation) => ACCOUNTS.at(generation).keys);
    return sql.type(counted)`
      select
        (select count(*) from (
          select from ${snapshots.name} where expires_at > ${now}::bigint and ${snapshots.isLive} limit ${COUNTED_UP_TO}) s) as snapshots,
        (select count(*) from (
          select from ${subscriptions.name} s join ${keys.name} k on k.key_id = s.key_id
          where s.revoked_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}::bigint)
            and ${subscriptions.isLive} and ${keys.isLive} limit ${COUNTED_UP_TO}) s) as subscriptions`;
  });
  return row!;
}
