import type { Health } from '../../contract/read-civic-health.ts';
import type { PaymentState } from '../../domain/payments/payment-states.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import type { SetBack, SetBacks } from '../../domain/ports/history.ts';
import type { PaymentLedger } from '../../domain/ports/payment-ledger.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { countLiveExports, type LiveExports } from './count-live-exports.ts';
import { readFeedHead } from '../feed/feed-head.ts';
import { listProjections, type ListProjectionsDependencies, type ProjectionStatus } from './list-projections.ts';
import { listReactors, type ListReactorsDependencies, type ReactorStatus } from './list-reactors.ts';
import { readSources } from '../feed/read-civic-health.ts';
import { readReportFigures, type ReportFigures } from '../reports/report-figures.ts';

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

export interface ReadOperationsDependencies extends ListProjectionsDependencies, ListReactorsDependencies {
  readonly reads: LiveReads;
  readonly payments: Pick<PaymentLedger, 'countByState'>;
  readonly setBacks: Pick<SetBacks, 'open'>;
}

/** Everything that an operator watches and that is the same in every process. Throws what the database or the log throws. */
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
