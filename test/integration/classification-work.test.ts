import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { BATCH_EVENTS } from '../../domain/ports/event-log.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { agendaId } from '../support/agenda-events.ts';
import { openClassification, type TestClassification } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const TITLE = 'Consider rezoning 12.5 acres at 1201 Main Street.';

let database: TestDatabase;
let classification: TestClassification;
let events: TestClassification['events'];

beforeEach(async () => {
  database = await startTestDatabase();
  classification = await openClassification(database.url);
  ({ events } = classification);
  await classification.write(
    events.topic('zoning', { keywords: ['rezoning'] }),
    events.place('dallas'),
    events.meeting('session', 'dallas', '2026-02-03T19:00:00.000Z'),
  );
});
afterEach(async () => {
  await classification?.close();
  await database?.close();
});

const items = (...names: readonly string[]) => names.map((name) => events.item(name, 'session', { title: TITLE }));
const classifiedItems = async () => new Set((await classification.hits()).map(({ agendaItemId }) => agendaItemId));
const idsOf = (...names: readonly string[]) => new Set(names.map((name) => agendaId('agenda_items', name)));

/** The classifier, and the ids of the items that it receives. */
function watchedClassifier() {
  const inner = topicClassifier();
  const ids: string[] = [];
  const classify: typeof inner.classify = (subject, topics) => {
    ids.push(subject.item.id);
    return inner.classify(subject, topics);
  };
  return { ids, classifier: { ...inner, classify } };
}

test('a batch with a topic classifies each item once, and one that it withdraws loses its hits', async () => {
  await classification.write(items('gone'));
  const first = classification.start();
  await classification.atRest();
  await first.stop();
  expect(await classifiedItems()).toEqual(idsOf('gone'));
  await classification.write(
    events.topic('zoning', { keywords: ['rezoning', 'zoning'] }),
    events.withdraw('agenda_items', 'gone'),
    items('one', 'two'),
  );
  const { ids, classifier } = watchedClassifier();
  // A reactor that loses its lease on a busy machine would begin the batch again.
  classification.start({ classifier }, { leaseMs: 60_000 });
  await classification.atRest();
  expect(ids.toSorted()).toEqual([...idsOf('one', 'two')].toSorted());
  expect(await classifiedItems()).toEqual(idsOf('one', 'two'));
});

test('an item that comes later in the log is classified once, when the log is read to it', async () => {
  const names = Array.from({ length: BATCH_EVENTS + 100 }, (_, index) => `case ${index}`);
  const plain = names.map((name) => events.item(name, 'session', { title: 'Approve the minutes of the meeting.' }));
  for (let start = 0; start < plain.length; start += 500) await classification.write(plain.slice(start, start + 500));
  await classification.write(items('last'));
  const { ids, classifier } = watchedClassifier();
  classification.start({ classifier }, { leaseMs: 60_000 });
  await classification.atRest();
  expect(await classifiedItems()).toEqual(idsOf('last'));
  // One with a hit is classified again before that is written.
  expect(ids.toSorted()).toEqual([...idsOf(...names), ...idsOf('last'), ...idsOf('last')].toSorted());
});

test('a changed place looks up the items of a few meetings at once', async () => {
  const meetings = Array.from({ length: 45 }, (_, index) => `session ${index}`);
  await classification.write(
    meetings.map((name) => events.meeting(name, 'dallas', '2026-02-03T19:00:00.000Z')),
    meetings.map((name) => events.item(`case of ${name}`, name, { title: TITLE })),
  );
  const { known } = classification;
  const sizes: number[] = [];
  const referring: typeof known.referring = (resource, field, targets) => {
    if (resource === 'agenda_items') sizes.push(targets.length);
    return known.referring(resource, field, targets);
  };
  const reactor = classification.start({ known: { ...known, referring } }, { leaseMs: 60_000 });
  await classification.atRest();
  sizes.length = 0;
  await classification.write(events.body('dallas', { name: 'Council of Dallas' }));
  await classification.atRest();
  await reactor.stop();
  expect(sizes).toEqual([20, 20, 6]);
});

test('items that no topic finds are not read from the log again', async () => {
  const read: string[] = [];
  const { known } = classification;
  const lastChanges: typeof known.lastChanges = (resource, ids) => {
    if (resource === 'agenda_items') read.push(...ids);
    return known.lastChanges(resource, ids);
  };
  classification.start({ known: { ...known, lastChanges } });
  await classification.atRest();
  await classification.write(
    items('found'),
    events.item('other', 'session', { title: 'Approve the minutes of the meeting.' }),
  );
  await classification.atRest();
  expect(new Set(read)).toEqual(idsOf('found'));
});

test('classifying five thousand items takes a small multiple of the time of publishing them', async () => {
  const began = performance.now();
  const titles = [TITLE, 'Approve the minutes of the meeting of 6 January.', 'Award a contract for street lights.'];
  for (let start = 0; start < 5000; start += 500) {
    await classification.write(
      Array.from({ length: 500 }, (_, index) =>
        events.item(`case ${start + index}`, 'session', { title: titles[index % 3]! }),
      ),
    );
  }
  await classification.civic.caughtUp(undefined, [recordHistory.name, recordReferences.name]);
  const published = performance.now();
  classification.start();
  await classification.atRest();
  const classified = performance.now();
  expect((await classification.hits()).length).toBe(1670);
  // Two to three times the time of publishing and folding; reading everything for each item would take a hundred times.
  expect(classified - published).toBeLessThan(10 * (published - began));
});
