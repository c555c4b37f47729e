import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handleAccountCommand, issueKey } from '../../commands/accounts/account-decider.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { isKeySecret, keySecretHash } from '../../domain/key-secret.ts';
import {
  type AppendOutcome,
  type EventLog,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';

type Before = (append: Parameters<EventLog['append']>[0], attempt: number) => void | 'lose before' | 'lose after';

/** One stream in memory; `before` runs before each append: it stores events of another writer or fails as a lost connection. */
function memoryLog(before: Before = () => undefined) {
  const events: StoredEvent[] = [];
  let attempts = 0;
  const store = ({ stream, expectedRevision, events: added }: Parameters<EventLog['append']>[0]): AppendOutcome => {
    if (expectedRevision !== events.length - 1) return { kind: 'conflict', actualRevision: events.length - 1 };
    for (const event of added) {
      const revision = events.length;
      events.push({
        ...event,
        metadata: JSON.stringify(event.metadata),
        stream,
        revision,
        position: String(revision) as Position,
      });
    }
    return { kind: 'appended', position: String(events.length - 1) as Position, revision: events.length - 1 };
  };
  const log: Pick<EventLog, 'append' | 'readStream'> = {
    append: async (append) => {
      const fate = before(append, attempts++);
      if (fate === 'lose before') throw new OutcomeUnknown('lost');
      const outcome = store(append);
      if (fate === 'lose after') throw new OutcomeUnknown('lost');
      return outcome;
    },
    readStream: async (_, after, limit) => events.filter(({ revision }) => revision > after).slice(0, limit),
  };
  return { log: log as EventLog, events, store };
}

function stoppedClock() {
  const clock = { time: 1_000, now: () => clock.time, sleep: async (ms: number) => void (clock.time += ms) };
  return clock;
}

const accountId = randomUUID();
const open = { type: 'OpenAccount', name: 'A', channel: 'unset', tier: 'none', paidUntil: null } as const;
const request = (commandId: string, command: Parameters<typeof handleAccountCommand>[1]['command']) => ({
  accountId,
  command,
  commandId,
  context: { accountId },
  deadline: 60_000,
});

test('a command in conflict with another writer is decided again on the events of that writer', async () => {
  const memory = memoryLog((append, attempt) => {
    if (attempt === 1)
      memory.store({
        ...append,
        events: [{ ...append.events[0]!, id: randomUUID(), metadata: { commandId: randomUUID() } }],
      });
  });
  const parts = { log: memory.log, clock: stoppedClock() };
  await handleAccountCommand(parts, request(randomUUID(), open));
  expect(await handleAccountCommand(parts, request(randomUUID(), { type: 'SuspendAccount' }))).toMatchObject({
    kind: 'unchanged',
  });
  expect(memory.events.map(({ type }) => type)).toEqual(['AccountOpened', 'AccountSuspended']);
});

test('an append of unknown outcome is stored once, whether or not it had been stored', async () => {
  for (const fate of ['lose before', 'lose after'] as const) {
    const memory = memoryLog((_, attempt) => (attempt === 0 ? fate : undefined));
    const handled = await handleAccountCommand({ log: memory.log, clock: stoppedClock() }, request(randomUUID(), open));
    expect(handled).toEqual({
      kind: 'appended',
      position: '0',
      revision: 0,
      state: expect.objectContaining({ kind: 'open' }) as unknown,
    });
    expect(memory.events).toHaveLength(1);
  }
});

test('a retry with the same command id has the same outcome and stores no second event', async () => {
  const memory = memoryLog();
  const parts = { log: memory.log, clock: stoppedClock() };
  const commandId = randomUUID();
  const first = await handleAccountCommand(parts, request(commandId, open));
  await handleAccountCommand(parts, request(randomUUID(), { type: 'SuspendAccount' }));
  const again = await handleAccountCommand(parts, request(commandId, open));
  expect(again).toEqual({ ...first, state: expect.objectContaining({ suspended: true }) as unknown });
  expect(memory.events).toHaveLength(2);
});

test('a command on a stream that changes all the time ends at its deadline', async () => {
  const memory = memoryLog();
  const clock = stoppedClock();
  await handleAccountCommand({ log: memory.log, clock }, request(randomUUID(), open));
  const log: EventLog = { ...memory.log, append: async () => ({ kind: 'conflict', actualRevision: 9 }) };
  await expect(handleAccountCommand({ log, clock }, request(randomUUID(), { type: 'SuspendAccount' }))).rejects.toThrow(
    'by the deadline',
  );
  expect(clock.time).toBeGreaterThanOrEqual(60_000);
});

test('an issued key is returned once and is not in the log', async () => {
  const memory = memoryLog();
  const parts = {
    log: memory.log,
    clock: stoppedClock(),
    identifiers: randomIdentifiers,
    randomBytes: (count: number) => new Uint8Array(count).fill(7),
  };
  await handleAccountCommand(parts, request(randomUUID(), open));
  const { secret, keyId } = await issueKey(parts, {
    accountId,
    scopes: ['civic:read'],
    expiresAt: null,
    context: {},
    deadline: 60_000,
  });
  expect(isKeySecret(secret)).toBe(true);
  expect(JSON.parse(memory.events[1]!.data)).toMatchObject({ keyId, sha256: keySecretHash(secret) });
  expect(JSON.stringify(memory.events)).not.toContain(secret.slice(4, 44));
});

test.each([
  ['no name', { ...open, name: ' ' }],
  ['a name that is too long', { ...open, name: 'x'.repeat(201) }],
  ['U+0000', { ...open, name: 'a\0b' }],
  ['half a character', { ...open, name: 'a\ud800' }],
])('an event with %s, which its readers cannot parse, is not stored', async (_, command) => {
  const memory = memoryLog();
  const parts = { log: memory.log, clock: stoppedClock() };
  expect(await handleAccountCommand(parts, request(randomUUID(), command))).toMatchObject({ kind: 'rejected' });
  expect(memory.events).toEqual([]);
  const escaped = String.raw`a \u0000 \ud800`;
  expect(await handleAccountCommand(parts, request(randomUUID(), { ...open, name: escaped }))).toMatchObject({
    kind: 'appended',
  });
});
