import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Statement, TypedQuery } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createReadMeetingDocuments, createReadMeetingItems } from '../../queries/meetings/read-meeting-items.ts';
import { createReadMeetings } from '../../queries/meetings/read-meetings.ts';
import { TEST_TIME } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';
import { statementOf } from '../support/slonik-statements.ts';
import { testRuns } from '../support/test-runs.ts';

const MEETINGS = testRuns(2_500);
const ITEMS_A_MEETING = 20;
const BODIES = 50;
/** Each has four items. */
const MATTERS = MEETINGS * 5;
const HOUR_MS = 3_600_000;

let server: TestDatabase;
let served: ServedCivic;
let session: Client;
const generations = new Map<string, number>();

const uuid = (number: string, kind: number) =>
  `('00000000-0000-4000-${8000 + kind}-' || lpad((${number})::text, 12, '0'))::uuid`;
const idOf = (number: number, kind: number) => `00000000-0000-4000-${8000 + kind}-${String(number).padStart(12, '0')}`;

beforeAll(async () => {
  server = await startTestDatabase();
  served = await serveCivic(server.url);
  session = new Client(clientConfig({ dsn: server.url, purpose: 'plans' }));
  await session.connect();
  const { rows } = await session.query<{ name: string; live: string }>(
    'select name, live_generation as live from civic.projections',
  );
  for (const { name, live } of rows) generations.set(name, Number(live));
  const search = AGENDA_SEARCH.at(generations.get(AGENDA_SEARCH.name)!);
  const { history } = RECORD_HISTORY.at(generations.get(RECORD_HISTORY.name)!);
  const items = MEETINGS * ITEMS_A_MEETING;
  await session.query(
    `insert into ${search.jurisdictions} (jurisdiction_id, slug, name, created_at) values (${uuid('1', 4)}, 'dallas', 'Dallas', 0)`,
  );
  await session.query(
    `insert into ${search.bodies} (body_id, jurisdiction_id, slug, name)
     select ${uuid('n', 2)}, ${uuid('1', 4)}, 'body-' || n, 'Body' from generate_series(0, ${BODIES - 1}) n`,
  );
  await session.query(
    `insert into ${search.meetings} (meeting_id, body_id, source_id, status, starts_at, day, period, timezone)
     select ${uuid('n', 1)}, ${uuid(`n % ${BODIES}`, 2)}, null, 'held', ${TEST_TIME} + (n - ${MEETINGS / 2})::bigint * ${HOUR_MS}, 0, 0, 'UTC'
     from generate_series(1, ${MEETINGS}) n`,
  );
  await session.query(
    `insert into ${search.items} (item_id, meeting_id, title, source_url, heading, matter_key)
     select ${uuid('n', 3)}, ${uuid(`1 + n % ${MEETINGS}`, 1)}, 'Item', 'https://example.org/', false, '26-' || n % ${MATTERS}
     from generate_series(1, ${items}) n`,
  );
  await session.query(
    `insert into ${search.entries} (item_id, starts_at, day, period, words, forms, matter)
     select ${uuid('n', 3)}, n, 0, 0, '', '', n % ${MATTERS} from generate_series(1, ${items}) n`,
  );
  // The meetings first: an item is newer than every meeting.
  const rowsOf = (resource: string, kind: number, after: number, count: number) =>
    `insert into ${history} (position, resource, record_id, version, removed, changed_at, superseded_at, envelope, body)
     select ${after} + n, '${resource}', ${uuid('n', kind)}, 1, false, 0, ${NOT_SUPERSEDED}, '', '{"sequence":1}' from generate_series(1, ${count}) n`;
  await session.query(rowsOf('meetings', 1, 0, MEETINGS));
  await session.query(rowsOf('agenda_items', 3, MEETINGS, items));
});
afterAll(async () => {
  await session?.end();
  await served?.close();
  await server?.close();
});

async function captureStatement(ask: (reads: LiveReads) => Promise<unknown>): Promise<Statement> {
  let statement: Statement | undefined;
  const live = (name: string) => generations.get(name)!;
  const reads = {
    rows: (build: (numbers: typeof live) => Statement) => {
      statement = build(live);
      return Promise.resolve([]);
    },
    many: (build: (numbers: typeof live) => TypedQuery<unknown>) => {
      statement = statementOf(build(live));
      return Promise.resolve([]);
    },
  } as unknown as LiveReads;
  await ask(reads);
  return statement!;
}

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}
const nodes = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];

/** Rows that a statement reads from tables. */
async function rowsRead({ text, values }: Statement): Promise<number> {
  const result = await session.query({
    text: `explain (analyze, timing off, format json) ${text}`,
    values: values as unknown[],
  });
  const [plan] = (result.rows[0] as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'];
  const scans = nodes(plan.Plan).filter((node) => node['Relation Name'] !== undefined);
  const read = scans.map(
    (node) => (node['Actual Loops'] ?? 1) * ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)),
  );
  return read.reduce((sum, rows) => sum + rows, 0);
}

const meetings = (reads: LiveReads) => createReadMeetings({ reads, clock: served.clock });

/** Rows of tables that stay small, such as those of bodies. */
const SMALL = 150;

describe.each(['without statistics', 'with fresh statistics'])('in tables %s', (state) => {
  beforeAll(async () => {
    if (state === 'with fresh statistics') await session.query('analyze');
  });

  test.each([
    [
      'the meetings of a body',
      (reads: LiveReads) =>
        meetings(reads).ofBodies({ bodyIds: [idOf(7, 2)], timezone: 'UTC', from: TEST_TIME, limit: 20 }),
      2 * (MEETINGS / BODIES) + SMALL,
    ],
    ['one meeting', (reads: LiveReads) => meetings(reads).byId(idOf(7, 1)), SMALL],
    ['the meeting of an item', (reads: LiveReads) => meetings(reads).ofItem(idOf(7, 3)), SMALL],
    ['the meetings that changed last', (reads: LiveReads) => meetings(reads).recentlyChanged(8), SMALL],
    [
      'the items of a meeting',
      (reads: LiveReads) => createReadMeetingItems(reads)(idOf(7, 1), { offset: 0, limit: 100, around: 160 }),
      20 * ITEMS_A_MEETING + SMALL,
    ],
    ['one item', (reads: LiveReads) => createGetAgendaItem({ reads, clock: served.clock })(idOf(7, 3)), SMALL],
    ['the documents of a meeting', (reads: LiveReads) => createReadMeetingDocuments(reads)(idOf(7, 1)), SMALL],
  ] as const)('%s are found without reading others', async (_what, ask, most) => {
    expect(await rowsRead(await captureStatement(ask))).toBeLessThanOrEqual(most);
  });
});
