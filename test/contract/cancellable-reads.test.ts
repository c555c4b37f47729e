import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CancellableReads, openCancellableReads } from '../../infra/postgresql/connection/client-pool.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const SLOW = { text: 'select pg_sleep(600)', values: [] };
const ENDING = { text: 'select pg_sleep(0.003)', values: [] };
const BRIEF = { text: `select 'brief' as found from pg_sleep(0.02)`, values: [] };
const ROUNDS = 40;
const { signal: never } = new AbortController();

let server: TestDatabase;
let reads: CancellableReads;
beforeAll(async () => {
  server = await startTestDatabase();
  reads = openCancellableReads({ dsn: server.url, purpose: 'cancelled', statementTimeoutMs: 90_000 }, 1);
});
afterAll(async () => {
  await reads?.close();
  await server?.close();
});

test('a read ends on the server after any delay of its abort signal', { timeout: 60_000 }, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const leaving = new AbortController();
    const slow = reads.run(SLOW, leaving.signal).catch((error: unknown) => error);
    await after(round % 4);
    leaving.abort(new Error('gone'));
    const error = await slow;
    expect(error instanceof DeadlineExceeded || (error as Error).message === 'gone').toBe(true);
  }
});

test('a cancel that arrives as its read ends does not end another read of the connection', {
  timeout: 60_000,
}, async () => {
  for (let round = 0; round < 5 * ROUNDS; round += 1) {
    const leaving = new AbortController();
    const ending = reads.run(ENDING, leaving.signal).catch((error: unknown) => error);
    const next = reads.run(BRIEF, never);
    await after(round % 6);
    leaving.abort(new Error('gone'));
    await ending;
    expect(await next).toEqual([{ found: 'brief' }]);
  }
});

test('a read whose signal has already aborted does not start', async () => {
  await expect(reads.run(SLOW, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});
