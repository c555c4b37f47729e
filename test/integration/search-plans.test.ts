import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';
import { itemsOf, upsertEntries } from '../../projections/agenda-search/statements.ts';
import { AGENDA_SEARCH, amountMark, MARK, WEIGHT } from '../../projections/agenda-search/tables.ts';
import { MAX_CANDIDATES } from '../../queries/search/ranked-page.ts';
import { agendaId } from '../support/agenda-events.ts';
import { openTestSearch, type TestSearch } from '../support/agenda-search.ts';
import { TEST_TIME } from '../support/civic.ts';
import { explained } from '../support/query-plan.ts';
import { testRuns } from '../support/test-runs.ts';

const ITEMS = testRuns(50_000);

/** The interval of two meetings; the data covers ten years. */
const APART_MS = 8.76 * 3_600_000;

const MEETING = 20;

/** The most rows of entries that a search reads. Those that are ranked are read twice. */
const MAX_ROWS = ITEMS / 5 + 100 + MAX_CANDIDATES;

let search: TestSearch;
let tables: ReturnType<typeof AGENDA_SEARCH.at>;
let session: Client;

/** A connection with the settings of the connections that fold. */
let folding: Client;

const uuid = (number: string, kind: number) =>
  `('00000000-0000-4000-${8000 + kind}-' || lpad((${number})::text, 12, '0'))::uuid`;

const startsAt = (number: string) =>
  `(${TEST_TIME - (ITEMS / MEETING) * APART_MS} + ((${number}) / ${MEETING})::bigint * ${APART_MS})::bigint`;

function period(number: string) {
  const time = `to_timestamp(${startsAt(number)} / 1000.0)`;
  return `(extract(year from ${time})::int * 4 + extract(quarter from ${time})::int - 1)`;
}

beforeAll(async () => {
  search = await openTestSearch();
  tables = AGENDA_SEARCH.at(search.generation);
  const { events, fold } = search;
  await fold([...events.place('dallas'), ...events.place('plano'), events.topic('zoning')]);
  session = new Client(clientConfig({ dsn: search.server.url, purpose: 'plans' }));
  await session.connect();
  folding = new Client(clientConfig({ dsn: search.server.url, purpose: 'plans', lookups: true }));
  await folding.connect();
  // Each test sets the statistics of the tables.
  for (const table of Object.values(tables)) await session.query(`alter table ${table} set (autovacuum_enabled = off)`);
  // Simulates a process that started on an empty database: its plans are older than the rows.
  for (let times = 0; times < 8; times++) await search.search({ query: 'c1' });
  const body = `case when n % 100 = 0 then '${agendaId('public_bodies', 'plano')}' else '${agendaId('public_bodies', 'dallas')}' end`;
  await session.query(
    `insert into ${tables.meetings} (meeting_id, body_id, source_id, status, starts_at, day, period, timezone)
     select ${uuid('n', 1)}, '${agendaId('public_bodies', 'dallas')}', null, 'held', ${startsAt(`n * ${MEETING}`)}, 0, ${period(`n * ${MEETING}`)},
       'America/Chicago'
     from generate_series(0, ${ITEMS / MEETING - 1}) n`,
  );
  await session.query(
    `insert into ${tables.items} (item_id, meeting_id, title, source_url, heading)
     select ${uuid('n', 2)}, ${uuid(`n / ${MEETING}`, 1)}, 'Item ' || n, 'https://example.org/' || n, false from generate_series(0, ${ITEMS - 1}) n`,
  );
  await session.query(
    `insert into ${tables.entries} (item_id, starts_at, day, period, words, forms, amount)
     select ${uuid('n', 2)}, ${startsAt('n')}, (${startsAt('n')}) / 86400000, ${period('n')},
       setweight(to_tsvector('pg_catalog.simple', 'c1' || case when n % 2 = 0 then ' c2' else ' c3' end || case when n % 20 = 0 then ' c4' else '' end
         || case when n % 10000 = 0 then ' c5' else '' end || case when n < ${ITEMS} / 3 then ' c6' else '' end || ' w' || n % 977), 'A')
       || setweight(to_tsvector('pg_catalog.english', case when n % 100 = 0 then 'Plano' else 'Dallas' end), '${WEIGHT.place}')
       || array_to_tsvector(array['${MARK.body}' || ${body}, '${MARK.period}' || ${period('n')}, '${MARK.day}' || (${startsAt('n')}) / 86400000]
         || case when n % 50 = 0 then array['${MARK.topic}${agendaId('topics', 'zoning')}'] end
         || case when n % 200 = 0 then array['${amountMark(2_000_000)}'] end), '', case when n % 200 = 0 then 2000000 end
     from generate_series(0, ${ITEMS - 1}) n`,
  );
  await session.query(`insert into ${tables.periods} select period, count(*) from ${tables.entries} group by period`);
});

afterAll(async () => {
  await session?.end();
  await folding?.end();
  await search?.close();
});

const QUERIES = [
  'c1',
  'c2',
  'c4',
  'c5',
  'c6',
  'w5',
  'c1 -c2',
  '-c2',
  'c2 or c3',
  '"c1 c2"',
  'c2 c4',
  'c3 w5',
  'dallas',
  'dallas c2',
  'plano council c1',
  'c1 above $1 million',
  'c1 in June 2025',
  'June 2025',
  'what is on the agenda of the plano council?',
];

const FILTERS = [
  {},
  { jurisdictionSlug: 'plano' },
  { topicSlug: 'zoning' },
  { fromDate: '2025-06-01', toDate: '2025-06-30' },
  { toDate: '2018-02-01' },
  { fromDate: '2025-07-01' },
];

async function looksAtFewRows(): Promise<void> {
  for (const filters of FILTERS) {
    for (const query of QUERIES) {
      search.sent.length = 0;
      await search.search({ query, ...filters });
      expect(search.sent.length).toBeGreaterThan(0);
      for (const statement of search.sent) {
        const scans = (await explained(session, statement)).filter(
          (node) => tables.entries.endsWith(node['Relation Name'] ?? ' ') && node['Actual Loops'] !== 0,
        );
        const rows = scans.reduce(
          (sum, node) =>
            sum +
            (node['Actual Loops'] ?? 1) *
              ((node['Actual Rows'] ?? 0) +
                (node['Rows Removed by Filter'] ?? 0) +
                (node['Rows Removed by Index Recheck'] ?? 0)),
          0,
        );
        const ways = scans.map((node) => node['Index Name']?.replace(/.*_/, '') ?? node['Node Type']);
        expect([query, filters, ways.filter((way) => !['pkey', 'Bitmap Heap Scan', 'Tid Scan'].includes(way))]).toEqual(
          [query, filters, []],
        );
        // All past entries are read.
        const most = query === 'c6' ? ITEMS / 3 + 100 + MAX_CANDIDATES : MAX_ROWS;
        expect([query, filters, rows <= most ? 'few' : rows]).toEqual([query, filters, 'few']);
      }
    }
  }
}

async function ranksTheLatest(): Promise<void> {
  for (const query of ['c2', 'c6', '"c1 c2" c4', 'c5 or w5']) {
    const { rows } = await session.query<{ item_id: string }>(
      `select item_id from ${tables.entries} where words @@ websearch_to_tsquery('pg_catalog.english', $1) order by starts_at desc, item_id desc limit ${MAX_CANDIDATES}`,
      [query],
    );
    const page = await search.all({ query, limit: 20 });
    expect([query, page.toSorted()]).toEqual([query, rows.map(({ item_id }) => item_id).toSorted()]);
  }
}

const refreshedBy = (refresh: 'vacuum' | 'analyze'): void =>
  beforeAll(async () => void (await session.query(`${refresh} ${Object.values(tables).join(', ')}`)), 60_000);

const LOOKS = 'a search goes through the index of words and looks at few rows';
const RANKS = 'the latest thousand matches are ranked, whatever stretches of time they lie in';

describe(`with ${ITEMS} items and statistics of an empty table`, () => {
  test(LOOKS, looksAtFewRows, 120_000);
  test(RANKS, ranksTheLatest, 120_000);
});

describe(`with ${ITEMS} items that are counted and not yet analyzed`, () => {
  refreshedBy('vacuum');
  test(LOOKS, looksAtFewRows, 120_000);
});

describe(`with ${ITEMS} items and fresh statistics`, () => {
  refreshedBy('analyze');
  test(LOOKS, looksAtFewRows, 120_000);
  test(RANKS, ranksTheLatest, 120_000);
});

test('a fold finds the items of changed meetings and writes their entries by keys only', async () => {
  const { rows } = await session.query<{ meeting_id: string }>(
    `select meeting_id from ${tables.meetings} order by meeting_id limit 50`,
  );
  const ids = rows.map(({ meeting_id }) => meeting_id);
  const readPlan = await explained(folding, itemsOf(search.generation, 'meetings', ids));
  const items = await session.query<{ item_id: string }>(
    `select item_id from ${tables.items} order by item_id limit 1000`,
  );
  const itemIds = items.rows.map(({ item_id }) => item_id);
  const writePlan = await explained(folding, upsertEntries(search.generation, itemIds));
  for (const node of [...readPlan, ...writePlan]) {
    const isSmall = [tables.jurisdictions, tables.bodies, tables.topics, tables.hits, tables.documents].some((table) =>
      table.endsWith(node['Relation Name'] ?? ' '),
    );
    if (!isSmall) expect([node['Node Type'], node['Relation Name']]).not.toEqual(['Seq Scan', expect.any(String)]);
  }
});
