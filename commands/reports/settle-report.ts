import type { Clock } from '../../domain/ports/clock.ts';
import { accountReportsStream } from '../../domain/streams.ts';
import type { FoldParts } from '../fold-stream.ts';
import { handle, type Handled } from '../handle.ts';
import type { IntakeCommand } from '../report-intake/intake-commands.ts';
import { intakeDecider } from '../report-intake/intake-decider.ts';

export interface Settling {
  readonly accountId: string;
  readonly reportId: string;
  readonly closedAt: string;
  readonly commandId: string;
  /** The move that closed it. */
  readonly causedBy: string;
}

/** Records on the account's stream that its report is closed, so that it no longer counts as open; once. */
export function settleReport(parts: FoldParts & { readonly clock: Clock }, settling: Settling, deadline: number): Promise<Handled> {
  const { accountId, reportId, closedAt, commandId, causedBy } = settling;
  const command: IntakeCommand = { type: 'SettleReport', reportId, closedAt };
  const context = { accountId, causedBy };
  return handle({ ...parts, decider: intakeDecider, stream: accountReportsStream(accountId), command, commandId, context, deadline });
}
