import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECORD_KEYS } from '../../projections/record-keys/tables.ts';
import { REPORTS } from '../../projections/reports/tables.ts';
import { countOpenReports, readReportFigures } from '../../queries/reports/report-figures.ts';
import {
  foundRecords,
  knownReports,
  type ReportFilter,
  type WantedRecord,
} from '../../queries/reports/known-reports.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { Statement, TypedQuery } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openReports, type TestReports } from '../support/reports.ts';
import { testRuns } from '../support/test-runs.ts';
import { statementOf } from '../support/slonik-statements.ts';

const RECORDS = testRuns(60_000);
const SUBMITTED = testRuns(20_000);
const OPEN = 1000;

let database: TestDatabase;
let reports: TestReports;
let keys: number;
let generation: number;

beforeAll(async () => {
  database = await startTestDatabase();
  reports = await openReports(database.url);
  await reports.caughtUp(undefined, ['reports', 'record_keys']);
  [keys, generation] = [await reports.live('record_keys'), await reports.live('reports')];
  await reports.rows(`insert into ${RECORD_KEYS.at(keys).keys}
    select md5('r' || n)::uuid, 'agenda_items', md5('a' || n / 50)::uuid, n::text, '23-' || n / 3, md5('t' || n / 2)::uuid,
      case when n % 50 = 0 then (date '2020-01-01' + n / 500)::text end from generate_series(1, ${RECORDS}) n`);
  await reports.rows(`insert into ${REPORTS.at(generation).reports}
    select md5('p' || n)::uuid, md5('c' || n % 500)::uuid, case when n > ${OPEN} then 'not_found' when n % 9 = 0 then 'received' else 'investigating' end,
      n * 1000::bigint, n * 1000::bigint, case when n > ${OPEN} then n * 2000::bigint end, case when n <= ${OPEN} then n * 5000::bigint end,
      null, 'F', null, '[]', '{"sourceUrl":"https://example.org/","expectedRecord":"x"}', md5('a' || n)::uuid, md5('t' || n)::uuid, n::text,
      'dallas', (date '2020-01-01' + n % 900)::text, 2, 1, null, null, null from generate_series(1, ${SUBMITTED}) n`);
  for (const table of [RECORD_KEYS.at(keys).keys, REPORTS.at(generation).reports, REPORTS.at(generation).tallies])
    await reports.rows(`analyze ${table}`);
});
afterAll(async () => {
  await reports?.close();
  await database?.close();
});

/** The statements that a query sends. */
async function statementsOf(ask: (reads: LiveReads) => Promise<unknown>): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  const live = (name: string) => (name === 'reports' ? generation : keys);
  const reads = {
    many: (build: (numbers: typeof live) => TypedQuery<unknown>) => {
      statements.push(statementOf(build(live)));
      return Promise.resolve([]);
    },
  } as unknown as LiveReads;
  await ask(reads).catch(() => undefined);
  return statements;
}

/** Runs the statements with a generic plan, as prepared statements have. */
async function plans(ask: (reads: LiveReads) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  for (const { text, values } of await statementsOf(ask)) {
    await reports.database.transactor.transaction(async (transaction) => {
      await transaction.query({ text: 'set local plan_cache_mode = force_generic_plan', values: [] });
      const { rows } = await transaction.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values });
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    });
  }
  return plans.join('\n\n');
}

const wantedRecord: WantedRecord = {
  addressKey: derivedId('test', 'address'),
  titleKey: derivedId('test', 'title'),
  sourceRecordId: '61582',
  localDate: '2023-01-11',
};

test.each([
  ['all names', wantedRecord],
  ['an address alone', { ...wantedRecord, titleKey: null, sourceRecordId: null, localDate: null }],
])('records are found by %s without reading all of them', async (_, names) => {
  expect(await plans((reads) => foundRecords(reads, names))).not.toContain('Seq Scan');
});

const filters: readonly (readonly [string, ReportFilter])[] = [
  ['are due', { dueAt: 10_000 }],
  [
    'a record may answer',
    {
      mayBe: {
        addressKeys: [derivedId('test', 'a')],
        titleKeys: [derivedId('test', 't')],
        sourceRecordIds: ['1'],
        dates: ['2020-01-01'],
      },
    },
  ],
  ['have an id', { reportIds: [derivedId('test', 'report')] }],
  ['are open', { open: true }],
];
test.each(filters)('reports that %s are found without reading all of them', async (_, filter) => {
  expect(await plans((reads) => knownReports(reads, filter, 100))).not.toContain('Seq Scan on reports_g');
});

test('open reports are counted and measured without reading the closed ones', async () => {
  expect(await plans((reads) => countOpenReports(reads))).not.toContain('Seq Scan on reports_g');
  expect(await plans((reads) => readReportFigures(reads))).not.toContain('Seq Scan on reports_g');
  expect(await countOpenReports(reports.reads)).toBe(OPEN);
});
