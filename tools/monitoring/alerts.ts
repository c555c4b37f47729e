import { SET_BACK_REMEDY } from '../../domain/ports/event-log.ts';
import { REJECTIONS, type RejectionCode } from '../../domain/rejections.ts';
import { STATUSES } from '../../contract/error-codes.ts';

interface Alert {
  readonly name: string;
  /** PromQL expression; the alert fires while it has a result. */
  readonly when: string;
  /** Prometheus duration for which the expression must have a result. */
  readonly duration: string;
  /** `page` wakes a person; `ticket` waits for working hours. */
  readonly severity: 'page' | 'ticket';
  readonly summary: string;
  /** Instruction for the operator, with the page that explains it. */
  readonly remedy: string;
}

/** Error codes of responses to valid requests. */
const FAILURES = (Object.keys(REJECTIONS) as RejectionCode[]).filter(
  (code) => STATUSES[code] >= 500 && !code.endsWith('_paused'),
);

/** All alerts. `deploy/prometheus-alerts.yml` and the table of docs/operators/metrics.md are generated from them. */
export const ALERTS: readonly Alert[] = [
  {
    name: 'CivicNotScraped',
    when: 'absent(civic_build_info)',
    duration: '2m',
    severity: 'page',
    summary: 'no process of the service answers Prometheus',
    remedy: 'start the service, then look at its log; `civic doctor` names what a start would miss (operate.md)',
  },
  {
    name: 'CivicStoresUnreadable',
    when: 'max(civic_shared_figures_known) == 0',
    duration: '1m',
    severity: 'page',
    summary: 'no process can read the database or the log, so alerts on shared figures cannot fire',
    remedy: 'bring PostgreSQL (and KurrentDB) back; the processes continue by themselves (deployment.md)',
  },
  {
    name: 'CivicProjectionPaused',
    when: 'max by (projection) (civic_projection_paused) > 0',
    duration: '1m',
    severity: 'page',
    summary: 'a read model is paused at an event that it cannot fold',
    remedy: 'read the reason on `/ops`; `civic projections retry` or `skip` (rebuild.md)',
  },
  {
    name: 'CivicReactorPaused',
    when: 'max by (reactor) (civic_reactor_paused) > 0',
    duration: '1m',
    severity: 'ticket',
    summary: 'a reactor is paused at an event that it cannot handle',
    remedy: 'read the reason on `/ops`; `civic reactors retry` (operate.md)',
  },
  {
    name: 'CivicReadModelLate',
    when: 'max by (projection) (civic_projection_lag_seconds) > 60',
    duration: '5m',
    severity: 'page',
    summary: 'readers see outdated data',
    remedy: 'look at `/ops` for owner and rate; start a process with the role `projector` (deployment.md)',
  },
  {
    name: 'CivicReactorLate',
    when: 'max by (reactor) (civic_reactor_lag_seconds) > 900',
    duration: '15m',
    severity: 'ticket',
    summary: 'items wait to be classified, or reports wait to be worked on',
    remedy: 'look at `/ops` for owner and rate; start a process with the role `worker` (deployment.md)',
  },
  {
    name: 'CivicRequestsFail',
    when: `sum by (code) (rate(civic_refusals_total{code=~"${FAILURES.join('|')}"}[5m])) > 0`,
    duration: '5m',
    severity: 'page',
    summary: 'valid requests fail',
    remedy: 'find them in the log by `status` of 500 and more; their `requestId` leads to the cause (operate.md)',
  },
  {
    name: 'CivicPublicAnswersEmpty',
    when: 'sum by (operation) (rate(civic_soft_failures_total[5m])) > 0',
    duration: '5m',
    severity: 'page',
    summary: 'public answers hide a failure of the backend',
    remedy: 'the log has the cause: "the backend failed; a public answer hides it" (operate.md)',
  },
  {
    name: 'CivicHistorySetBack',
    when: 'sum(increase(civic_history_set_back_total[1h])) > 0',
    duration: '0m',
    severity: 'page',
    summary: 'the log has lost history that customers have read',
    remedy: `${SET_BACK_REMEDY} (backup-and-restore.md)`,
  },
  {
    name: 'CivicPaymentsUnsettled',
    when: 'max by (state) (civic_payments{state="RECONCILE"}) > 0',
    duration: '1h',
    severity: 'ticket',
    summary: 'a payment of unknown outcome waits for an operator',
    remedy: '`civic payments list --state RECONCILE`, then `civic payments reconcile` (operate.md)',
  },
  {
    name: 'CivicBackupOld',
    when: 'max(civic_backup_age_seconds) > 2 * 86400 or (absent(civic_backup_age_seconds) and on () max(civic_shared_figures_known) == 1)',
    duration: '1h',
    severity: 'ticket',
    summary: 'no verified backup is younger than two days',
    remedy: '`civic backup --to FOLDER`, then `civic backup verify FILE --record` (backup-and-restore.md)',
  },
  {
    name: 'CivicSourceSilent',
    when: 'max by (status) (civic_sources{status=~"failing|stale"}) > 0',
    duration: '6h',
    severity: 'ticket',
    summary: 'a source does not answer',
    remedy:
      'see which on `/ops`; `civic sources sync SOURCE --client CLIENT` reads it again and states why it fails (operate.md)',
  },
  {
    name: 'CivicReportsWait',
    when: 'max(civic_reports_oldest_open_seconds) > 7 * 86400',
    duration: '1h',
    severity: 'ticket',
    summary: 'a missing-data report has been open for a week',
    remedy: '`civic reports list`, then decide it (reports.md)',
  },
  {
    name: 'CivicDatabaseConnectionsShort',
    when: 'sum by (pool) (civic_database_waiting) > 0',
    duration: '10m',
    severity: 'ticket',
    summary: 'statements wait for a connection to the database',
    remedy: 'add an API process, or raise `max_connections` of PostgreSQL (deployment.md)',
  },
];
