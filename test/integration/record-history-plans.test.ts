import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';
import type { HistoryRow } from '../../projections/record-history/history-rows.ts';
import { recordHistory, supersedeRows } from '../../projections/record-history/projection.ts';
import { ERASED_VERSIONS, NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { feedPageStatement } from '../../queries/feed/feed-page.ts';
import { createReadCivicRecords } from '../../queries/feed/read-civic-records.ts';
import { createReadCivicSnapshotPage } from '../../queries/feed/read-civic-snapshot-page.ts';
import { currentIds } from '../../queries/feed/published-records.ts';
import { readSources } from '../../queries/feed/read-civic-health.ts';
import type { Statement, StatementValue } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { explained, scansOf } from '../support/query-plan.ts';
import { testRuns } from '../support/test-runs.ts';

const ROWS = testRuns(40_000);
const [SOURCES, CHECKS, JURISDICTIONS] = [500, 40, 16];
const MAX_BYTES = 5_000_000;
const SNAPSHOT = '00000000-0000-4000-8000-000000000001';
let server: TestDatabase;
let civic: TestCivic;
let generation: number;
let session: Client;

/** A connection with the settings of the connections that fold. */
let folding: Client;

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const hundredIds = Array.from({ length: 100 }, (_, n) => idOf(ROWS / 2 + n * 10));

const superseded = (count: number): Statement =>
  supersedeRows(
    generation,
    Array.from(
      { length: count },
      (_, n) => ({ resource: 'agenda_items', record_id: idOf(n), position: 1 }) as HistoryRow,
    ),
  );

/** The statement that a query sends. */
async function statementOf(read: (reads: LiveReads) => Promise<unknown>): Promise<Statement> {
  let statement: Statement | undefined;
  const reads = {
    rows: (build: (live: () => number) => Statement) => {
      statement = build(() => generation);
      return Promise.resolve([]);
    },
  } as unknown as LiveReads;
  await read(reads).catch(() => undefined);
  return statement!;
}

/** The same of one that goes through slonik. */
async function sentTyped(read: (reads: LiveReads) => Promise<unknown>): Promise<Statement> {
  let statement: Statement | undefined;
  const many = async (
    build: (live: () => number) => { readonly sql: string; readonly values: readonly StatementValue[] },
  ) => {
    const { sql, values } = build(() => generation);
    statement = { text: sql.replaceAll('$slonik_', '$'), values };
    return [];
  };
  await read({ many } as unknown as LiveReads);
  return statement!;
}

async function statements(): Promise<Record<string, Statement>> {
  const page = { after: 1000, limit: 100, maxBytes: MAX_BYTES, cutoff: 0 };
  const id = civic.identifiers.next();
  const snapshot = {
    accountId: id,
    snapshotId: SNAPSHOT,
    resource: 'meetings',
    limit: 100,
    maxResponseBytes: MAX_BYTES,
  } as const;
  return {
    feed: feedPageStatement(generation, { ...page, resource: null }),
    filtered: feedPageStatement(generation, { ...page, resource: 'meetings' }),
    rare: feedPageStatement(generation, { ...page, after: ROWS - 1500, resource: 'topics' }),
    common: feedPageStatement(generation, { ...page, resource: 'agenda_items' }),
    head: feedPageStatement(generation, { ...page, after: ROWS - 10, resource: 'meetings' }),
    floor: feedPageStatement(generation, { ...page, after: null, resource: null }),
    snapshot: await statementOf((reads) => createReadCivicSnapshotPage({ reads, clock: civic.clock })(snapshot)),
    batch: await statementOf((reads) =>
      createReadCivicRecords(reads)({
        requests: [{ resource: 'meetings', ids: hundredIds }],
        maxResponseBytes: MAX_BYTES,
      }),
    ),
    ids: await statementOf((reads) => currentIds(reads, 'agenda_items').next()),
    supersede: superseded(500),
  };
}

async function run({ name, text, values }: Statement, session: Client): Promise<void> {
  await session.query({ text, values: values as unknown[], ...(name === undefined ? {} : { name }) });
}

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url);
  civic.startProjector();
  await civic.caughtUp();
  generation = await civic.live(recordHistory.name);
  // The table of snapshots has the same number as in the statement above.
  await civic.rows(
    `create table if not exists civic.snapshots_g${generation} (like civic.snapshots_g${await civic.live('snapshots')} including all)`,
  );
  session = new Client(clientConfig({ dsn: server.url, purpose: 'plans', inOrder: true }));
  await session.connect();
  folding = new Client(clientConfig({ dsn: server.url, purpose: 'plans', lookups: true }));
  await folding.connect();
  await session.query(`update civic.projections set live_generation = ${generation} where name = 'snapshots'`);
  // Simulates a process that started on an empty database: its plans are older than the rows.
  const { supersede, ...reads } = await statements();
  for (let times = 0; times < 8; times++) {
    for (const statement of Object.values(reads)) await run(statement, session);
    await run(supersede!, folding);
  }

  const { history, state } = RECORD_HISTORY.at(generation);
  // One third of the records of each resource changes once more.
  await session.query(
    `insert into ${history} (position, resource, record_id, version, removed, changed_at, superseded_at, digest, envelope, body)
     select n, case when n % 1000 = 0 then 'topics' when n % 10 = 0 then 'meetings' else 'agenda_items' end, ('00000000-0000-4000-8000-' || lpad((n % ${(ROWS * 3) / 4})::text, 12, '0'))::uuid, 1, false, n,
       case when n <= ${ROWS / 4} then n + ${(ROWS * 3) / 4} else ${NOT_SUPERSEDED} end, decode(repeat('ab', 32), 'hex'),
       '"resource":"x","data":', '{"n":' || n || '}'
     from generate_series(1, ${ROWS}) n`,
  );
  await session.query(`update ${state} set head = ${ROWS}, changed_at = ${ROWS}`);
  await session.query(
    `insert into civic.snapshots_g${generation} values ('${SNAPSHOT}', '${SNAPSHOT}', '${civic.feedId}', ${ROWS - 10}, 0, ${Number.MAX_SAFE_INTEGER})`,
  );
});

afterAll(async () => {
  await session?.end();
  await folding?.end();
  await civic?.close();
  await server?.close();
});

/** The reads of the history: the indexes, or "all" for the whole table, and the number of rows. */
const scans = async (statement: Statement, mode: string, on: Client) =>
  scansOf(await explained(on, statement, mode), RECORD_HISTORY.at(generation).history, '');

const index = (what: string): string => `record_history_g${generation}_${what}`;

describe.each(['auto', 'force_generic_plan', 'force_custom_plan'])(
  `with ${ROWS} rows and plan_cache_mode %s`,
  (mode) => {
    test.each(['kept from when the table was empty', 'with fresh statistics'])(
      'pages, batches and folds use their indexes, plans %s',
      async (when) => {
        if (when === 'with fresh statistics') await session.query(`analyze ${RECORD_HISTORY.at(generation).history}`);
        const all = await statements();
        const snapshot = { ...all['snapshot']!, values: all['snapshot']!.values.with(1, SNAPSHOT) };
        const feed = await scans(all['feed']!, mode, session);
        expect(feed.used).toEqual([index('pkey')]);
        expect(feed.touched).toBeLessThan(220);
        const floor = await scans(all['floor']!, mode, session);
        expect(floor.used).toEqual([index('pkey')]);
        expect(floor.touched).toBeLessThan(300);
        for (const filter of ['filtered', 'rare', 'common', 'head']) {
          const filtered = await scans(all[filter]!, mode, session);
          expect([filter, filtered.used]).toEqual([filter, [index('by_resource'), index('pkey')]]);
          expect(filtered.touched).toBeLessThan(230);
        }
        const page = await scans(snapshot, mode, session);
        expect(page.used).toEqual([index('by_resource'), index('pkey')]);
        expect(page.touched).toBeLessThan(440);
        // Also reads whether an erasure has changed the page: no row without an erasure.
        const erased = scansOf(await explained(session, snapshot, mode), ERASED_VERSIONS);
        expect(erased.used).toEqual(['erased_versions_pkey']);
        expect(erased.touched).toBe(0);
        const batch = await scans(all['batch']!, mode, session);
        expect(batch.used).toEqual([index('current')]);
        expect(batch.touched).toBeLessThan(110);
        const ids = await scans({ ...all['ids']!, values: all['ids']!.values.with(1, ROWS / 2) }, mode, session);
        expect(ids.used).toEqual([index('by_resource')]);
        expect(ids.touched).toBeLessThan(510);

        const { history } = RECORD_HISTORY.at(generation);
        const rows = Array.from({ length: 500 }, (_, n) => ROWS / 2 + 1 + n * 4);
        const rowsAt = await session.query(
          `select resource, record_id::text as id from ${history} where position = any($1)`,
          [rows],
        );
        const records = rowsAt.rows as { resource: string; id: string }[];
        const update: Statement = {
          ...superseded(1),
          values: [records.map(({ resource }) => resource), records.map(({ id }) => id), records.map(() => ROWS + 1)],
        };
        const { used, touched } = await scans(update, mode, folding);
        expect(used).toEqual([index('current')]);
        expect(touched).toBe(records.length);
      },
    );
  },
);

describe('health of 500 sources that were checked many times', () => {
  beforeAll(async () => {
    generation += 1;
    const { history } = RECORD_HISTORY.at(generation);
    for (const text of recordHistory.create(generation)) await session.query(text);
    await session.query(
      `update civic.projections set live_generation = ${generation} where name = '${recordHistory.name}'`,
    );
    const id = (number: string) => `('00000000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))`;
    await session.query(
      `insert into ${history} (position, resource, record_id, version, removed, changed_at, superseded_at, digest, envelope, body, fingerprint)
       select row_number() over (), resource, record_id::uuid, 1, false, 0, superseded_at, '', '', body, ''
       from (
         select 1 as part, n, r as resource, ${id('n')} as record_id, ${NOT_SUPERSEDED} as superseded_at, '{"slug":"s' || n || '"}' as body
         from generate_series(0, ${SOURCES - 1}) n, unnest(array['jurisdictions', 'public_bodies']) r
         union all
         select 2, n, 'sources', ${id(`n % ${SOURCES}`)},
           case when n < ${SOURCES * (CHECKS - 1)} then n + ${3 * SOURCES} else ${NOT_SUPERSEDED} end,
           '{"jurisdictionId":"' || ${id(`n % ${JURISDICTIONS}`)} || '","publicBodyId":"' || ${id(`n % ${SOURCES}`)} || '"}'
         from generate_series(0, ${SOURCES * CHECKS - 1}) n
         union all
         select 3, n, 'agenda_items', ${id('n')}, ${NOT_SUPERSEDED}, '{}' from generate_series(1, ${ROWS}) n
       ) rows order by part, n`,
    );
  });

  test.each(['without statistics', 'with fresh statistics'])(
    'reads each source, its jurisdiction and its body once, %s',
    async (when) => {
      if (when === 'with fresh statistics') await session.query(`analyze ${RECORD_HISTORY.at(generation).history}`);
      const sources = await sentTyped((reads) => readSources(reads, civic.clock));
      const { used, touched, conditions } = await scans(sources, 'auto', session);
      expect(used).toEqual([index('by_resource'), index('current')]);
      expect(touched).toBe(3 * SOURCES);
      // The other scan is that of the sources.
      expect(conditions.filter((condition) => condition.includes('record_id'))).toHaveLength(2);
    },
  );
});
