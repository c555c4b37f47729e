/**
 * A process of the tail proof: `node log-tail-process.ts ROLE DSN SEED`. Prints one line of JSON for each fact and ends
 * when its standard input closes. Roles: `single` and `batch` append through the log and print what was acknowledged;
 * `dying` opens its own transaction, appends in it, prints `{"held":…}` and waits for its end there; `reader` tails
 * with random page sizes and prints what it read; `filtered` does so through the filter by types.
 */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { LOG_START, NO_STREAM, type Position } from '../../domain/ports/event-log.ts';

const [role, dsn, seedText] = process.argv.slice(2) as [string, string, string];
const stop = new AbortController();
process.stdin.on('end', () => stop.abort()).resume();
const say = (fact: unknown): void => void process.stdout.write(`${JSON.stringify(fact)}\n`);

/** A small deterministic generator of numbers in [0, 1) (mulberry32). */
const generator = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};
const random = generator(Number(seedText));

const event = (id: string = randomUUID()) => ({
  id,
  type: 'T',
  schemaVersion: 1,
  data: '{}',
  metadata: { commandId: id },
  time: 0,
});
const append = () => ({ stream: `tail-${randomUUID()}`, expectedRevision: NO_STREAM, events: [event()] });

async function write(batch: boolean): Promise<void> {
  const log = openEventLog({ dsn, statementTimeoutMs: 20_000 });
  const writers = Array.from({ length: batch ? 2 : 8 }, async () => {
    while (!stop.signal.aborted) {
      const appends = Array.from({ length: batch ? 1 + Math.floor(random() * 40) : 1 }, append);
      const outcomes = batch ? await log.appendEach(appends) : [await log.append(appends[0]!)];
      if (outcomes.some(({ kind }) => kind !== 'appended')) throw new Error('a fresh stream met a conflict');
      say({ acknowledged: appends.map(({ events }) => events[0]!.id) });
    }
  });
  await Promise.all(writers);
  await log.close();
}

async function die(): Promise<void> {
  const client = new Client(dsn);
  await client.connect();
  await client.query('begin');
  const id = randomUUID();
  await client.query(`select civic.append_one($1, -1, $2, 'T', 1, '{}', '{}', 0)`, [`tail-${id}`, id]);
  say({ held: id });
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  await client.query('commit');
  say({ acknowledged: [id] });
  await client.end();
}

async function read(types?: readonly string[]): Promise<void> {
  const log = openEventLog({ dsn, statementTimeoutMs: 20_000 });
  let after: Position = LOG_START;
  while (!stop.signal.aborted || after < (await log.head())) {
    const limit = 1 + Math.floor(random() * 60);
    const { events, scannedTo } = await log.readAll({ after, limit, ...(types === undefined ? {} : { types }) });
    if (events.length > 0) say({ read: events.map(({ position, id }) => [Number(position), id]) });
    after = scannedTo;
  }
  await log.close();
}

const roles: Readonly<Record<string, () => Promise<void>>> = {
  single: async () => await write(false),
  batch: async () => await write(true),
  dying: die,
  reader: read,
  filtered: async () => await read(['T']),
};
await roles[role]!();
