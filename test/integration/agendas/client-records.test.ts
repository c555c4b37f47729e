import { beforeEach, expect, test } from 'vitest';
import type { RecordWriter } from '../../../commands/records/write-records.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import { systemClock } from '../../../infra/system/clock.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { agendaConnector } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { readRecording, type Recording } from './replay-server.ts';

const PLACE = { slug: 'example-city', name: 'Example City', timezone: 'America/New_York' };

let records: MemoryRecords;
let recording: Recording;
/** The records before the first sync. */
let before: MemoryRecords['records'];

beforeEach(async () => {
  recording = await readRecording('fortworthgov');
  records = new MemoryRecords();
  await records.write(catalogueRecords());
  before = new Map(records.records);
});

const connector = agendaConnector(
  (): AgendaReader => ({
    platform: { sourceType: 'legistar', label: 'Legistar' },
    bodies: async () => recording.bodies,
    events: async () => recording.events,
    event: async () => null,
    eventItems: async (eventId) => recording.items.get(eventId) ?? [],
  }),
  '',
);
const sync = (client: string, writer: RecordWriter = records) =>
  connector.sync({ client, place: PLACE, options: {} }, { writer, known: records, clock: systemClock });

/** Stops at the change with this number, as a process does that is killed. */
function cutOffAfter(changes: number): RecordWriter {
  let failuresLeft = changes;
  return {
    write: async (changes) => {
      const outcomes = await records.write(changes.slice(0, failuresLeft));
      failuresLeft -= outcomes.length;
      if (outcomes.length < changes.length) throw new Error('killed');
      return outcomes;
    },
  };
}

async function removeRecordsOf(client: string): Promise<void> {
  const own = await connector.records({ client, place: PLACE }, records);
  await records.write(own.map((record) => ({ op: 'remove', ...record })));
}

test('wherever a first sync was cut off, the removal of its records leaves none of them', async () => {
  const { appended } = await sync('whole');
  await removeRecordsOf('whole');
  expect(records.records).toEqual(before);
  for (let changes = 1; changes <= appended; changes++) {
    await expect(sync('cut', cutOffAfter(changes))).rejects.toThrow('killed');
    await removeRecordsOf('cut');
    expect([changes, new Set(records.records.keys()).difference(before)]).toEqual([changes, new Set()]);
  }
});

test('a body of the place that another sender has published stays, with the place', async () => {
  await sync('one');
  const [body] = records.all('public_bodies').filter(({ id }) => !before.has(id));
  const imported = '11111111-1111-4111-8111-111111111111';
  await records.write([
    {
      op: 'upsert',
      resource: 'public_bodies',
      id: imported,
      content: { ...body!.content, slug: 'imported', name: 'Imported' },
    },
  ]);
  await removeRecordsOf('one');
  const added = [...records.records.values()].filter(({ id }) => !before.has(id));
  expect(added.map(({ resource, content }) => `${resource} ${String(content.slug)}`)).toEqual([
    'jurisdictions example-city',
    'public_bodies imported',
  ]);
});
