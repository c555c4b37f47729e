import type { Clock } from '../../src/domain/ports/clock.ts';
import { accountReportsStream } from '../../src/domain/streams.ts';
import type { CommandContext } from '../command-context.ts';
import type { FoldParts } from '../fold-stream.ts';
import { handle, type Handled } from '../handle.ts';
import { intakeDecider } from './intake-decider.ts';

export interface SettledReport {
  readonly accountId: string;
  readonly reportId: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly closedAt: string;
  /** Derived from the event that closed the report, so that telling of it again changes nothing. */
  readonly commandId: string;
  readonly context?: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

/** Tells the account's intake that a report is closed: it counts as unresolved no more. Throws what `handle` throws. */
export const settleReport = (
  parts: FoldParts & { readonly clock: Clock },
  { accountId, reportId, closedAt, commandId, context = {}, deadline }: SettledReport,
): Promise<Handled> =>
  handle({
    ...parts,
    decider: intakeDecider,
    stream: accountReportsStream(accountId),
    command: { type: 'SettleReport', reportId, closedAt },
    commandId,
    context: { accountId, ...context },
    deadline,
  });
