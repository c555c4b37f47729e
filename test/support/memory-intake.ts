import { randomUUID } from 'node:crypto';
import { type AccountReportEvent, readAccountReportEvent } from '../../domain/events/report-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { ReportClaims, ReportQueue } from '../../domain/ports/report-stores.ts';
import { settleReport } from '../../commands/reports/work-on-report.ts';
import { createSubmitDataReport, type SubmittedReport } from '../../commands/report-intake/submit-data-report.ts';
import { memoryCheckpoints } from './memory-checkpoints.ts';
import { memoryWindowCounts } from './memory-counts.ts';
import { memoryLog } from './memory-log.ts';

/** The row of the cap on open reports. */
export function memoryQueue() {
  const row = { counted: null as number | null, recounts: 0, reserved: new Map<string, number>() };
  const queue: ReportQueue = {
    async reserve({ reportId, until, limit }) {
      if (row.counted === null || row.counted + row.reserved.size >= limit) return false;
      row.reserved.set(reportId, until);
      return true;
    },
    giveBack: async (reportId) => void row.reserved.delete(reportId),
    async count(reportId) {
      if (!row.reserved.delete(reportId)) return;
      row.counted = (row.counted ?? 0) + 1;
      row.recounts += 1;
    },
    look: async () => ({ recounts: row.recounts, reserved: new Map(row.reserved) }),
    async recount({ open, freed, seen }) {
      if (seen.recounts !== row.recounts) return false;
      row.counted = open;
      for (const reportId of freed) row.reserved.delete(reportId);
      row.recounts += 1;
      return true;
    },
  };
  return { queue, row };
}

/** Claims do not expire: the test clock is stopped during work. */
function memoryClaims(last: () => boolean): ReportClaims {
  const holders = new Map<string, string>();
  return {
    async claim({ accountId, tokenKey, by }) {
      const name = `${accountId} ${tokenKey}`;
      if (holders.has(name) && last()) return false;
      holders.set(name, by);
      return true;
    },
    release: async ({ accountId, tokenKey }) => void holders.delete(`${accountId} ${tokenKey}`),
  };
}

export interface IntakeWorld {
  now: number;
  /** True if claims expire at once, as with slow holders. */
  claimsLast: boolean;
  /** True if the read model follows the log. */
  folds: boolean;
  /** True if the read model of reports catches up with the log in time. */
  catchesUp: boolean;
  /** The reason for which intake is closed for all. */
  closed: Rejection | null;
  /** Answers of one process; processes share only the stores. */
  process(): (submitted: Partial<SubmittedReport> & Pick<SubmittedReport, 'accountId' | 'token'>) => Promise<object>;
  settle(accountId: string, reportId: string): Promise<void>;
  /** Everything that happened, of all accounts. */
  history(): readonly AccountReportEvent[];
  /** Reports that were made and not closed. */
  open(): ReadonlySet<string>;
  readonly log: ReturnType<typeof memoryLog>;
  readonly row: ReturnType<typeof memoryQueue>['row'];
}

/** Intake on stores in memory, with a clock that the test moves. */
export function memoryIntake({ now, cap }: { readonly now: number; readonly cap: number }): IntakeWorld {
  const log = memoryLog();
  const checkpoints = memoryCheckpoints();
  const windows = memoryWindowCounts();
  const claims = memoryClaims(() => world.claimsLast);
  const { queue, row } = memoryQueue();
  const clock = { now: () => world.now, sleep: async () => undefined };
  const identifiers = { next: randomUUID };
  const world: IntakeWorld = {
    now,
    claimsLast: true,
    folds: true,
    catchesUp: true,
    closed: null,
    log,
    row,
    process() {
      const submit = createSubmitDataReport({
        log: log.log,
        checkpoints,
        clock,
        identifiers,
        windows,
        claims,
        queue,
        limit: cap,
        caughtUp: async () => world.catchesUp,
        openReports: async (reportIds) => {
          const open = world.open();
          const storedIds = new Set(world.history().map(({ data }) => data.reportId));
          return { open: open.size, known: new Set(reportIds.filter((id) => storedIds.has(id))) };
        },
        closed: async () => world.closed,
        readable: async () => world.folds,
        deadlineMs: 10_000,
      });
      return (submitted) =>
        submit({
          keyId: ONE_KEY,
          surface: 'rest',
          input: { sourceUrl: 'https://example.org/1', expectedRecord: 'a record' },
          requestId: 'request',
          baseUrl: 'http://records.test',
          ...submitted,
        });
    },
    async settle(accountId, reportId) {
      const closedAt = new Date(world.now).toISOString();
      const settling = { accountId, reportId, closedAt, commandId: randomUUID(), causedBy: randomUUID() };
      await settleReport({ log: log.log, checkpoints, clock }, settling, world.now + 10_000);
    },
    history: () => log.events.map(readAccountReportEvent),
    open() {
      const open = new Set<string>();
      for (const { type, data } of world.history()) {
        if (type === 'DataReportSubmitted') open.add(data.reportId);
        if (type === 'DataReportSettled') open.delete(data.reportId);
      }
      return open;
    },
  };
  return world;
}

export const ONE_KEY = '00000000-0000-4000-8000-000000000001';
