import type { Clock } from '../../domain/ports/clock.ts';
import { accountStream } from '../../domain/streams.ts';
import type { CommandContext } from '../command-context.ts';
import type { FoldParts } from '../fold-stream.ts';
import { handle, type Handled } from '../handle.ts';
import type { AccountCommand } from './account-commands.ts';
import { accountDecider } from './account-decider.ts';

export interface AccountCommandRequest {
  readonly accountId: string;
  readonly command: AccountCommand;
  readonly commandId: string;
  readonly context: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

/** Runs one command on an account's stream. Throws as `handle`. */
export const handleAccountCommand = (
  parts: FoldParts & { readonly clock: Clock },
  { accountId, ...request }: AccountCommandRequest,
): Promise<Handled> => handle({ ...parts, ...request, decider: accountDecider, stream: accountStream(accountId) });
