import { describe, expect, test } from 'vitest';
import { requireSameInstallation } from '../../commands/feed/same-installation.ts';
import { LOG_START, type Position } from '../../domain/ports/event-log.ts';
import type { Generation } from '../../domain/ports/generations.ts';
import type { InstallationStore } from '../../domain/ports/stores.ts';
import { requireOwnLog } from '../../src/processors/runtime/own-log.ts';

const LOG_ID = '8f14e45f-ceea-567f-a3b1-0d2c6a9be111';
const FIRST = '0000000000000001' as Position;
const DATABASE = { database: '7430000000000000000/1', timeline: '1' };

/** A database and a log, both empty, of which another process makes the first start while the first read of this one is under way. */
function besideAnotherFirstStart() {
  let begun = false;
  const afterTheOtherStarted = async <T>(value: T): Promise<T> => {
    await Promise.resolve();
    begun = true;
    return value;
  };
  return {
    afterTheOtherStarted,
    log: {
      identity: async () => (begun ? LOG_ID : null),
      head: async () => (begun ? FIRST : LOG_START),
      readStream: () => Promise.reject(new Error('no read model has folded an event')),
    },
  };
}

describe('a process that starts beside one that makes the first start', () => {
  test('accepts the log that the database has just received', async () => {
    const { log, afterTheOtherStarted } = besideAnotherFirstStart();
    const store = {
      identity: () => Promise.resolve(DATABASE),
      load: () => afterTheOtherStarted({ ...DATABASE, logId: LOG_ID, renewing: null }),
    } as unknown as InstallationStore;
    const write = (): never => expect.fail('nothing is to be logged');
    const logger = { debug: write, info: write, warn: write, error: write };
    await requireSameInstallation({ store, log, holdsLog: true, logger });
  });

  test('accepts the log that the read models have just begun to follow', async () => {
    const { log, afterTheOtherStarted } = besideAnotherFirstStart();
    const row = {
      projection: 'agenda',
      state: 'live',
      logId: LOG_ID,
      checkpoint: FIRST,
      lastEvent: null,
    } as unknown as Generation;
    await requireOwnLog({ list: () => afterTheOtherStarted([row]) }, log);
  });
});
