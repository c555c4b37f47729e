import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraseContent } from '../../commands/erasure/erase-content.ts';
import { createFactsRenewal } from '../../commands/records/renew-facts.ts';
import { FACTS_VERSION } from '../../domain/agenda/item-facts.ts';
import { NO_STREAM, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { RecordContent, RecordData } from '../../domain/records/resources.ts';
import { recordStream } from '../../domain/streams.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import { createFactsReactor } from '../../src/processors/reactors/facts/facts-reactor.ts';
import { verifyProjection } from '../../src/processors/projector/compare-with-live.ts';
import { runReactor } from '../../src/processors/runtime/run-reactor.ts';
import { AgendaEvents, agendaId } from '../support/agenda-events.ts';
import { openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { hurriedClock } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { untilAtEnd } from '../support/until-reached.ts';

const TITLE = 'Authorize a contract with Example Paving, LLC at 12 Example Street, not to exceed $1,250.00';
const NAMES = ['contract', 'roll call', 'heading', 'own facts', 'changed'] as const;
const REACTOR = `facts_${FACTS_VERSION}`;

let database: TestDatabase;
let civic: TestCivic;
let events: AgendaEvents;
const stopping: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await startTestDatabase();
  civic = await openTestCivic(database.url);
  events = new AgendaEvents();
  civic.startProjector();
});
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
  await civic?.close();
  await database?.close();
});

/** Appends an event as a version of the service without facts wrote it. */
async function append({ stream, id, type, data, revision }: StoredEvent): Promise<void> {
  const event = { id, type, data, schemaVersion: 4, metadata: { commandId: id }, time: civic.clock.now() };
  const expectedRevision = revision === 0 ? NO_STREAM : revision - 1;
  const outcome = await civic.log.append({ stream, expectedRevision, events: [event] });
  expect(outcome.kind).toBe('appended');
}

async function writeBefore(): Promise<void> {
  await append(events.item('contract', 'past', { title: TITLE }));
  await append(events.item('roll call', 'past', { title: 'Roll call' }));
  await append(events.item('heading', 'past', { title: TITLE, kind: 'heading' }));
  await append(events.item('changed', 'past', { title: 'Buy 3 chairs for $30.00' }));
  await append(events.item('changed', 'past', { title: TITLE }));
  const content: RecordContent<'agenda_items'> = {
    meetingId: agendaId('meetings', 'past'),
    sequence: 5,
    title: TITLE,
    amounts: [{ value: 7, currency: 'USD', role: 'total', field: 'title', offset: 0, sourceText: 'Authorize' }],
    sourceUrl: 'https://example.org/i/5',
  };
  await civic.writer.write(
    [{ op: 'upsert', resource: 'agenda_items', id: agendaId('agenda_items', 'own facts'), content }],
    {},
  );
}

function start(renew = createFactsRenewal({ ...civic, deadlineMs: 20_000 })) {
  const store = createProcessorStore(civic.database.transactor);
  const controller = new AbortController();
  const parts = { log: civic.log, store, leaseClock: hurriedClock, logger: civic.logger, owner: 'one', leaseMs: 1500 };
  const ended = runReactor(parts, createFactsReactor(renew), controller.signal);
  const stop = async () => {
    controller.abort();
    await ended;
  };
  stopping.push(stop);
  const row = async () => (await store.listReactors()).find(({ name }) => name === REACTOR);
  const atEnd = () => untilAtEnd('the reactor', civic.log, async () => (await row())?.checkpoint);
  return { stop, atEnd };
}

const item = async (name: string) => {
  const id = agendaId('agenda_items', name);
  return (await publishedRecords(civic.reads, civic.log).current('agenda_items', [id])).get(id)!;
};
const versions = async () => {
  const { text } = await civic.changes({ limit: 500, maxResponseBytes: 5_000_000 });
  const { data } = JSON.parse(text) as { data: { items: { recordId: string; version: string; position: number }[] } };
  const versionOf = (name: string) =>
    data.items.filter(({ recordId }) => recordId === agendaId('agenda_items', name)).map(({ version }) => version);
  return Object.fromEntries(NAMES.map((name) => [name, versionOf(name)]));
};

test('items of a version without facts get theirs as one ordinary change each, and others none', async () => {
  await writeBefore();
  const { atEnd } = start();
  await atEnd();
  await civic.caughtUp();
  expect(await versions()).toEqual({
    contract: ['1', '2'],
    'roll call': ['1'],
    heading: ['1'],
    'own facts': ['1'],
    changed: ['1', '2', '3'],
  });
  for (const name of ['contract', 'changed']) {
    const { title, amounts, parties, places, factsVersion } = await item(name);
    expect([title, amounts?.[0]?.value, parties?.[0]?.name, places?.[0]?.sourceText, factsVersion]).toEqual([
      TITLE,
      1250,
      'Example Paving, LLC',
      '12 Example Street',
      FACTS_VERSION,
    ]);
  }
  expect((await item('own facts')).amounts?.[0]?.value).toBe(7);
});

test('the feed has the same positions after a rebuild of changes before and after the facts', async () => {
  await writeBefore();
  const { atEnd } = start();
  await atEnd();
  await civic.caughtUp();
  const signal = new AbortController().signal;
  const { differences } = await verifyProjection(civic.dependencies(), recordHistory, () => undefined, signal);
  expect(differences).toEqual([]);
});

test('an item that changes while its facts are read keeps the change and has the facts of it', async () => {
  await writeBefore();
  const renew = createFactsRenewal({ ...civic, deadlineMs: 20_000 });
  let isChanged = false;
  const { atEnd } = start((ids, confirm) =>
    renew(ids, async () => {
      await confirm();
      if (isChanged) return;
      isChanged = true;
      await append(events.item('contract', 'past', { title: 'Accept a donation of $55.00' }));
    }),
  );
  await atEnd();
  await civic.caughtUp();
  expect(await item('contract')).toMatchObject({
    title: 'Accept a donation of $55.00',
    amounts: [{ value: 55, role: 'revenue' }],
  } satisfies Partial<Record<keyof RecordData<'agenda_items'>, unknown>>);
});

test('a reactor that is stopped and started continues, and appends nothing once every item has its facts', async () => {
  await writeBefore();
  const first = start();
  await first.atEnd();
  await first.stop();
  const head = await civic.log.head();
  const second = start();
  await append(events.item('later', 'past', { title: 'Roll call' }));
  await second.atEnd();
  await untilTrue('the head moved by one event', async () => (await civic.log.head()) > head);
  expect(civic.log.distance(head, await civic.log.head())).toBe(1);
});

test('an erasure leaves no fact with erased words, in any version, and the current one has facts of its new title', async () => {
  await writeBefore();
  const write = (title: string) =>
    civic.writer.write(
      [
        {
          op: 'upsert',
          resource: 'agenda_items',
          id: agendaId('agenda_items', 'contract'),
          content: { ...JSON.parse(events.item('contract', 'past', { title }).data), factsVersion: FACTS_VERSION },
        },
      ],
      {},
    );
  await write(`${TITLE}.`);
  await write(`${TITLE}!`);
  const stream = recordStream('agenda_items', agendaId('agenda_items', 'contract'));
  await eraseContent(
    { log: civic.log, clock: civic.clock, identifiers: civic.identifiers, deadlineMs: 20_000 },
    {
      streams: [{ stream }],
      erasing: { path: null, literal: 'Example Paving, LLC at 12', replacement: '[removed] 34' },
      reason: 'personal_data',
      by: 'a test',
      dryRun: false,
    },
  );
  const stored = await civic.log.readStream(stream, NO_STREAM, 100);
  expect(stored).toHaveLength(4);
  expect(JSON.stringify(stored)).not.toContain('Paving');
  const contents = stored.map(({ data }) => JSON.parse(data) as RecordData<'agenda_items'>);
  for (const { places = [] } of contents) expect(JSON.stringify(places)).not.toContain('12 ');
  expect(contents.at(-1)).toMatchObject({
    title: 'Authorize a contract with [removed] 34 Example Street, not to exceed $1,250.00!',
    amounts: [{ value: 1250 }],
    factsVersion: FACTS_VERSION,
  });
  expect(contents.at(-1)!.amounts![0]!.offset).toBe(contents.at(-1)!.title.indexOf('$'));
});
