import { afterAll, beforeAll, expect, test } from 'vitest';
import { testRuns } from '../support/test-runs.ts';
import { fileURLToPath } from 'node:url';
import { PROJECTIONS } from '../../src/app/composition.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { agendaId } from '../support/agenda-events.ts';
import { openClassification, type TestClassification } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openTcpProxy, serverAt, type TcpProxy } from '../support/tcp-proxy.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { checkWholeFeed } from '../support/whole-feed.ts';
import { untilReached } from '../support/until-reached.ts';

/**
 * Far longer than a takeover on a busy machine: code that trusts the clock of a process waits as long, or not at all.
 */
const SHIFT_MS = 3_600_000;
/** Length of the program's lease. */
const LEASE_MS = 5_000;
/** The time that a takeover may last beyond the lease, as a multiple of the time of a start. */
const STARTS = 6;
const NAMES = PROJECTIONS.map(({ name }) => name);
const SHIFTED = fileURLToPath(new URL('../support/shifted-clock.mjs', import.meta.url));

let database: TestDatabase;
let proxy: TcpProxy;
let classification: TestClassification;
let installation: Installation;
/** Their number, from the list of the program. */
let reactors: number;
const services = new Set<Service>();

/** The program on the database, by default with its own clock and a direct connection. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await installation.start({ env: { DATABASE_URL: database.url, ...env } });
  services.add(service);
  return service;
}
const rows = (text: string, values: readonly (string | number)[] = []) => classification.civic.rows(text, values);

beforeAll(async () => {
  database = await startTestDatabase();
  classification = await openClassification(database.url, { folds: false });
  classification.civic.clock.time = Date.now();
  await rows(`create table civic.owners
    (id bigint generated always as identity, what text, owner text, token bigint, checkpoint text, taken_early_ms bigint)`);
  for (const [table, what, which] of [
    ['generations', 'generation::text', ''],
    ['processors', 'name', 'when (new.due_at is null)'],
  ] as const) {
    await rows(`create function civic.note_${table}() returns trigger language plpgsql as $$ begin
      insert into civic.owners (what, owner, token, checkpoint, taken_early_ms) values (new.${what}, new.owner, new.token, new.checkpoint,
        case when tg_op = 'UPDATE' and new.token > old.token and old.owner is not null
          then old.lease_until - extract(epoch from clock_timestamp()) * 1000 end);
      return new; end $$`);
    await rows(
      `create trigger note_owner after insert or update on civic.${table} for each row ${which} execute function civic.note_${table}()`,
    );
  }
  proxy = await openTcpProxy(() => serverAt(database.url));
  installation = makeInstallation('civic-takeover-');
});
afterAll(async () => {
  proxy?.flow();
  await Promise.all([...services].map((service) => service.kill9()));
  await proxy?.goDown();
  await installation?.close();
  await classification?.close();
  await database?.close();
});

function through({ port }: TcpProxy): string {
  const { username, password, pathname } = new URL(database.url);
  return `postgres://${username}${password === '' ? '' : `:${password}`}@127.0.0.1:${port}${pathname}`;
}

const holders = async (): Promise<readonly (readonly [string, string | null, number])[]> =>
  (
    await rows(`select projection, owner, token::text from civic.generations where state = 'live'
      union all select name, owner, token::text from civic.processors where due_at is null order by 1`)
  ).map(([name, owner, token]) => [name!, owner!, Number(token)]);
const isOf = (service: Service) => (owner: string | null) => owner?.includes(`:${service.pid}:`) ?? false;
const heldBy = async (service: Service): Promise<number> =>
  (await holders()).filter(([, owner]) => isOf(service)(owner)).length;
const lastCommit = async (): Promise<number> =>
  Number((await rows('select coalesce(max(id), 0) from civic.owners'))[0]![0]);
const moreCommits = async (count: number): Promise<void> =>
  untilReached('the commits', (await lastCommit()) + count, lastCommit);

/** Resolves to the time until one process owned everything. */
async function hasAll(heir: Service, began: number): Promise<number> {
  await untilReached('what the heir owns', NAMES.length + reactors, () => heldBy(heir));
  return performance.now() - began;
}
async function takenOverBy(heir: Service, fault: () => void | Promise<void>): Promise<number> {
  const began = performance.now();
  await fault();
  return hasAll(heir, began);
}
/** It did nothing under a lost lease. It might acquire an expired lease again on a busy machine. */
async function staysOut(former: Service, goOn: () => void): Promise<void> {
  const since = await lastCommit();
  goOn();
  await moreCommits(40);
  const late = await rows(
    `select what, token from civic.owners late where id > $1 and owner like $2
      and token <= (select max(token) from civic.owners taken where taken.what = late.what and taken.id <= $1)`,
    [since, `%:${former.pid}:%`],
  );
  expect(late).toEqual([]);
}

test('every projection and every reactor is taken over within seconds, without a gap or a double effect', async () => {
  const { civic, events, write } = classification;
  const over = new AbortController();
  let items = 0;
  await write(
    events.topic('zoning', { keywords: ['rezoning'], publicLabel: 'Zoning' }),
    events.jurisdiction('dallas', { name: 'Dallas' }),
    events.body('dallas', { name: 'City Council' }),
    events.meeting('session', 'dallas', '2026-02-03T19:00:00.000Z', { title: 'City Council' }),
  );
  const began = performance.now();
  const first = await start();
  const writing = (async () => {
    while (!over.signal.aborted) {
      civic.clock.time = Date.now();
      await write(
        events.item(`item ${(items += 1)}`, 'session', { title: `Consider rezoning of ${items} Main Street` }),
      );
      await civic.clock.sleep(60);
    }
  })();
  try {
    const { stdout } = await installation.civicHere(['reactors', 'list', '--json'], {
      env: { DATABASE_URL: database.url },
    });
    reactors = (JSON.parse(stdout) as unknown[]).length;
    const longest = LEASE_MS + STARTS * (await hasAll(first, began));
    const ahead = await start({ NODE_OPTIONS: `--import=${SHIFTED}`, TEST_CLOCK_SHIFT_MS: String(SHIFT_MS) });
    const far = await start({ DATABASE_URL: through(proxy) });
    // A clock that is an hour ahead takes nothing from a living owner: `checkTokens` checks every change of an owner.
    await moreCommits(testRuns(100));

    // One process remains for each takeover, so every kind of fault meets the owner of everything.
    process.kill(far.pid, 'SIGSTOP');
    expect(await takenOverBy(ahead, () => first.kill9())).toBeLessThan(longest);
    process.kill(far.pid, 'SIGCONT');
    expect(await takenOverBy(far, () => void process.kill(ahead.pid, 'SIGSTOP'))).toBeLessThan(longest);
    await staysOut(ahead, () => process.kill(ahead.pid, 'SIGCONT'));
    expect(await takenOverBy(ahead, () => proxy.stall())).toBeLessThan(longest);
    await staysOut(far, () => proxy.flow());
  } finally {
    over.abort();
    await writing;
  }
  await civic.caughtUp(undefined, NAMES);
  await untilReached('the classification', items, async () => new Set(await hitsPublished()).size);
  const published = await hitsPublished();
  expect([published.length, new Set(published).size]).toEqual([items, items]);
  await checkWholeFeed(civic);
  await checkTokens();
});

/** The record of each event that published a hit of the test's own topic. */
async function hitsPublished(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after = LOG_START, more = true; more; ) {
    const batch = await classification.civic.log.readAll({ after, limit: 1000, types: RECORD_EVENT_TYPES });
    for (const { stream, data } of batch.events) {
      const { resource, recordId } = recordOfStream(stream);
      if (resource === 'agenda_hits' && data.includes(agendaId('topics', 'zoning'))) ids.push(recordId);
    }
    [after, more] = [batch.scannedTo, batch.events.length > 0];
  }
  return ids;
}

/** No owner acted after a later one, none acquired a valid lease of another, and no checkpoint went back. */
async function checkTokens(): Promise<void> {
  const lastByName = new Map<string, { token: number; checkpoint: string }>();
  for (const [what, token, checkpoint] of await rows('select what, token, checkpoint from civic.owners order by id')) {
    const last = lastByName.get(what!) ?? { token: 0, checkpoint: '' };
    expect(Number(token)).toBeGreaterThanOrEqual(last.token);
    expect(checkpoint! >= last.checkpoint).toBe(true);
    lastByName.set(what!, { token: Number(token), checkpoint: checkpoint! });
  }
  expect(lastByName.size).toBeGreaterThanOrEqual(NAMES.length + 3);
  // The lease of a living owner has more than three seconds left. Processes know the time of the database within a
  // round trip.
  expect(await rows('select what, owner, token, taken_early_ms from civic.owners where taken_early_ms > 2000')).toEqual(
    [],
  );
}
