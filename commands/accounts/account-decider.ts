import { z } from 'zod';
import type { CheckpointForm, CommandContext, Decider } from '../decider.ts';
import { type CommandPorts, handle, type Handled, type HandlerPorts } from '../handle.ts';
import {
  type AccountEvent,
  type accountOpened,
  channel,
  type keyIssued,
  type keyRotated,
  readAccountEvent,
  type Scope,
  tier,
} from '../../domain/events/account-events.ts';
import { keySecretHash, makeKeySecret, type RandomBytes } from '../../domain/key-secret.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import { Rejection } from '../../domain/rejections.ts';
import { accountStream } from '../../domain/streams.ts';

const storedOpen = z.strictObject({
  kind: z.literal('open'),
  suspended: z.boolean(),
  channel,
  tier,
  paidUntil: dateTime.nullable(),
  paidAt: dateTime.nullable(),
  keys: z.array(z.tuple([uuid, z.strictObject({ sha256: z.string(), revoked: z.boolean() })])),
});
const storedState = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('absent') }), storedOpen]);
type StoredOpen = z.output<typeof storedOpen>;
type AccountKey = Readonly<StoredOpen['keys'][number][1]>;
type AccountState =
  | { readonly kind: 'absent' }
  | (Readonly<Omit<StoredOpen, 'keys'>> & { readonly keys: ReadonlyMap<string, AccountKey> });

/**
 * Checkpoint of an account: the stream grows with each payment of an account that pays per call, but the state does
 * not.
 */
const accountCheckpoint: CheckpointForm<AccountState> = {
  name: 'accounts',
  version: 1,
  every: 200,
  write: (state) => (state.kind === 'absent' ? state : { ...state, keys: [...state.keys] }),
  read(storedValue) {
    const state = storedState.parse(storedValue);
    return state.kind === 'absent' ? state : { ...state, keys: new Map(state.keys) };
  },
};

type OpenAccount = Extract<AccountState, { kind: 'open' }>;
type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;
type Decision = readonly AccountEvent[] | Rejection;

const NO_SUCH_KEY = new Rejection('not_found', 'the account has no such key');

function decideIssue(command: CommandOf<'IssueKey'>, { keys }: OpenAccount): Decision {
  const { keyId, sha256, expiresAt, label } = command;
  const existing = keys.get(keyId);
  if (existing !== undefined)
    return existing.sha256 === sha256 ? [] : new Rejection('invalid_parameter', 'this key id is taken');
  const scopes = [...new Set(command.scopes)];
  const issued: AccountEvent = { type: 'KeyIssued', data: { keyId, sha256, scopes, expiresAt } };
  return label === undefined ? [issued] : [issued, { type: 'KeyLabelled', data: { keyId, label } }];
}

function decideRotation(command: CommandOf<'RotateKey'>, { keys }: OpenAccount): Decision {
  const { type: _, ...rotated } = command;
  const existing = keys.get(rotated.keyId);
  if (existing === undefined) return NO_SUCH_KEY;
  if (existing.revoked) return new Rejection('invalid_parameter', 'the key is revoked; issue another one');
  return existing.sha256 === rotated.sha256 ? [] : [{ type: 'KeyRotated', data: rotated }];
}

function decideOpen(command: Exclude<AccountCommand, { type: 'OpenAccount' }>, state: OpenAccount): Decision {
  switch (command.type) {
    case 'SetPeriod': {
      const { tier, paidUntil } = command;
      const isUnchanged = tier === state.tier && paidUntil === state.paidUntil;
      return isUnchanged ? [] : [{ type: 'AccountPeriodSet', data: { tier, paidUntil } }];
    }
    case 'SetChannel': {
      const { channel } = command;
      return channel === state.channel ? [] : [{ type: 'AccountChannelSet', data: { channel } }];
    }
    case 'ConfirmPayment': {
      const { paidAt } = command;
      const isOlder = state.paidAt !== null && paidAt <= state.paidAt;
      return isOlder ? [] : [{ type: 'AccountPaymentConfirmed', data: { paidAt } }];
    }
    case 'SuspendAccount':
      return state.suspended ? [] : [{ type: 'AccountSuspended', data: {} }];
    case 'ResumeAccount':
      return state.suspended ? [{ type: 'AccountResumed', data: {} }] : [];
    case 'IssueKey':
      return decideIssue(command, state);
    case 'LabelKey': {
      const { keyId, label } = command;
      // The state contains no label, which would be a copy for an erasure to find.
      return state.keys.has(keyId) ? [{ type: 'KeyLabelled', data: { keyId, label } }] : NO_SUCH_KEY;
    }
    case 'RotateKey':
      return decideRotation(command, state);
    case 'RevokeKey': {
      const { keyId } = command;
      const existing = state.keys.get(keyId);
      if (existing === undefined) return NO_SUCH_KEY;
      return existing.revoked ? [] : [{ type: 'KeyRevoked', data: { keyId } }];
    }
  }
}

function decide(command: AccountCommand, state: AccountState): Decision {
  if (command.type === 'OpenAccount') {
    const { type: _, ...data } = command;
    return state.kind === 'absent'
      ? [{ type: 'AccountOpened', data }]
      : new Rejection('invalid_parameter', 'this account is open already');
  }
  return state.kind === 'absent' ? new Rejection('not_found', 'there is no such account') : decideOpen(command, state);
}

function evolve(state: AccountState, event: AccountEvent): AccountState {
  if (event.type === 'AccountOpened') {
    const { channel, tier, paidUntil } = event.data;
    return { kind: 'open', suspended: false, channel, tier, paidUntil, paidAt: null, keys: new Map() };
  }
  if (state.kind === 'absent') return state;
  switch (event.type) {
    case 'AccountPeriodSet':
    case 'AccountChannelSet':
    case 'AccountPaymentConfirmed':
      return { ...state, ...event.data };
    case 'AccountPaymentSettled': {
      const { settledAt } = event.data;
      return state.paidAt !== null && settledAt <= state.paidAt ? state : { ...state, paidAt: settledAt };
    }
    case 'AccountPaymentVerified':
    case 'AccountPaymentFailed':
    case 'KeyLabelled':
      return state;
    case 'AccountSuspended':
      return { ...state, suspended: true };
    case 'AccountResumed':
      return { ...state, suspended: false };
    case 'KeyIssued':
      return withKey(state, event.data.keyId, { sha256: event.data.sha256, revoked: false });
    case 'KeyRotated':
      return withKey(state, event.data.keyId, { sha256: event.data.sha256 });
    case 'KeyRevoked':
      return withKey(state, event.data.keyId, { revoked: true });
  }
}

/** Returns the state with a changed key. A stream without the event that issued it adds it. */
function withKey(state: OpenAccount, keyId: string, change: Partial<AccountKey>): OpenAccount {
  const key = state.keys.get(keyId) ?? { sha256: '', revoked: false };
  return { ...state, keys: new Map(state.keys).set(keyId, { ...key, ...change }) };
}

export const accountDecider = {
  initialState: (): AccountState => ({ kind: 'absent' }),
  decide,
  evolve,
  read: readAccountEvent,
  schemaVersion: 1,
  checkpoint: accountCheckpoint,
} satisfies Decider<AccountState, AccountCommand, AccountEvent>;

export type Tier = z.output<typeof tier>;

/** Commands on an account. Times are ISO 8601 in UTC with milliseconds. */
export type AccountCommand =
  | ({ readonly type: 'OpenAccount' } & Readonly<z.output<typeof accountOpened>>)
  | { readonly type: 'SetPeriod'; readonly tier: Tier; readonly paidUntil: string }
  | { readonly type: 'SetChannel'; readonly channel: z.output<typeof channel> }
  | { readonly type: 'ConfirmPayment'; readonly paidAt: string }
  | { readonly type: 'SuspendAccount' }
  | { readonly type: 'ResumeAccount' }
  | ({ readonly type: 'IssueKey'; readonly scopes: readonly Scope[]; readonly label?: string | undefined } & Readonly<
      Omit<z.output<typeof keyIssued>, 'scopes'>
    >)
  | { readonly type: 'LabelKey'; readonly keyId: string; readonly label: string }
  | ({ readonly type: 'RotateKey' } & Readonly<z.output<typeof keyRotated>>)
  | { readonly type: 'RevokeKey'; readonly keyId: string };

interface AccountCommandRequest {
  readonly accountId: string;
  readonly command: AccountCommand;
  readonly commandId: string;
  readonly context: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

export const handleAccountCommand = (
  parts: HandlerPorts,
  { accountId, ...request }: AccountCommandRequest,
): Promise<Handled> => handle({ ...parts, ...request, decider: accountDecider, stream: accountStream(accountId) });

type KeyPorts = CommandPorts & { readonly randomBytes: RandomBytes };
type AccountRequest = Pick<AccountCommandRequest, 'accountId' | 'context' | 'deadline'>;

interface KeyRequest extends AccountRequest {
  readonly scopes: readonly Scope[];
  /** ISO 8601 in UTC; null for a key that does not expire. */
  readonly expiresAt: string | null;
  readonly label?: string | undefined;
}

/**
 * Creates a key and returns its secret. Only the hash is stored, so the secret cannot be shown again. Throws like
 * `handle`.
 */
export async function issueKey(
  parts: KeyPorts,
  { scopes, expiresAt, label, ...request }: KeyRequest,
): Promise<{ readonly keyId: string; readonly secret: string; readonly handled: Handled }> {
  const secret = makeKeySecret(parts.randomBytes);
  const keyId = parts.identifiers.next();
  const command = { type: 'IssueKey', keyId, sha256: keySecretHash(secret), scopes, expiresAt, label } as const;
  const commandId = parts.identifiers.next();
  const handled = await handleAccountCommand(parts, { ...request, command, commandId });
  return { keyId, secret, handled };
}

/**
 * Replaces the secret of a key and returns the new one, which cannot be shown again. The former secret works until
 * `formerUntil` (ISO 8601). Throws like `handle`.
 */
export async function rotateKey(
  parts: KeyPorts,
  { keyId, formerUntil, ...request }: AccountRequest & { readonly keyId: string; readonly formerUntil: string },
): Promise<{ readonly secret: string; readonly handled: Handled }> {
  const secret = makeKeySecret(parts.randomBytes);
  const command = { type: 'RotateKey', keyId, sha256: keySecretHash(secret), formerUntil } as const;
  const commandId = parts.identifiers.next();
  const handled = await handleAccountCommand(parts, { ...request, command, commandId });
  return { secret, handled };
}
