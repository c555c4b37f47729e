import type { z } from 'zod';
import type { verifiedRecord } from '../../domain/events/report-events.ts';
import type { ReportReason, ReportStatus } from '../../domain/report-words.ts';

export type VerifiedRecord = z.output<typeof verifiedRecord>;

/** The worker: the holder of the lease and the lease's token. */
export interface ByHolder {
  readonly holder: string;
  readonly fencingToken: number;
}

/** What an investigation has come to. */
export interface ReportMove {
  readonly to: ReportStatus;
  readonly reasonCode: ReportReason | null;
  readonly finding: string | null;
  readonly nextAction: string | null;
  readonly verifiedRecords: readonly VerifiedRecord[];
  /** When the customer should look again; a day after the move where null. A closed report has none. */
  readonly nextCheckAt: string | null;
}

/** What may be asked of a report's lifecycle. Times are ISO 8601 in UTC with milliseconds. */
export type ReportCommand =
  | ({ readonly type: 'RecordLease'; readonly accountId: string; readonly leasedAt: string; readonly leaseUntil: string } & ByHolder)
  | ({
      readonly type: 'MoveReport';
      /** Revision of the report when the move was decided. */
      readonly seenRevision: number;
      /** One or several, each from where the one before leads: all of them happen, or none. */
      readonly moves: readonly ReportMove[];
      /** What was found on the way, for investigators. */
      readonly note: string | null;
      readonly movedAt: string;
    } & ByHolder)
  | ({ readonly type: 'NoteReport'; readonly note: string; readonly notedAt: string; readonly nextCheckAt: string | null } & ByHolder);
