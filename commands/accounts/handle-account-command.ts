import type { Clock } from '../../domain/ports/clock.ts';
import { accountStream } from '../../domain/streams.ts';
import type { CommandContext } from '../decider.ts';
import type { FoldParts } from '../fold-stream.ts';
import { handle, type Handled } from '../handle.ts';
import { type AccountCommand, accountDecider } from './account-decider.ts';
import type { Scope } from '../../domain/events/account-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import { keySecretHash, makeKeySecret, type RandomBytes } from '../../domain/key-secret.ts';

interface AccountCommandRequest {
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

interface KeyRequest {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601 in UTC; null for a key that does not expire. */
  readonly expiresAt: string | null;
  readonly context: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

/** Creates a secret, stores its hash and returns the secret, which is never shown again. Throws as `handle`. */
export async function issueKey(
  parts: FoldParts & { readonly clock: Clock; readonly identifiers: Identifiers; readonly randomBytes: RandomBytes },
  { accountId, scopes, expiresAt, context, deadline }: KeyRequest,
): Promise<{ readonly keyId: string; readonly secret: string; readonly handled: Handled }> {
  const secret = makeKeySecret(parts.randomBytes);
  const keyId = parts.identifiers.next();
  const command = { type: 'IssueKey', keyId, sha256: keySecretHash(secret), scopes, expiresAt } as const;
  const handled = await handleAccountCommand(parts, { accountId, command, commandId: parts.identifiers.next(), context, deadline });
  return { keyId, secret, handled };
}
