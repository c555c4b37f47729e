import { beforeEach, describe, expect, it } from 'vitest';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { agendaItemId } from '../../../src/sources/agendas/own-records.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { upsert } from '../../../src/sources/source.ts';
import { MemoryRecords } from './memory-records.ts';
import { readRecording, type Recording } from './replay-server.ts';

const CLIENT = 'fortworthgov';
const clock = { now: () => Date.parse('2026-04-20T12:00:00Z'), sleep: async () => undefined };
const AGENDA: readonly (readonly [id: number, title: string, fields?: Readonly<Record<string, unknown>>])[] = [
  [9101, 'AGENDA\nCOUNCIL MEETING\nTUESDAY, MARCH 31, 2026\nORDER OF BUSINESS'],
  [9102, 'Invocation and Pledge of Allegiance'],
  [9103, 'CONSENT AGENDA'],
  [9104, 'Authorize a contract for benches', { EventItemMatterFile: '26-0101', EventItemAgendaNumber: '1.' }],
  [9105, 'Page Break'],
  [9106, 'Department of Streets'],
  [9107, 'Authorize a contract for lamps', { EventItemMatterFile: '26-0102', EventItemAgendaNumber: '2.' }],
  [9108, 'NOTE: Item 2 must be considered before Item 1.'],
  [9109, 'ADJOURNMENT'],
];

let recording: Recording;
let records: MemoryRecords;

const reader: AgendaReader = {
  platform: { sourceType: 'legistar', label: 'Legistar' },
  bodies: async () => recording.bodies,
  events: async () => recording.events,
  event: async () => null,
  eventItems: async (eventId) => recording.items.get(eventId) ?? [],
};
const sync = () => {
  records.log.length = 0;
  return syncAgendas(reader, { client: CLIENT, options: {} }, { writer: records, known: records, clock });
};
const itemsOf = () => records.all('agenda_items').map(({ content }) => content);
const agendaOf = (eventId: string) => {
  const meeting = records.all('meetings').find(({ content }) => content.sourceRecordId === eventId)!;
  return records.one('agendas', 'meetingId', meeting.id);
};

beforeEach(async () => {
  recording = await readRecording(CLIENT);
  recording.items.clear();
  const rows = AGENDA.map(([EventItemId, EventItemTitle, fields], index) => ({
    EventItemId,
    EventItemTitle,
    EventItemAgendaSequence: index + 1,
    ...fields,
  }));
  recording.items.set(9001, rows);
  records = new MemoryRecords();
  await records.write(catalogueRecords());
});

describe('a sync of an agenda with headings', () => {
  it('writes the kind of each row and the section of each item, and skips rows that are not records', async () => {
    const report = await sync();
    expect(itemsOf().map(({ sourceRecordId, kind, section }) => [sourceRecordId, kind, section])).toEqual([
      ['9102', 'procedural', undefined],
      ['9103', 'heading', undefined],
      ['9104', 'item', 'CONSENT AGENDA'],
      ['9106', 'heading', undefined],
      ['9107', 'item', 'Department of Streets'],
      ['9109', 'procedural', undefined],
    ]);
    expect(agendaOf('9001')).toMatchObject({ itemCount: 2 });
    const layout = { what: 'item', reason: 'is a layout mark, such as a page break', isIntended: true };
    const notice = { what: 'item', reason: 'is a note about the meeting or its agenda, not an item', isIntended: true };
    expect(report.skipped).toEqual([
      { ...layout, id: '9101' },
      { ...layout, id: '9105' },
      { ...notice, id: '9108' },
    ]);
    expect(records.all('sources').every(({ content }) => content['lastCheckSkipped'] === undefined)).toBe(true);
  });

  it('counts the event as degraded where no row is an item, unless it was cancelled', async () => {
    const only = (title: string) => [{ EventItemId: 9201, EventItemTitle: title, EventItemAgendaSequence: 1 }];
    recording.items.set(9001, only('CALL TO ORDER'));
    recording.items.set(9002, only('The council meeting scheduled for Tuesday, March 24, 2026, has been cancelled.'));
    const reasons = (await sync()).degraded.filter(({ id }) => id === '9001' || id === '9002');
    expect(reasons).toEqual([
      {
        what: 'event',
        id: '9001',
        reason: 'the agenda has text but no item was recognized',
        address: 'https://example.legistar.example.org/View.ashx?M=A&ID=9001',
      },
    ]);
  });
});

describe('records that the version before wrote, which had no kinds', () => {
  /** The rows as earlier versions stored them: each is an item, and the agenda counts them all. */
  async function storeAsBefore() {
    await sync();
    const before = itemsOf().map(({ kind: _kind, section: _section, ...content }) => content);
    const like = before[0]!;
    const rows = [9101, 9105, 9108].map((id) => ({
      ...like,
      sourceRecordId: String(id),
      sequence: id - 9100,
      title: AGENDA[id - 9101]![1].replaceAll('\n', ' '),
    }));
    const sources = records
      .all('sources')
      .map(({ id, content: { readingVersion: _version, ...content } }) => ({ id, content }));
    const agenda = records.all('agendas').find(({ content }) => content['itemCount'] === 2)!;
    await records.write([
      ...[...before, ...rows].map((content) =>
        upsert('agenda_items', agendaItemId(CLIENT, String(content['sourceRecordId'])), content as never),
      ),
      ...sources.map(({ id, content }) => upsert('sources', id, content as never)),
      upsert('agendas', agenda.id, { ...agenda.content, itemCount: 9 } as never),
    ]);
  }

  it('follow by ordinary changes, and a second sync appends nothing', async () => {
    await storeAsBefore();
    const report = await sync();
    expect(report).toMatchObject({ removed: 3, appended: 6 + 1 + 3, rejected: [] });
    const reasons = records.log.flatMap(({ op, resource, id, reason }) =>
      op === 'remove' ? [[id, [resource, reason]] as const] : [],
    );
    const layout = ['agenda_items', 'left out: is a layout mark, such as a page break'];
    expect(Object.fromEntries(reasons)).toEqual({
      [agendaItemId(CLIENT, 9101)]: layout,
      [agendaItemId(CLIENT, 9105)]: layout,
      [agendaItemId(CLIENT, 9108)]: [
        'agenda_items',
        'left out: is a note about the meeting or its agenda, not an item',
      ],
    });
    expect(agendaOf('9001')).toMatchObject({ itemCount: 2 });
    expect(itemsOf().map(({ kind }) => kind)).toEqual(expect.arrayContaining(['item', 'heading', 'procedural']));
    expect(await sync()).toMatchObject({ removed: 0, appended: 0 });
  });
});
