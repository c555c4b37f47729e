import type { z } from 'zod';
import { type dataReportMoved, dataReportSubmitted, readReportEvent } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { streamId } from '../../domain/streams.ts';

export interface SubmittedReport {
  readonly accountId: string;
  readonly data: z.output<typeof dataReportSubmitted>;
}

type Moved = z.output<typeof dataReportMoved>;

/** The changes of a batch to one report, besides its submission. */
export interface LifecycleChange {
  revision: number;
  fencingToken: number;
  /** The last move. Reason, finding and next action are those of the last move that states them. */
  moved: Moved | null;
  /** The move out of `received`: no arrow leads back there, so it is the first. */
  firstMove: Moved | null;
  note: { readonly text: string; readonly notedAt: string } | null;
  /** The time of the last change that the customer can see; null where there is none. */
  updatedAt: string | null;
  /** Undefined where the batch does not set it. */
  nextCheckAt: string | null | undefined;
}

export interface ReportChanges {
  readonly submitted: ReadonlyMap<string, SubmittedReport>;
  readonly lifecycle: ReadonlyMap<string, LifecycleChange>;
}

export const SUBMITTED = 'DataReportSubmitted';

/**
 * Events ascending. A report and its lifecycle stand on two streams, so the two meet only in the log's order: a lifecycle event says
 * something of a report that was submitted before it. One that precedes the submission is left out here when both come in one batch, and
 * finds no row when they come in two: the same tables either way. Pure.
 */
export function reportChanges(batch: readonly StoredEvent[]): ReportChanges {
  const submitted = new Map<string, SubmittedReport>();
  const lifecycle = new Map<string, LifecycleChange>();
  for (const stored of batch) {
    if (stored.type === SUBMITTED) {
      const data = dataReportSubmitted.parse(JSON.parse(stored.data));
      if (submitted.has(data.reportId)) continue;
      submitted.set(data.reportId, { accountId: streamId(stored.stream), data });
      lifecycle.delete(data.reportId);
    } else {
      const reportId = streamId(stored.stream);
      lifecycle.set(reportId, changed(lifecycle.get(reportId), stored));
    }
  }
  return { submitted, lifecycle };
}

const UNCHANGED = { moved: null, firstMove: null, note: null, updatedAt: null, nextCheckAt: undefined };

function changed(before: LifecycleChange | undefined, stored: StoredEvent): LifecycleChange {
  const event = readReportEvent(stored);
  const { fencingToken } = event.data;
  const change = { ...UNCHANGED, ...before, revision: stored.revision, fencingToken };
  switch (event.type) {
    case 'DataReportLeased':
      return change;
    case 'DataReportMoved': {
      const { data } = event;
      const firstMove = data.from === 'received' ? data : change.firstMove;
      const moved = {
        ...data,
        reasonCode: data.reasonCode ?? change.moved?.reasonCode ?? null,
        finding: data.finding ?? change.moved?.finding ?? null,
        nextAction: data.nextAction ?? change.moved?.nextAction ?? null,
      };
      return { ...change, moved, firstMove, updatedAt: data.movedAt, nextCheckAt: data.nextCheckAt };
    }
    case 'DataReportNoted': {
      const { note: text, notedAt, nextCheckAt } = event.data;
      return { ...change, note: { text, notedAt }, ...(nextCheckAt === null ? {} : { updatedAt: notedAt, nextCheckAt }) };
    }
  }
}
