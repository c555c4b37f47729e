import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type AccountCommand, accountDecider } from '../../commands/accounts/account-decider.ts';
import type { AccountEvent } from '../../domain/events/account-events.ts';
import { Rejection } from '../../domain/rejections.ts';

const later = '2026-02-01T00:00:00.000Z';
const opened: AccountEvent = {
  type: 'AccountOpened',
  data: { name: 'Sample', channel: 'subscription', tier: 'pro', paidUntil: '2026-01-01T00:00:00.000Z' },
};
const keyId = randomUUID();
const issued: AccountEvent = {
  type: 'KeyIssued',
  data: { keyId, sha256: 'a'.repeat(64), scopes: ['civic:read'], expiresAt: null },
};

const decided = (events: readonly AccountEvent[], command: AccountCommand) =>
  accountDecider.decide(command, events.reduce(accountDecider.evolve, accountDecider.initialState()));

function refusal(events: readonly AccountEvent[], command: AccountCommand) {
  const decision = decided(events, command);
  return decision instanceof Rejection ? decision.code : decision;
}

describe('an account', () => {
  test('is opened once', () => {
    const command = { type: 'OpenAccount', ...opened.data } as AccountCommand;
    expect(decided([], command)).toEqual([opened]);
    expect(refusal([opened], command)).toBe('invalid_parameter');
  });

  test('that was never opened refuses every other command', () => {
    const commands: AccountCommand[] = [
      { type: 'SetPeriod', tier: 'pro', paidUntil: later },
      { type: 'SetChannel', channel: 'payg' },
      { type: 'ConfirmPayment', paidAt: later },
      { type: 'SuspendAccount' },
      { type: 'ResumeAccount' },
      { type: 'IssueKey', ...issued.data },
      { type: 'RevokeKey', keyId },
    ];
    for (const command of commands) expect(refusal([], command)).toBe('not_found');
  });

  test('whose period is set to its present value appends nothing', () => {
    const command: AccountCommand = { type: 'SetPeriod', tier: 'ultra', paidUntil: later };
    const [set] = decided([opened], command) as AccountEvent[];
    expect(set).toEqual({ type: 'AccountPeriodSet', data: { tier: 'ultra', paidUntil: later } });
    expect(decided([opened, set!], command)).toEqual([]);
    expect(decided([opened, set!], { ...command, tier: 'pro' })).toHaveLength(1);
  });

  test('is moved to another billing channel and back, and to its present one appends nothing', () => {
    const [moved] = decided([opened], { type: 'SetChannel', channel: 'payg' }) as AccountEvent[];
    expect(moved).toEqual({ type: 'AccountChannelSet', data: { channel: 'payg' } });
    expect(decided([opened], { type: 'SetChannel', channel: 'subscription' })).toEqual([]);
    expect(decided([opened, moved!], { type: 'SetChannel', channel: 'payg' })).toEqual([]);
    expect(decided([opened, moved!], { type: 'SetChannel', channel: 'subscription' })).toHaveLength(1);
  });

  test('counts a payment as new only when it is later than the latest', () => {
    const [paid] = decided([opened], { type: 'ConfirmPayment', paidAt: later }) as AccountEvent[];
    expect(paid).toEqual({ type: 'AccountPaymentConfirmed', data: { paidAt: later } });
    expect(decided([opened, paid!], { type: 'ConfirmPayment', paidAt: later })).toEqual([]);
    expect(decided([opened, paid!], { type: 'ConfirmPayment', paidAt: '2025-12-01T00:00:00.000Z' })).toEqual([]);
  });

  test('is suspended and resumed once each, however often the command is repeated', () => {
    const suspended: AccountEvent = { type: 'AccountSuspended', data: {} };
    expect(decided([opened], { type: 'ResumeAccount' })).toEqual([]);
    expect(decided([opened], { type: 'SuspendAccount' })).toEqual([suspended]);
    expect(decided([opened, suspended], { type: 'SuspendAccount' })).toEqual([]);
    expect(decided([opened, suspended], { type: 'ResumeAccount' })).toEqual([{ type: 'AccountResumed', data: {} }]);
  });
});

describe('a key', () => {
  test('issued twice with the same hash is one key, and with another hash is refused', () => {
    const command = { type: 'IssueKey', ...issued.data } as Extract<AccountCommand, { type: 'IssueKey' }>;
    expect(decided([opened], command)).toEqual([issued]);
    expect(decided([opened, issued], command)).toEqual([]);
    expect(refusal([opened, issued], { ...command, sha256: 'b'.repeat(64) })).toBe('invalid_parameter');
  });

  test('issued with a label has it in an event of its own, and gets another one', () => {
    const labeled: AccountEvent = { type: 'KeyLabelled', data: { keyId, label: 'export' } };
    expect(decided([opened], { type: 'IssueKey', ...issued.data, label: 'export' })).toEqual([issued, labeled]);
    expect(decided([opened, issued], { type: 'LabelKey', ...labeled.data })).toEqual([labeled]);
    expect(refusal([opened], { type: 'LabelKey', ...labeled.data })).toBe('not_found');
  });

  test('rotated twice with the same hash has one new secret, and a revoked or unknown key is refused', () => {
    const rotated = { type: 'KeyRotated', data: { keyId, sha256: 'c'.repeat(64), formerUntil: later } } as const;
    const command: AccountCommand = { type: 'RotateKey', ...rotated.data };
    expect(decided([opened, issued], command)).toEqual([rotated]);
    expect(decided([opened, issued, rotated], command)).toEqual([]);
    expect(refusal([opened, issued, { type: 'KeyRevoked', data: { keyId } }], command)).toBe('invalid_parameter');
    expect(
      refusal([opened, issued, rotated, { type: 'KeyRevoked', data: { keyId } }], {
        ...command,
        sha256: 'e'.repeat(64),
      }),
    ).toBe('invalid_parameter');
    expect(refusal([opened], command)).toBe('not_found');
  });

  test('carries each scope once', () => {
    const command = { type: 'IssueKey', ...issued.data, scopes: ['civic:read', 'civic:read'] } as AccountCommand;
    expect(decided([opened], command)).toEqual([issued]);
  });

  test('revoked twice appends nothing the second time, and a key that the account lacks is refused', () => {
    const revoked: AccountEvent = { type: 'KeyRevoked', data: { keyId } };
    expect(decided([opened, issued], { type: 'RevokeKey', keyId })).toEqual([revoked]);
    expect(decided([opened, issued, revoked], { type: 'RevokeKey', keyId })).toEqual([]);
    expect(refusal([opened, issued], { type: 'RevokeKey', keyId: randomUUID() })).toBe('not_found');
  });
});

test('an account event is read as it was stored, and one of another category is refused', () => {
  expect(accountDecider.read({ type: issued.type, data: JSON.stringify(issued.data) })).toEqual(issued);
  expect(() => accountDecider.read({ type: 'toString', data: '{}' })).toThrow('no event of an account');
});

test('the checkpoint of an account is read as it was stored, and any other value is refused', () => {
  const { checkpoint, evolve, initialState } = accountDecider;
  const settled: AccountEvent = {
    type: 'AccountPaymentSettled',
    data: {
      paymentId: keyId,
      amount: '10000',
      requestHash: 'a'.repeat(64),
      resultHash: 'b'.repeat(64),
      transaction: `0x${'c'.repeat(64)}`,
      settledAt: later,
    },
  };
  const state = [opened, issued, settled].reduce(evolve, initialState());
  for (const each of [state, initialState()])
    expect(checkpoint.read(JSON.parse(JSON.stringify(checkpoint.write(each))))).toEqual(each);
  expect(state).toMatchObject({ paidAt: later });
  expect(() => checkpoint.read({ kind: 'open' })).toThrow();
});
