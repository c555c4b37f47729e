import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RecordChange } from '../../commands/records/write-records.ts';
import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { RECORD_SCHEMAS, type RecordData, type Resource } from '../../domain/records/resources.ts';
import { mapBodies } from '../../src/sources/agendas/bodies.ts';
import { mapEvent } from '../../src/sources/agendas/map-event.ts';
import { bodyRow, eventItemRow, eventRow, parseRows } from '../../src/sources/agendas/rows.ts';
import { placeOfAdded } from '../../src/sources/place.ts';
import { taxonomyRecords } from '../../src/sources/taxonomy/taxonomy-records.ts';

const TIMES = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

/** The cities of the labelled set, in the order of every table. */
export const CITIES = [
  { client: 'cityofdallas', name: 'Dallas', timezone: 'America/Chicago' },
  { client: 'fortworthgov', name: 'Fort Worth', timezone: 'America/Chicago' },
  { client: 'nyc', name: 'New York', timezone: 'America/New_York' },
  { client: 'sanjose', name: 'San José', timezone: 'America/Los_Angeles' },
] as const;
type City = (typeof CITIES)[number];

export interface RecordedItem {
  /** `<client>/<EventItemId>`: the source's own numbers, so that a label outlives every change of the program. */
  readonly id: string;
  readonly city: string;
  /** The local day of the meeting, `YYYY-MM-DD`. */
  readonly day: string;
  readonly subject: ClassificationSubject;
}

const publishedAs = <R extends Resource>(resource: R, id: string, content: unknown): RecordData<R> =>
  ({ id, ...TIMES, ...RECORD_SCHEMAS[resource].parse(content) }) as unknown as RecordData<R>;

function upserts<R extends Resource>(changes: readonly RecordChange[], resource: R): RecordData<R>[] {
  return changes.flatMap((change) =>
    change.op === 'upsert' && change.resource === resource ? [publishedAs(resource, change.id, change.content)] : [],
  );
}

/** The shipped topics, as the classifier receives them. */
export const shippedTopics = (): readonly RecordData<'topics'>[] => upserts(taxonomyRecords(), 'topics');

const readArray = async (...parts: readonly string[]): Promise<unknown[]> =>
  JSON.parse(await readFile(path.join(...parts), 'utf8'));

interface Recording {
  readonly bodies: readonly unknown[];
  readonly events: readonly unknown[];
  readonly itemsOf: (eventId: number) => Promise<readonly unknown[]>;
}

/** San José is recorded as one event that carries its items; the other cities as the answers of the Web API. */
async function recordingOf(directory: string, { client }: City): Promise<Recording> {
  if (client !== 'sanjose') {
    const folder = path.join(directory, 'legistar-api', client);
    const [bodies, events] = await Promise.all([readArray(folder, 'bodies.json'), readArray(folder, 'events.json')]);
    return { bodies, events, itemsOf: (eventId) => readArray(folder, 'eventitems', `${eventId}.json`) };
  }
  const file = await readArray(directory, 'legistar', client, 'event-1080-with-items-and-matters.json');
  const events = file as { EventId: number; EventBodyId: number; EventBodyName: string; items: unknown[] }[];
  return {
    bodies: events.map((event) => ({ BodyId: event.EventBodyId, BodyName: event.EventBodyName })),
    events,
    itemsOf: async (eventId) => events.find((event) => event.EventId === eventId)?.items ?? [],
  };
}

async function itemsOfCity(directory: string, city: City): Promise<RecordedItem[]> {
  const { client, name, timezone } = city;
  const recording = await recordingOf(directory, city);
  const place = { ...placeOfAdded({ slug: client, name, timezone }), adopted: [] };
  const jurisdiction = upserts([place.jurisdiction!], 'jurisdictions')[0]!;
  const { places, changes } = mapBodies(
    client,
    place,
    parseRows(bodyRow, 'BodyId', 'body', recording.bodies).rows,
    new Map(),
  );
  const bodies = new Map(upserts(changes, 'public_bodies').map((body) => [body.id, body]));
  const items: RecordedItem[] = [];
  for (const event of parseRows(eventRow, 'EventId', 'event', recording.events).rows) {
    const body = places.get(event.EventBodyId);
    if (body === undefined) continue;
    const day = event.EventDate.slice(0, 10);
    const { rows } = parseRows(eventItemRow, 'EventItemId', 'item', await recording.itemsOf(event.EventId));
    const mapped = mapEvent(event, rows, { client, timezone, body, known: null });
    if (mapped.kind === 'skipped') continue;
    const parts = {
      meeting: upserts(mapped.changes, 'meetings')[0]!,
      body: bodies.get(body.publicBodyId)!,
      jurisdiction,
    };
    for (const item of upserts(mapped.changes, 'agenda_items')) {
      items.push({ id: `${client}/${item.sourceRecordId}`, city: name, day, subject: { item, ...parts } });
    }
  }
  return items;
}

/** Every recorded item with a matter file, as the sync publishes it; `directory` holds `legistar-api` and `legistar`. */
export async function recordedItems(directory: string): Promise<readonly RecordedItem[]> {
  const cities = await Promise.all(CITIES.map((city) => itemsOfCity(directory, city)));
  return cities.flat().filter(({ subject }) => subject.item.matterFile !== null);
}
