import type { ReportInput } from '../../domain/events/report-events.ts';

/** A token as one key presents it over one surface, with the hash of what it came with. */
export interface PresentedToken {
  readonly token: string;
  /** SHA-256 of the canonical JSON of the parsed input without the token. */
  readonly inputHash: string;
  readonly keyId: string;
  readonly surface: 'rest' | 'mcp';
}

/** What may be asked of an account's report intake. Times are ISO 8601 in UTC with milliseconds. */
export type IntakeCommand =
  /** Finds the report that the token stands for with this input, if there is one; never makes a report. */
  | ({ readonly type: 'PresentToken' } & PresentedToken)
  | ({
      readonly type: 'SubmitReport';
      readonly reportId: string;
      readonly input: ReportInput;
      readonly submittedAt: string;
      readonly nextCheckAt: string;
      readonly statusUrl: string;
    } & PresentedToken)
  /** The lifecycle has closed the report. */
  | { readonly type: 'SettleReport'; readonly reportId: string; readonly closedAt: string };
