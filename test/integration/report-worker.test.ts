import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { turnReportSwitch } from '../../commands/reports/turn-switch.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { readSwitches, type ReportInput } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { LiveGeneration } from '../../domain/ports/projection.ts';
import type { TypedQuery } from '../../domain/ports/database.ts';
import { recordOfStream, reportStream } from '../../domain/streams.ts';
import { AgendaEvents, agendaId } from '../support/agenda-events.ts';
import { DAY_MS } from '../support/civic.ts';
import { copyTestDatabase, startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import type { KnownReport } from '../../queries/reports/known-reports.ts';
import { openReports, REPORT_MODEL_NAMES, type TestReports } from '../support/reports.ts';

const PAGE = 'https://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2526';
const TITLE =
  'A public hearing to receive comments regarding an application for a planned development district near Main Street';
const OTHER = 'Authorize a three-year service price agreement for the repair of fire hydrants and water valves';

/** A database with the published records, of which each test has a copy. */
let published: TestDatabase;
let database: TestDatabase;
let reports: TestReports;
let events: AgendaEvents;

function changeOf({ stream, type, data }: StoredEvent): RecordChange {
  const { resource, recordId } = recordOfStream(stream);
  return type === RECORD_PUBLISHED
    ? { op: 'upsert', resource, id: recordId, content: JSON.parse(data) as unknown }
    : { op: 'remove', resource, id: recordId };
}
async function write(...events: readonly (StoredEvent | readonly StoredEvent[])[]) {
  const outcomes = await reports.writer.write(events.flat().map(changeOf), {});
  expect(outcomes.map(({ kind }) => kind)).not.toContain('rejected');
}
const input = (more: Partial<ReportInput> = {}): ReportInput => ({ sourceUrl: PAGE, expectedRecord: TITLE, ...more });
const dallasSource = { officialSourceUrl: 'https://cityofdallas.legistar.com/Calendar.aspx' };
const at = (name: string, title: string, more: object = {}) =>
  events.item(name, 'session', { title, sourceUrl: PAGE, ...more });

const publishedEvents = () => [
  events.jurisdiction('dallas', { name: 'Dallas' }),
  events.body('dallas', { name: 'City Council' }),
  events.source('dallas', dallasSource),
  events.jurisdiction('addison', { name: 'Addison' }),
  events.meeting('session', 'dallas', '2023-01-11T15:00:00Z', {
    title: 'City Council',
    sourceUrl: PAGE,
    sourceRecordId: '2526',
  }),
  at('other', OTHER, { sourceRecordId: '61582', matterFile: '23-2' }),
  at('wanted', TITLE, { sourceRecordId: '61583', matterFile: '23-3' }),
];

beforeAll(async () => {
  published = await startTestDatabase();
  reports = await openReports(published.url);
  events = new AgendaEvents();
  await write(...publishedEvents());
  await reports.caughtUp(undefined, REPORT_MODEL_NAMES);
  await reports.close();
});
afterAll(() => published.close());

beforeEach(async () => {
  database = await copyTestDatabase(published);
  reports = await openReports(database.url);
  events = new AgendaEvents();
  reports.clock.advance(1000);
});

afterEach(async () => {
  await reports.close();
  await database.close();
});

const wantedId = agendaId('agenda_items', 'wanted');

test.each([
  ['its title at its address', input()],
  [
    'its title and its date at another address of the source',
    input({ sourceUrl: 'https://cityofdallas.legistar.com/LegislationDetail.aspx?ID=9', recordDate: '2023-01-11' }),
  ],
  ["the source's id", input({ expectedRecord: 'Some item', sourceRecordId: '61583' })],
  [
    'its file number and date',
    input({ expectedRecord: 'The planned development', sourceRecordId: '23-3', recordDate: '2023-01-11' }),
  ],
  ['the beginning of its title', input({ expectedRecord: TITLE.slice(0, 60) })],
  ['a text that quotes its title', input({ expectedRecord: `The item of the hearing: "${TITLE}" is not there` })],
])('a published item that is reported by %s is closed as already available with that record', async (_, reported) => {
  const reportId = await reports.submit('a', reported);
  const turn = await reports.turn();
  expect(turn).toMatchObject({
    examined: 1,
    moved: [{ reportId, to: 'already_available' }],
    skipped: [],
    stopped: null,
  });
  const report = await reports.report(reportId);
  expect(report).toMatchObject({
    status: 'already_available',
    verifiedRecords: [{ itemId: wantedId, sourceUrl: PAGE, title: TITLE }],
    nextCheckAt: null,
  });
  expect(report.finding).toContain(
    'Published by this service since 2026-01-01T00:00:00.000Z: agenda item "A public hearing',
  );
  expect(report.finding).toContain('Dallas City Council, 2023-01-11');
  expect(await reports.typesOf(reportStream(reportId))).toEqual([
    'DataReportLeased',
    'DataReportMoved',
    'DataReportMoved',
  ]);
  expect(await reports.leases.listValid(reports.clock.now())).toEqual([]);
});

test.each([
  ['names no item of the page', input({ expectedRecord: 'The ordinance about scooters' })],
  ['has the title on another date', input({ recordDate: '2023-01-12' })],
  [
    'has the title in another place',
    input({ jurisdictionSlug: 'fort-worth', sourceUrl: 'https://fortworthgov.legistar.com/x' }),
  ],
  ['says words that two items have', input({ expectedRecord: 'Authorize' })],
  ['is of a record stream', input({ recordKind: 'record_stream' })],
])('a report that %s is not closed as available', async (_, reported) => {
  await write(events.jurisdiction('fort-worth'), events.source('fort-worth', { publicBodyId: null }));
  const reportId = await reports.submit('a', reported);
  await reports.turn();
  const report = await reports.report(reportId);
  expect(report).toMatchObject({
    status: 'investigating',
    verifiedRecords: [],
    nextCheckAt: new Date(reports.clock.now() + DAY_MS).toISOString(),
  });
  expect(report.note).toContain('No published record could be matched to the report beyond doubt');
});

const agendaOf = 'The agenda of the City Council meeting of 12 May 2026';
const COUNCIL_PAGE = 'https://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=77';
const council = (more: object = {}) =>
  events.meeting('council', 'dallas', '2026-05-12T15:00:00Z', {
    title: 'City Council',
    sourceUrl: COUNCIL_PAGE,
    sourceRecordId: '77',
    ...more,
  });
const ofCouncil: Partial<ReportInput> = {
  recordKind: 'agenda',
  recordDate: '2026-05-12',
  jurisdictionSlug: 'dallas',
  sourceUrl: COUNCIL_PAGE,
};
/** Removes the fields that are undefined. */
const aboutCouncil = (expectedRecord: string, more: object) =>
  JSON.parse(JSON.stringify({ ...ofCouncil, expectedRecord, ...more })) as ReportInput;
const councilMinutes = () =>
  events.publish('documents', 'minutes', {
    meetingId: agendaId('meetings', 'council'),
    kind: 'minutes',
    title: 'City Council minutes',
    url: `${COUNCIL_PAGE}&minutes`,
  });

test.each([
  ['the page of the meeting', agendaOf, {}],
  ['the page of the meeting, without a date', agendaOf, { recordDate: undefined }],
  [
    'the calendar',
    'The agenda of the City Council of 12 May 2026',
    { sourceUrl: 'https://cityofdallas.legistar.com/Calendar.aspx' },
  ],
  ['the id of the meeting', 'Agenda PDF', { sourceRecordId: '77' }],
  ['the title of the meeting', 'Agenda', { meetingTitle: 'Agenda' }],
])(
  'a missing agenda that is reported by %s stays open where only the meeting is published',
  async (_, expectedRecord, named) => {
    const { meetingTitle, ...more } = named as Partial<ReportInput> & { readonly meetingTitle?: string };
    await write(
      council({ status: 'cancelled', ...(meetingTitle !== undefined && { title: meetingTitle }) }),
      councilMinutes(),
    );
    const reportId = await reports.submit('a', aboutCouncil(expectedRecord, more));
    await reports.turn();
    const report = await reports.report(reportId);
    expect(report).toMatchObject({ status: 'investigating', verifiedRecords: [] });
    const description = `meeting "${meetingTitle ?? 'City Council'}", Dallas City Council, 2026-05-12, meeting cancelled (${agendaId('meetings', 'council')})`;
    expect(report.finding).toBe(
      `Published by this service: ${description}. No agenda, agenda item or agenda document of it was found.`,
    );
    expect(report.note).toContain(description);
    reports.clock.advance(DAY_MS);
    await write(events.item('late', 'council', { title: 'Call to order', sourceUrl: COUNCIL_PAGE }));
    await reports.turn();
    expect(await reports.report(reportId)).toMatchObject({ status: 'resolved', reasonCode: 'publication_delay' });
  },
);

test.each<[string, string, () => StoredEvent | readonly StoredEvent[], object?]>([
  ['has an agenda item', agendaOf, () => events.item('first', 'council', { title: 'Call to order' })],
  [
    'has an agenda document',
    agendaOf,
    () =>
      events.publish('documents', 'agenda', {
        meetingId: agendaId('meetings', 'council'),
        kind: 'agenda',
        title: 'Agenda',
        url: `${COUNCIL_PAGE}&agenda`,
      }),
  ],
  [
    'has an agenda item, and the report no date',
    'Agenda of the City Council meeting',
    () => events.item('first', 'council', { title: 'Call to order' }),
    { recordDate: undefined },
  ],
  [
    'has an agenda item, among many of its title, and the report no date',
    'City Council Agenda Meeting',
    () => [
      council({ title: 'City Council Agenda Meeting' }),
      ...Array.from({ length: 25 }, (_, at) =>
        events.meeting(`other ${at}`, 'dallas', `2026-06-${at + 1}T15:00:00Z`.replace(/-(\d)T/, '-0$1T'), {
          title: 'City Council Agenda Meeting',
          sourceUrl: `${COUNCIL_PAGE}&other=${at}`,
        }),
      ),
      events.item('first', 'council', { title: 'Call to order' }),
    ],
    { recordDate: undefined },
  ],
  ['is itself what is missed', 'The City Council meeting of 12 May 2026 and its page', () => []],
])(
  'a report that only names a published meeting is closed where the meeting %s',
  async (_, expectedRecord, parts, more = {}) => {
    await write(council(), councilMinutes(), parts());
    reports.clock.advance(1000);
    const reportId = await reports.submit('a', aboutCouncil(expectedRecord, more));
    await reports.turn();
    const report = await reports.report(reportId);
    expect(report.status).toBe('already_available');
    expect(report.verifiedRecords.map(({ itemId }) => itemId)).toContain(agendaId('meetings', 'council'));
  },
);

test('two items with one title are both named on one page, and none on two pages', async () => {
  await write(at('twin', TITLE, { sequence: 9 }));
  const samePage = await reports.submit('a', input());
  await write(
    events.meeting('later', 'dallas', '2023-02-11T15:00:00Z', { title: 'City Council' }),
    events.item('third', 'later', { title: TITLE, sourceRecordId: 'x1' }),
  );
  const noPage = await reports.submit('a', input({ sourceUrl: 'https://cityofdallas.legistar.com/Other.aspx' }));
  await reports.turn();
  expect((await reports.report(samePage)).verifiedRecords.map(({ itemId }) => itemId).toSorted()).toEqual(
    [wantedId, agendaId('agenda_items', 'twin')].toSorted(),
  );
  const unclear = await reports.report(noPage);
  expect(unclear.status).toBe('investigating');
  expect(unclear.note).toContain(agendaId('agenda_items', 'third'));
});

test('a record that is published after the report resolves it, for the first time or again', async () => {
  await write(events.withdraw('agenda_items', 'wanted'));
  const [first, second] = [
    await reports.submit('a', input()),
    await reports.submit('b', input({ expectedRecord: 'New item of five telling words' })),
  ];
  await reports.turn();
  expect([(await reports.report(first)).status, (await reports.report(second)).status]).toEqual([
    'investigating',
    'investigating',
  ]);
  reports.clock.advance(2 * DAY_MS);
  const before = await reports.turn();
  expect(before).toMatchObject({ moved: [], noted: [first, second] });
  reports.clock.advance(3 * DAY_MS);
  await write(at('wanted', TITLE, { sourceRecordId: '61583' }), at('new', 'New item of five telling words'));
  await reports.turn();
  const resolved = await reports.report(first);
  expect(resolved).toMatchObject({
    status: 'resolved',
    reasonCode: 'publication_delay',
    verifiedRecords: [{ itemId: wantedId }],
  });
  expect(resolved.finding).toContain(`on ${new Date(reports.clock.now()).toISOString()}, after the report`);
  expect((await reports.report(second)).verifiedRecords).toMatchObject([{ itemId: agendaId('agenda_items', 'new') }]);
});

test('a second report of the same account is declined for the first; one of another account is not', async () => {
  const missing = { expectedRecord: 'A record that nobody has published yet' };
  const first = await reports.submit('a', input(missing));
  reports.clock.advance(10);
  const again = await reports.submit('a', input({ ...missing, sourceUrl: `${PAGE.replace('https', 'http')}#x` }));
  const other = await reports.submit('b', input(missing));
  const another = await reports.submit('a', input({ expectedRecord: 'Another record that nobody has published' }));
  await reports.turn();
  expect(await reports.report(again)).toMatchObject({ status: 'declined', reasonCode: 'duplicate_report' });
  expect((await reports.report(again)).finding).toContain(first);
  const statementOf = ({ status, reasonCode, finding, nextAction }: KnownReport) => ({
    status,
    reasonCode,
    finding,
    nextAction,
  });
  // A customer sees nothing of the reports of others.
  expect(statementOf(await reports.report(other))).toEqual(statementOf(await reports.report(another)));
  expect((await reports.report(other)).note).toContain(first);
  expect(await reports.report(first)).toMatchObject({ status: 'investigating', reasonCode: null });
  expect(await reports.report(another)).toMatchObject({ status: 'investigating', reasonCode: null });
});

test.each([
  ['of a place that the service does not know', { jurisdictionSlug: 'el-paso' }, 'no jurisdiction el-paso'],
  ['of a place without a source', { jurisdictionSlug: 'addison' }, 'follows no source of Addison'],
  ['at a host that no source has', { sourceUrl: 'https://www.austintexas.gov/a' }, 'is known to be at austintexas.gov'],
])('a report %s is out of scope at once', async (_, reported, message) => {
  const reportId = await reports.submit('a', input({ expectedRecord: 'Something else entirely', ...reported }));
  await reports.turn();
  const report = await reports.report(reportId);
  expect(report).toMatchObject({ status: 'out_of_scope', reasonCode: 'outside_coverage', nextCheckAt: null });
  expect(report.finding).toContain(message);
  // The research catalogue lists every place of the region, those without a source too.
  expect(report.nextAction).toMatch(/\(get_coverage, listPublicSourceStatuses\)/);
  expect(await reports.typesOf(reportStream(reportId))).toEqual(['DataReportLeased', 'DataReportMoved']);
});

test('an address that only resembles a covered place is left to a person', async () => {
  const reportId = await reports.submit(
    'a',
    input({ sourceUrl: 'https://dallascityhall.example.com/x', expectedRecord: 'Something else' }),
  );
  await reports.turn();
  expect((await reports.report(reportId)).status).toBe('investigating');
});

test('a report waits for a failing source, and is investigated once the source is read', async () => {
  const failing = {
    ...dallasSource,
    status: 'failing',
    consecutiveFailures: 3,
    lastCheckedAt: '2025-12-31T00:00:00.000Z',
  } as const;
  await write(events.source('dallas', failing));
  const reportId = await reports.submit('a', input({ expectedRecord: 'Something that is not there' }));
  await reports.turn();
  const waiting = await reports.report(reportId);
  expect(waiting).toMatchObject({ status: 'awaiting_source', reasonCode: 'source_unavailable' });
  expect(waiting.finding).toBe(
    'The last check of the Legistar source https://cityofdallas.legistar.com/Calendar.aspx failed (2025-12-31T00:00:00.000Z); no check has succeeded yet.',
  );
  reports.clock.advance(DAY_MS);
  await reports.turn();
  expect((await reports.report(reportId)).status).toBe('awaiting_source');
  await write(events.source('dallas', { ...dallasSource, lastSuccessfulCheckAt: '2026-01-02T00:00:00.000Z' }));
  reports.clock.advance(DAY_MS);
  await reports.turn();
  expect(await reports.report(reportId)).toMatchObject({ status: 'investigating', reasonCode: 'source_unavailable' });
});

test('a report waits for a source without a text layer as unreadable', async () => {
  await write(events.source('dallas', { ...dallasSource, agendaTextEvidence: 'no_text_layer' }));
  const reportId = await reports.submit('a', input({ expectedRecord: 'Something that is not there' }));
  await reports.turn();
  expect(await reports.report(reportId)).toMatchObject({ status: 'awaiting_source', reasonCode: 'source_unreadable' });
});

test('a waiting report is checked at growing intervals, and at least weekly', async () => {
  const reportId = await reports.submit('a', input({ expectedRecord: 'Something that is not there' }));
  await reports.turn();
  const waits: number[] = [];
  for (let round = 0; round < 6; round++) {
    const due = Date.parse((await reports.report(reportId)).nextCheckAt!);
    reports.clock.advance(due - reports.clock.now() - 1);
    expect(await reports.turn()).toMatchObject({ examined: 0 });
    reports.clock.advance(1);
    expect(await reports.turn()).toMatchObject({ noted: [reportId] });
    waits.push((Date.parse((await reports.report(reportId)).nextCheckAt!) - due) / DAY_MS);
  }
  expect(waits).toEqual([1, 2, 4, 7, 7, 7]);
});

test('a paused worker does nothing; with the daily budget spent it stops and continues the next day', async () => {
  const ids = [
    await reports.submit('a', input()),
    await reports.submit('b', input()),
    await reports.submit('c', input()),
  ];
  const turn = (paused: boolean) =>
    turnReportSwitch(reports, 'worker', { paused, by: 'test', reason: null }, reports.clock.now() + 10_000);
  await turn(true);
  expect(await reports.turn()).toMatchObject({ examined: 0, stopped: 'worker_paused' });
  await turn(false);
  const frugal = reports.parts({ dailyBudget: 2 }).worker;
  expect(await reports.turn(frugal)).toMatchObject({
    moved: [{ reportId: ids[0] }, { reportId: ids[1] }],
    stopped: 'budget_exhausted',
  });
  expect(await reports.turn(frugal)).toMatchObject({ moved: [], stopped: 'budget_exhausted' });
  reports.clock.advance(DAY_MS);
  expect(await reports.turn(frugal)).toMatchObject({ moved: [{ reportId: ids[2] }], stopped: null });
});

test('a switch with unreadable text is refused', async () => {
  const turn = (by: string, reason: string | null) =>
    turnReportSwitch(reports, 'worker', { paused: true, by, reason }, reports.clock.now() + 10_000);
  for (const turned of [
    await turn('test', 'x'.repeat(501)),
    await turn('test', ''),
    await turn('', null),
    await turn('x'.repeat(201), null),
  ]) {
    expect(turned).toMatchObject({ kind: 'rejected', rejection: { code: 'invalid_input' } });
  }
  expect((await readSwitches(reports.log)).worker.paused).toBe(false);
  expect(await turn('x'.repeat(200), 'x'.repeat(500))).toMatchObject({ kind: 'appended' });
  expect((await readSwitches(reports.log)).worker.paused).toBe(true);
});

test('a report that a person holds is left alone, and uses no budget', async () => {
  const reportId = await reports.submit('a', input());
  const lease = await reports.leases.take({
    reportId,
    holder: 'ann',
    now: reports.clock.now(),
    leaseMs: 60_000,
    above: 0,
    budget: 9,
  });
  expect(lease.kind).toBe('taken');
  expect(await reports.turn()).toMatchObject({ moved: [], skipped: [{ reportId, code: 'lease_conflict' }] });
  expect(await reports.leases.countBegun(reports.clock.now())).toBe(1);
  reports.clock.advance(60_001);
  expect(await reports.turn()).toMatchObject({ moved: [{ reportId, to: 'already_available' }] });
});

test('a report that fails does not stop the others', async () => {
  const ids = [await reports.submit('a', input()), await reports.submit('b', input())];
  const { worker } = reports.parts();
  let calls = 0;
  const poisoned = {
    ...worker,
    reads: {
      ...worker.reads,
      many: async <Row>(build: (live: LiveGeneration) => TypedQuery<Row>) =>
        worker.reads.many((live) =>
          build((projection) => {
            if (projection === 'record_keys' && (calls += 1) === 1) throw new Error('this one cannot be looked up');
            return live(projection);
          }),
        ),
    },
  };
  const turn = await reports.turn(poisoned);
  const [bad] = turn.failed;
  expect(turn.failed).toEqual([{ reportId: bad!.reportId, reason: 'this one cannot be looked up' }]);
  expect(turn.moved).toEqual([{ reportId: ids.find((id) => id !== bad!.reportId), to: 'already_available' }]);
  expect(reports.logger.errors.join()).toContain(bad!.reportId);
  expect(await reports.turn()).toMatchObject({ moved: [{ reportId: bad!.reportId }], failed: [] });
});
