import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventLogSettings, openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import {
  LOG_START,
  LogUnavailable,
  NO_STREAM,
  OutcomeUnknown,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { freshStream, newEvents, type OpenLog, readOn } from '../support/event-log-builders.ts';
import { type PrivateServer, startPrivateServer } from '../support/postgresql-server.ts';
import { STALL_MS } from '../support/until-reached.ts';

let server: PrivateServer;
let dsn: string;
const opened: OpenLog[] = [];
function open(overrides: Partial<EventLogSettings> = {}): OpenLog {
  const log = openEventLog({ dsn, statementTimeoutMs: STALL_MS, ...overrides });
  opened.push(log);
  return log;
}
beforeAll(async () => {
  server = await startPrivateServer();
  dsn = await server.createDatabase('failures');
  await migrate(dsn);
});
afterAll(async () => {
  for (const log of opened) await log.close();
  await server.stop();
});

const one = (): StreamAppend => ({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) });
async function admin<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client(dsn);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
const LOCK = '4848250413820917';

describe('a failing append', () => {
  test('has an unknown outcome when its connection is lost, and the next append works', async () => {
    const log = open();
    await log.append(one());
    const outcomes = await admin(async (client) => {
      await client.query(`select pg_advisory_lock(${LOCK})`);
      const pending = [log.append(one()), log.append(one())].map(
        async (each) => await each.catch((error: unknown) => error),
      );
      const waiting = `select pid from pg_stat_activity
        where datname = current_database() and application_name = 'civic-log-appends' and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await client.query(waiting)).rowCount).toBeGreaterThan(0);
      await client.query(`select pg_terminate_backend(pid) from (${waiting}) w`);
      await client.query(`select pg_advisory_unlock(${LOCK})`);
      return await Promise.all(pending);
    });
    for (const outcome of outcomes) expect(outcome).toBeInstanceOf(OutcomeUnknown);
    await expect(log.append(one())).resolves.toMatchObject({ kind: 'appended' });
  });

  test('is refused as not stored when it waits for another writer past the deadline', async () => {
    const log = open({ statementTimeoutMs: 100 });
    const append = one();
    await admin(async (client) => {
      await client.query(`select pg_advisory_lock(${LOCK})`);
      await expect(log.append(append)).rejects.toBeInstanceOf(LogUnavailable);
    });
    expect(await open().readStream(append.stream, NO_STREAM, 1)).toEqual([]);
  });

  test('is refused as not sent when nothing listens at the address, or the log was closed', async () => {
    const nowhere = open({ dsn: 'postgres://x@127.0.0.1:1/civic' });
    await expect(nowhere.append(one())).rejects.toBeInstanceOf(LogUnavailable);
    await expect(nowhere.head()).rejects.toBeInstanceOf(LogUnavailable);
    const log = open();
    await log.close();
    await expect(log.append(one())).rejects.toBeInstanceOf(LogUnavailable);
  });

  test('is flushed before it is answered, also where the server is not configured to flush', async () => {
    await admin(async (client) => {
      await client.query('set synchronous_commit = off; begin');
      await client.query(`select civic.append_one($1, -1, $2, 'T', 1, '{}', '{}', 0)`, [freshStream(), randomUUID()]);
      expect((await client.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
      await client.query('commit');
      await client.query('begin isolation level repeatable read');
      await expect(
        client.query(`select civic.append_one('x-1', -1, $1, 'T', 1, '{}', '{}', 0)`, [randomUUID()]),
      ).rejects.toThrow(/read committed/);
    });
  });
});

describe('a server that stops', () => {
  test.each(['clean', 'kill'] as const)(
    '(%s) loses no acknowledged event, and a subscription continues where it was',
    async (how) => {
      const [writer, reader] = [open(), open()];
      const before = await writer.head();
      const stop = new AbortController();
      const ids: string[] = [];
      const reading = (async () => {
        for await (const { events } of reader.subscribe({ after: before, batchSize: 5, signal: stop.signal })) {
          ids.push(...events.map(({ position }) => position));
        }
      })();
      const acknowledged = new Set<string>();
      const enough = new AbortController();
      const writing = Promise.all(
        Array.from({ length: 8 }, async () => {
          while (!enough.signal.aborted) {
            const append = one();
            await writer.append(append).then(
              () => acknowledged.add(append.stream),
              async () => await new Promise((resolve) => setImmediate(resolve)),
            );
          }
        }),
      );
      await expect.poll(() => acknowledged.size).toBeGreaterThan(20);
      await server.restart(how);
      const atRestart = acknowledged.size;
      await expect.poll(() => acknowledged.size).toBeGreaterThan(atRestart + 20);
      enough.abort();
      await writing;
      const stored = await readOn(writer, before);
      await expect.poll(() => ids.length).toBe(stored.length);
      stop.abort();
      await reading;
      expect(ids).toEqual(stored.map(({ position }) => position));
      const streams = new Set(stored.map(({ stream }) => stream));
      for (const stream of acknowledged) expect(streams.has(stream)).toBe(true);
    },
  );
});

describe('a damaged log', () => {
  test('whose positions have a gap is reported, and the gap is not skipped', async () => {
    const damaged = await server.createDatabase('damaged');
    await migrate(damaged);
    const other = open({ dsn: damaged });
    await other.appendEach(Array.from({ length: 5 }, one));
    const client = new Client(damaged);
    await client.connect();
    await client.query('alter table civic.events disable trigger all; delete from civic.events where position = 3');
    await client.end();
    await expect(other.readAll({ after: LOG_START, limit: 10 })).rejects.toThrow(/position 3 is missing/);
  });
});
