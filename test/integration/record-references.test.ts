import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import { type Database, openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { recordReferences, REFERENCE_FIELDS } from '../../projections/record-references/projection.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import { RECORD_PUBLISHED, RECORD_WITHDRAWN } from '../../domain/events/record-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import { RECORD_SCHEMAS, type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { recordStream } from '../../domain/streams.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { foldInto } from '../support/projection-spec.ts';

const GENERATION = 1;
const [MEETING, OTHER, ITEM, AGENDA] = ['meeting', 'other', 'item', 'agenda'].map((name) =>
  derivedId('test', name),
) as [string, string, string, string];

let server: TestDatabase;
let database: Database;
const newest = new Map<string, StoredEvent>();
let position = 0;

function event(resource: Resource, id: string, data: object | null): StoredEvent {
  const stream = recordStream(resource, id);
  const stored: StoredEvent = {
    position: String(++position).padStart(20, '0') as Position,
    stream,
    revision: (newest.get(stream)?.revision ?? -1) + 1,
    id: derivedId('event', position),
    type: data === null ? RECORD_WITHDRAWN : RECORD_PUBLISHED,
    schemaVersion: 1,
    data: JSON.stringify(data === null ? {} : { id, ...data }),
    metadata: '{}',
    time: 0,
  };
  newest.set(stream, stored);
  return stored;
}

const fold = (batch: readonly StoredEvent[]) => foldInto(database, recordReferences, GENERATION, batch);

const readRecords = () =>
  publishedRecords(createLiveReads(database.read), {
    readLast: async (streams) =>
      new Map(streams.flatMap((stream) => (newest.has(stream) ? [[stream, newest.get(stream)!] as const] : []))),
  });

beforeAll(async () => {
  server = await startTestDatabase();
  database = await openDatabase({ dsn: server.url, statementTimeoutMs: 10_000 });
  await database.transactor.transaction(async (transaction) => {
    for (const text of recordReferences.create(GENERATION)) await transaction.query({ text, values: [] });
    await transaction.query({
      text: 'insert into civic.projections (name, live_generation) values ($1, $2)',
      values: [recordReferences.name, GENERATION],
    });
  });
});

afterAll(async () => {
  await database?.close();
  await server?.close();
});

describe('the references of records', () => {
  it('are exactly the fields of the schemas that contain the id of another record', () => {
    for (const resource of RESOURCES) {
      const fields = Object.keys(RECORD_SCHEMAS[resource].shape).filter(
        (field) => field.endsWith('Id') && field !== 'sourceRecordId',
      );
      expect([resource, REFERENCE_FIELDS[resource]]).toEqual([resource, fields]);
    }
  });

  it('follow a record that is published, changed within a batch, withdrawn and published again', async () => {
    const referring = (target: string) => readRecords().referring('agenda_items', 'meetingId', [target]);
    await fold([
      event('agenda_items', ITEM, { meetingId: MEETING, agendaId: null }),
      event('agendas', AGENDA, { meetingId: MEETING, documentId: null }),
    ]);
    expect(await referring(MEETING)).toEqual([ITEM]);
    expect(await readRecords().referring('agendas', 'meetingId', [MEETING, OTHER])).toEqual([AGENDA]);
    expect(await readRecords().referring('agenda_items', 'agendaId', [AGENDA])).toEqual([]);

    await fold([
      event('agenda_items', ITEM, null),
      event('agenda_items', ITEM, { meetingId: OTHER, agendaId: AGENDA }),
    ]);
    expect(await referring(MEETING)).toEqual([]);
    expect(await referring(OTHER)).toEqual([ITEM]);
    expect(await readRecords().referring('agenda_items', 'agendaId', [AGENDA])).toEqual([ITEM]);

    await fold([event('agenda_items', ITEM, null)]);
    expect(await referring(OTHER)).toEqual([]);
    await fold([event('agenda_items', ITEM, { meetingId: MEETING, agendaId: null })]);
    expect(await referring(MEETING)).toEqual([ITEM]);
    expect(await referring(OTHER)).toEqual([]);
  });

  it('leave the same rows for single events and for one batch', async () => {
    const [first, second] = ['first', 'second'].map((name) => derivedId('test', name)) as [string, string];
    const events = [
      event('documents', first, { meetingId: MEETING, agendaItemId: ITEM }),
      event('documents', second, { meetingId: MEETING, agendaItemId: null }),
      event('documents', first, null),
      event('documents', second, { meetingId: OTHER, agendaItemId: ITEM }),
    ];
    const rows = async () => {
      const [meeting, other, item] = await Promise.all([
        readRecords().referring('documents', 'meetingId', [MEETING]),
        readRecords().referring('documents', 'meetingId', [OTHER]),
        readRecords().referring('documents', 'agendaItemId', [ITEM]),
      ]);
      return { meeting, other, item };
    };
    for (const one of events) await fold([one]);
    const oneByOne = await rows();
    expect(oneByOne).toEqual({ meeting: [], other: [second], item: [second] });
    await database.transactor.transaction((transaction) =>
      transaction.query({
        text: `delete from ${recordReferences.tables(GENERATION)[0]} where resource = 'documents'`,
        values: [],
      }),
    );
    await fold(events);
    expect(await rows()).toEqual(oneByOne);
  });

  it('give the data of current records and nothing for withdrawn or unknown ones', async () => {
    const withdrawn = derivedId('test', 'withdrawn');
    event('meetings', withdrawn, { title: 'gone' });
    event('meetings', withdrawn, null);
    event('meetings', MEETING, { title: 'here' });
    const current = await readRecords().current('meetings', [MEETING, withdrawn, OTHER]);
    expect([...current]).toEqual([[MEETING, { id: MEETING, title: 'here' }]]);
  });
});
