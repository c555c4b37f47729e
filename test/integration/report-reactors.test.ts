import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { turnReportSwitch } from '../../commands/reports/turn-switch.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { LOG_START, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Reactor } from '../../domain/ports/reactors.ts';
import { accountReportsStream, recordOfStream } from '../../domain/streams.ts';
import { REPORT_SETTLER, REPORT_WORKER } from '../../src/processors/reactors/reports/report-reactors.ts';
import { runReactor } from '../../src/processors/runtime/run-reactor.ts';
import { AgendaEvents, agendaId } from '../support/agenda-events.ts';
import { untilTrue } from '../support/civic.ts';
import { hurriedClock } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openReports, type TestReports } from '../support/reports.ts';

const PAGE = 'https://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2526';
const TITLE = 'A public hearing to receive comments regarding an application for a planned development district';

let database: TestDatabase;
let reports: TestReports;
let events: AgendaEvents;
let store: ReturnType<typeof createProcessorStore>;
const stops: (() => Promise<void>)[] = [];

function changeOf({ stream, type, data }: StoredEvent): RecordChange {
  const { resource, recordId } = recordOfStream(stream);
  return type === RECORD_PUBLISHED
    ? { op: 'upsert', resource, id: recordId, content: JSON.parse(data) as unknown }
    : { op: 'remove', resource, id: recordId };
}
const write = async (...events: readonly StoredEvent[]) => reports.writer.write(events.map(changeOf), {});
const item = () => events.item('wanted', 'session', { title: TITLE, sourceUrl: PAGE });
const input = { sourceUrl: PAGE, expectedRecord: TITLE };

function run(reactors: readonly Reactor[] = reports.parts().reactors): () => Promise<void> {
  const stopping = new AbortController();
  const owner = `test ${process.pid} ${stops.length}`;
  const ended = reactors.map((reactor) =>
    runReactor(
      { log: reports.log, store, leaseClock: hurriedClock, logger: reports.logger, owner, leaseMs: 2000 },
      reactor,
      stopping.signal,
    ),
  );
  const stop = async () => {
    stopping.abort();
    await Promise.all(ended);
  };
  stops.push(stop);
  return stop;
}
const atRest = (...names: readonly string[]) =>
  untilTrue(`${names.join()} have followed the log to its end`, async () => {
    const rows = (await store.listReactors()).filter(({ name }) => names.includes(name));
    for (const { pausedReason } of rows) if (pausedReason !== null) throw new Error(`paused: ${pausedReason}`);
    const head = await reports.log.head();
    return rows.length === names.length && rows.every(({ checkpoint }) => checkpoint === head);
  });
const accountEvents = (account: string) => reports.typesOf(accountReportsStream(derivedId('test', 'account', account)));

beforeEach(async () => {
  database = await startTestDatabase();
  reports = await openReports(database.url);
  store = createProcessorStore(reports.database.transactor);
  events = new AgendaEvents();
  await write(
    events.jurisdiction('dallas', { name: 'Dallas' }),
    events.body('dallas', { name: 'City Council' }),
    events.source('dallas', { officialSourceUrl: 'https://cityofdallas.legistar.com/Calendar.aspx' }),
    events.meeting('session', 'dallas', '2023-01-11T15:00:00Z', { title: 'City Council', sourceUrl: PAGE }),
    item(),
  );
  reports.clock.advance(1000);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await reports.close();
  await database.close();
});

test('a report of an existing record closes by itself, and its account is notified', async () => {
  run();
  const reportId = await reports.submit('a', input);
  await atRest(REPORT_WORKER, REPORT_SETTLER);
  expect(await reports.report(reportId)).toMatchObject({ status: 'already_available' });
  expect(await accountEvents('a')).toEqual(['DataReportSubmitted', 'DataReportSettled']);
});

test.each([
  ['heading', 'investigating'],
  ['procedural', 'already_available'],
] as const)('a report of a record that is published as %s is %s', async (kind, status) => {
  await write(events.item('wanted', 'session', { title: TITLE, sourceUrl: PAGE, kind }));
  const reportId = await reports.submit('a', input);
  await reports.turn();
  expect(await reports.report(reportId)).toMatchObject({ status });
});

test('a record that is published again resolves the waiting report, without a regular turn', async () => {
  await write(events.withdraw('agenda_items', 'wanted'));
  run();
  const reportId = await reports.submit('a', input);
  await atRest(REPORT_WORKER, REPORT_SETTLER);
  expect(await reports.report(reportId)).toMatchObject({ status: 'investigating' });
  expect(await accountEvents('a')).toEqual(['DataReportSubmitted']);
  reports.clock.advance(5000);
  await write(item());
  await atRest(REPORT_WORKER, REPORT_SETTLER);
  expect(await reports.report(reportId)).toMatchObject({
    status: 'resolved',
    verifiedRecords: [{ itemId: agendaId('agenda_items', 'wanted'), sourceUrl: PAGE }],
  });
  expect(await accountEvents('a')).toEqual(['DataReportSubmitted', 'DataReportSettled']);
});

test('a closing that was delivered is not delivered twice, by any process and from any position', async () => {
  await reports.submit('a', input);
  await reports.turn();
  for (let round = 0; round < 3; round++) {
    const stop = run();
    await atRest(REPORT_SETTLER);
    await stop();
    expect(await accountEvents('a')).toEqual(['DataReportSubmitted', 'DataReportSettled']);
    await reports.rows('update civic.processors set checkpoint = $1, owner = null', [LOG_START]);
  }
});

test('a closing that was not delivered, because its process died, is delivered by the next one', async () => {
  await reports.submit('a', input);
  await reports.turn();
  expect(await accountEvents('a')).toEqual(['DataReportSubmitted']);
  run();
  await atRest(REPORT_SETTLER);
  expect(await accountEvents('a')).toEqual(['DataReportSubmitted', 'DataReportSettled']);
});

test('a paused worker follows the log and does no work; a resumed one processes all open reports', async () => {
  const turn = (paused: boolean) =>
    turnReportSwitch(reports, 'worker', { paused, by: 'test', reason: null }, reports.clock.now() + 10_000);
  await write(events.withdraw('agenda_items', 'wanted'));
  const waiting = await reports.submit('a', input);
  await reports.turn();
  await turn(true);
  run();
  const fresh = await reports.submit('b', { ...input, expectedRecord: 'Something that nobody knows' });
  reports.clock.advance(5000);
  await write(item());
  await atRest(REPORT_WORKER);
  expect([(await reports.report(waiting)).status, (await reports.report(fresh)).status]).toEqual([
    'investigating',
    'received',
  ]);
  await turn(false);
  await atRest(REPORT_WORKER, REPORT_SETTLER);
  expect([(await reports.report(waiting)).status, (await reports.report(fresh)).status]).toEqual([
    'resolved',
    'investigating',
  ]);
});

test('two workers that share the work have the same result as one', async () => {
  const ids: string[] = [];
  for (let number = 0; number < 12; number++) {
    ids.push(
      await reports.submit(
        `account ${number}`,
        number % 2 === 0 ? input : { ...input, expectedRecord: `Unknown ${number}` },
      ),
    );
  }
  const workers = [1, 2, 3].map(() => reports.turn(reports.parts().worker));
  const results = await Promise.all(workers);
  expect(results.flatMap(({ moved }) => moved.map(({ reportId }) => reportId)).toSorted()).toEqual(ids.toSorted());
  for (const [number, id] of ids.entries()) {
    expect((await reports.report(id)).status).toBe(number % 2 === 0 ? 'already_available' : 'investigating');
  }
});
