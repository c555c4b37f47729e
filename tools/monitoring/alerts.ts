import { SET_BACK_REMEDY } from '../../domain/ports/event-log.ts';
import { REJECTIONS, type RejectionCode } from '../../domain/rejections.ts';
import { STATUSES } from '../../contract/error-codes.ts';

interface Alert {
  readonly name: string;
  /** In PromQL; it is firing while this has a result. */
  readonly when: string;
  /** How long that must last, as Prometheus writes a duration. */
  readonly lasting: string;
  /** `page`: a person is woken; `ticket`: it waits for working hours. */
  readonly severity: 'page' | 'ticket';
  readonly says: string;
  /** What an operator does, with the page that explains it. */
  readonly remedy: string;
}

/** Codes of answers that fail although the request was in order. */
const FAILURES = (Object.keys(REJECTIONS) as RejectionCode[]).filter((code) => STATUSES[code] >= 500 && !code.endsWith('_paused'));

/** What is worth an alert; `deploy/prometheus-alerts.yml` and the table of docs/metrics.md are made from it. */
export const ALERTS: readonly Alert[] = [
  {
    name: 'CivicNotScraped',
    when: 'absent(civic_build_info)',
    lasting: '2m',
    severity: 'page',
    says: 'no process of the service answers Prometheus',
    remedy: 'start the service, then look at its log; `civic doctor` names what a start would miss (operate.md)',
  },
  {
    name: 'CivicStoresUnreadable',
    when: 'max(civic_shared_figures_known) == 0',
    lasting: '1m',
    severity: 'page',
    says: 'no process can read the database or the log, and every alert on what they share is silent',
    remedy: 'bring PostgreSQL (and KurrentDB) back; the processes continue by themselves (deployment.md)',
  },
  {
    name: 'CivicProjectionPaused',
    when: 'max by (projection) (civic_projection_paused) > 0',
    lasting: '1m',
    severity: 'page',
    says: 'a read model stands still at an event that it cannot fold',
    remedy: 'read the reason on `/ops`; `civic projections retry` or `skip` (rebuild.md)',
  },
  {
    name: 'CivicReactorPaused',
    when: 'max by (reactor) (civic_reactor_paused) > 0',
    lasting: '1m',
    severity: 'ticket',
    says: 'a reactor stands still at an event that it cannot handle',
    remedy: 'read the reason on `/ops`; `civic reactors retry` (operate.md)',
  },
  {
    name: 'CivicReadModelLate',
    when: 'max by (projection) (civic_projection_lag_seconds) > 60',
    lasting: '5m',
    severity: 'page',
    says: 'readers are shown what is old',
    remedy: 'look at `/ops` for owner and rate; start a process with the role `projector` (deployment.md)',
  },
  {
    name: 'CivicReactorLate',
    when: 'max by (reactor) (civic_reactor_lag_seconds) > 900',
    lasting: '15m',
    severity: 'ticket',
    says: 'items wait for their classification, or reports for their work',
    remedy: 'look at `/ops` for owner and rate; start a process with the role `worker` (deployment.md)',
  },
  {
    name: 'CivicRequestsFail',
    when: `sum by (code) (rate(civic_refusals_total{code=~"${FAILURES.join('|')}"}[5m])) > 0`,
    lasting: '5m',
    severity: 'page',
    says: 'requests fail that were in order',
    remedy: 'find them in the log by `status` of 500 and more; their `requestId` leads to the cause (operate.md)',
  },
  {
    name: 'CivicPublicAnswersEmpty',
    when: 'sum by (operation) (rate(civic_soft_failures_total[5m])) > 0',
    lasting: '5m',
    severity: 'page',
    says: 'public answers hide a failure of the backend',
    remedy: 'the log has the cause: "the backend failed; a public answer hides it" (operate.md)',
  },
  {
    name: 'CivicHistorySetBack',
    when: 'sum(increase(civic_history_set_back_total[1h])) > 0',
    lasting: '0m',
    severity: 'page',
    says: 'the log has lost history that customers have read',
    remedy: `${SET_BACK_REMEDY} (backup-and-restore.md)`,
  },
  {
    name: 'CivicPaymentsUnsettled',
    when: 'max by (state) (civic_payments{state="RECONCILE"}) > 0',
    lasting: '1h',
    severity: 'ticket',
    says: 'a payment of unknown outcome waits for an operator',
    remedy: '`civic payments list --state RECONCILE`, then `civic payments reconcile` (operate.md)',
  },
  {
    name: 'CivicBackupOld',
    when: 'max(civic_backup_age_seconds) > 2 * 86400 or (absent(civic_backup_age_seconds) and on () max(civic_shared_figures_known) == 1)',
    lasting: '1h',
    severity: 'ticket',
    says: 'the newest backup that was found whole is older than two days, or there is none',
    remedy: '`civic backup --to FOLDER`, then `civic backup verify FILE --record` (backup-and-restore.md)',
  },
  {
    name: 'CivicSourceSilent',
    when: 'max by (status) (civic_sources{status=~"failing|stale"}) > 0',
    lasting: '6h',
    severity: 'ticket',
    says: 'a source does not answer',
    remedy: 'see which on `/ops`; `civic sources sync SOURCE --client CLIENT` reads it again and says why it fails (operate.md)',
  },
  {
    name: 'CivicReportsWait',
    when: 'max(civic_reports_oldest_open_seconds) > 7 * 86400',
    lasting: '1h',
    severity: 'ticket',
    says: 'a missing-data report has been open for a week',
    remedy: '`civic reports list`, then decide it (reports.md)',
  },
  {
    name: 'CivicDatabaseConnectionsShort',
    when: 'sum by (pool) (civic_database_waiting) > 0',
    lasting: '10m',
    severity: 'ticket',
    says: 'statements wait for a connection to the database',
    remedy: 'add an API process, or raise `max_connections` of PostgreSQL (deployment.md)',
  },
];
