import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import { agendaConnector } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';

export const PLACE = { slug: 'example-county', name: 'Example County', timezone: 'America/Chicago' };

export type Row = Record<string, unknown>;

/** An event of body 7. */
export const event = (EventId: number, fields: Row = {}): Row => ({
  EventId,
  EventBodyId: 7,
  EventBodyName: 'Commissioners Court',
  EventDate: '2026-09-15T00:00:00',
  EventTime: '9:00 AM',
  EventAgendaStatusName: 'Final',
  EventInSiteURL: `https://site.example.org/meetings/${EventId}`,
  ...fields,
});

export const item = (EventItemId: number, EventItemTitle: string): Row => ({
  EventItemId,
  EventItemTitle,
  EventItemAgendaSequence: EventItemId % 100,
});

export type TestSource = ReturnType<typeof testSource>;

/** A client whose lists a test changes. */
export function testSource(
  records: MemoryRecords,
  client: string,
  platform: Partial<AgendaReader['platform']> = {},
  place = PLACE,
) {
  const source = {
    bodies: [{ BodyId: 7, BodyName: 'Commissioners Court' }] as Row[],
    events: [] as Row[],
    items: new Map<number, Row[]>(),
    /** Ids of events whose items were read. */
    reads: [] as number[],
    now: Date.parse('2026-09-20T12:00:00Z'),
    listedFrom: null as string | null,
  };
  const reader: AgendaReader = {
    platform: { sourceType: 'other', label: client, ...platform },
    get listedFrom() {
      return source.listedFrom;
    },
    bodies: async () => source.bodies,
    events: async () => source.events,
    event: async (eventId) => source.events.find(({ EventId }) => EventId === eventId) ?? null,
    eventItems: async (eventId) => {
      source.reads.push(eventId);
      return source.items.get(eventId) ?? [];
    },
  };
  const connector = agendaConnector(() => reader, '');
  const clock = { now: () => source.now, sleep: async () => undefined };
  return Object.assign(source, {
    /** `known` is what the sync knows of the records: by default, all. */
    sync: (known: PublishedRecords = records) =>
      connector.sync({ client, place, options: {} }, { writer: records, known, clock }),
    async remove() {
      const own = await connector.records({ client, place }, records);
      await records.write(own.map((record) => ({ op: 'remove', ...record })));
    },
  });
}

/** A copy of the records, which a sync knows that begins before another one has written. */
export function copyOf(records: MemoryRecords): MemoryRecords {
  const copy = new MemoryRecords();
  for (const [id, record] of records.records) copy.records.set(id, record);
  return copy;
}

const REFERENCES = ['publicBodyId', 'sourceId', 'meetingId', 'agendaId', 'agendaItemId', 'documentId'] as const;

/** References to records that are not there. */
export const danglingOf = (records: MemoryRecords): readonly string[] =>
  [...records.records.values()].flatMap(({ resource, id, content }) =>
    REFERENCES.filter((field) => typeof content[field] === 'string' && !records.records.has(content[field])).map(
      (field) => `${resource} ${id} ${field}`,
    ),
  );
