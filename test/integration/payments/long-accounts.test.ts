import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type AccountCommand, handleAccountCommand } from '../../../commands/accounts/account-decider.ts';
import { type EventLog, NO_STREAM } from '../../../domain/ports/event-log.ts';
import { accountStream } from '../../../domain/streams.ts';
import { openTestCivic } from '../../support/civic.ts';
import { startTestDatabase } from '../../support/embedded-database.ts';
import { memoryCheckpoints } from '../../support/memory-checkpoints.ts';

test('a command on an account that has paid for thousands of calls reads as few events as on a new one', async () => {
  const database = await startTestDatabase();
  const civic = await openTestCivic(database.url);
  try {
    const accountId = randomUUID();
    const payments = 3_000;
    const paymentEvents = Array.from({ length: payments }, () => ({
      type: 'AccountPaymentVerified',
      data: { paymentId: randomUUID(), amount: '10000', requestHash: 'a'.repeat(64), termsHash: 'b'.repeat(64) },
    }));
    const opened = { type: 'AccountOpened', data: { name: 'Agent', channel: 'payg', tier: 'none', paidUntil: null } };
    const events = [opened, ...paymentEvents].map(({ type, data }) => ({
      id: randomUUID(),
      type,
      schemaVersion: 1,
      data: JSON.stringify(data),
      metadata: { commandId: randomUUID() },
      time: civic.clock.now(),
    }));
    await civic.log.append({ stream: accountStream(accountId), expectedRevision: NO_STREAM, events });
    let read = 0;
    const log = new Proxy(civic.log, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name !== 'readStream') return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        return async (...args: Parameters<EventLog['readStream']>) => {
          const batch = await target.readStream(...args);
          read += batch.length;
          return batch;
        };
      },
    });
    const checkpoints = memoryCheckpoints();
    const run = async (command: AccountCommand): Promise<number> => {
      read = 0;
      const context = {};
      const deadline = civic.clock.now() + 20_000;
      await handleAccountCommand(
        { log, clock: civic.clock, checkpoints },
        { accountId, command, commandId: randomUUID(), context, deadline },
      );
      return read;
    };
    expect(await run({ type: 'SuspendAccount' })).toBe(payments + 1);
    expect(await run({ type: 'ResumeAccount' })).toBeLessThan(10);
    expect(await run({ type: 'ResumeAccount' })).toBeLessThan(10);
  } finally {
    await civic.close();
    await database.close();
  }
});
