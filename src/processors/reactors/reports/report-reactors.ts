import { settleReport } from '../../../../commands/reports/work-on-report.ts';
import type { ReportFilter, ReportKeys } from '../../../../queries/reports/known-reports.ts';
import { countOpenReports } from '../../../../queries/reports/report-figures.ts';
import { RECORD_PUBLISHED } from '../../../../domain/events/record-events.ts';
import { readReportEvent, REPORT_SWITCH_TURNED, reportSwitchTurned } from '../../../../domain/events/report-events.ts';
import { derivedId } from '../../../../domain/identifiers.ts';
import type { Position, StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { Progress, PublishedRecords } from '../../../../domain/ports/projection.ts';
import type { BatchHandler, Reactor } from '../../../../domain/ports/reactors.ts';
import { externalIds, isFoundResource } from '../../../../domain/records/external-ids.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import { isClosedStatus } from '../../../../domain/reports.ts';
import { recordOfStream, streamId } from '../../../../domain/streams.ts';
import { untilCaughtUp } from '../../runtime/until-caught-up.ts';
import { type WorkDone, type WorkerDependencies, workOnReports } from './work-on-reports.ts';

export interface ReportWorkerDependencies extends WorkerDependencies {
  readonly progress: Progress;
  readonly readModels: readonly string[];
}

export const REPORT_SETTLER = 'report_settler';
const CLOSE_DEADLINE_MS = 30_000;

/**
 * Records closed reports on the account's stream. Until then the account counts them as open, so a limit might be
 * reached too early.
 */
export const createReportSettler = (deps: Parameters<typeof settleReport>[0]): Reactor => ({
  name: REPORT_SETTLER,
  follows: ['DataReportMoved'],
  begin: () => async (batch, running) => {
    for (const stored of batch) {
      const event = readReportEvent(stored);
      if (event.type !== 'DataReportMoved' || !isClosedStatus(event.data.to)) continue;
      running.signal.throwIfAborted();
      const { accountId, movedAt: closedAt } = event.data;
      const commandId = derivedId('settle report', stored.id);
      const settling = { accountId, reportId: streamId(stored.stream), closedAt, commandId, causedBy: stored.id };
      const handled = await settleReport(deps, settling, deps.clock.now() + CLOSE_DEADLINE_MS);
      if (handled.kind === 'rejected') throw handled.rejection;
    }
  },
});

export const REPORT_WORKER = 'report_worker';
const SUBMITTED = 'DataReportSubmitted';
const PURPOSE = 'work on reports';

/**
 * Examines reports as they come. The job of `dueReports` picks up reports that are skipped: paused, without budget, or
 * leased.
 */
export const createReportWorker = (deps: ReportWorkerDependencies): Reactor => ({
  name: REPORT_WORKER,
  follows: [SUBMITTED, RECORD_PUBLISHED, REPORT_SWITCH_TURNED],
  begin: () => beginWorking(deps),
});

function beginWorking(deps: ReportWorkerDependencies): BatchHandler {
  let lastWritten: Position | null = null;
  return async (batch, { signal, confirm }) => {
    const last = batch.at(-1)!.position;
    const submitted = batch.some(({ type }) => type === SUBMITTED);
    const resumed = batch.some(
      ({ type, data }) => type === REPORT_SWITCH_TURNED && !reportSwitchTurned.parse(JSON.parse(data)).paused,
    );
    lastWritten ??= await deps.log.head();
    await untilCaughtUp(deps, last > lastWritten ? last : lastWritten, PURPOSE, signal);
    if ((await countOpenReports(deps.reads)) === 0) return;
    await confirm();
    const turn = async (filter: ReportFilter) => {
      const { position } = await workOnReports(deps, filter, signal);
      if (position === null || lastWritten === null || position <= lastWritten) return;
      lastWritten = position;
      await untilCaughtUp(deps, position, PURPOSE, signal);
    };
    if (resumed) await turn({ open: true });
    const keys = await keysOf(batch, deps.known);
    if (keys !== null) await turn({ mayBe: keys });
    if (submitted) await turn({ dueAt: deps.clock.now() });
  };
}

/** Returns the names by which reports might refer to the records of a batch; null if the batch publishes none. */
async function keysOf(batch: readonly StoredEvent[], known: PublishedRecords): Promise<ReportKeys | null> {
  const ids = [];
  const meetings = new Set<string>();
  for (const event of batch) {
    if (event.type !== RECORD_PUBLISHED) continue;
    const { resource } = recordOfStream(event.stream);
    if (!isFoundResource(resource)) continue;
    const data = JSON.parse(event.data) as RecordData<typeof resource>;
    ids.push(externalIds(resource, data));
    if ('meetingId' in data && data.meetingId !== null) meetings.add(data.meetingId);
  }
  const unique = (names: readonly (string | null)[]) => [...new Set(names.filter((name) => name !== null))];
  const addressKeys = unique(ids.map(({ addressKey }) => addressKey));
  if (addressKeys.length === 0) return null;
  const ofMeetings = [...(await known.current('meetings', [...meetings])).values()].map((meeting) =>
    externalIds('meetings', meeting),
  );
  return {
    addressKeys,
    titleKeys: unique(ids.map(({ titleKey }) => titleKey)),
    sourceRecordIds: unique(ids.flatMap(({ sourceRecordId, matterFile }) => [sourceRecordId, matterFile])),
    dates: unique([...ids, ...ofMeetings].map(({ localDate }) => localDate)),
  };
}

/** Examines reports without an investigation, and those whose next check is due. */
export async function dueReports(deps: ReportWorkerDependencies, signal: AbortSignal): Promise<WorkDone> {
  await untilCaughtUp(deps, await deps.log.head(), PURPOSE, signal);
  return workOnReports(deps, { dueAt: deps.clock.now() }, signal);
}
