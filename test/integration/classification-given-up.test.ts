import { afterEach, beforeEach, expect, test } from 'vitest';
import { NotClassified } from '../../domain/ports/classifier.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { WorkerClassifier } from '../../src/classifier/worker-classifier.ts';
import { agendaId } from '../support/agenda-events.ts';
import { openClassification, type TestClassification } from '../support/classification.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const GOOD = 'Consider rezoning 12.5 acres at 1201 Main Street.';
const FAULTY = 'Consider rezoning 3 acres: endless loop.';
const KEYWORDS = { keywords: ['rezoning'] };

let database: TestDatabase;
let classification: TestClassification;
let events: TestClassification['events'];

beforeEach(async () => {
  database = await startTestDatabase();
  classification = await openClassification(database.url);
  ({ events } = classification);
  await classification.write(
    events.topic('zoning', KEYWORDS),
    events.place('sampleton'),
    events.meeting('session', 'sampleton', '2026-02-03T19:00:00.000Z'),
    events.item('before', 'session', { title: GOOD }),
    events.item('faulty', 'session', { title: FAULTY }),
    events.item('behind', 'session', { title: GOOD }),
  );
});
afterEach(async () => {
  await classification?.close();
  await database?.close();
});

/** Gives up on the faulty item, and records the ids of all items. */
function impatientClassifier(name = topicClassifier().name) {
  const inner = topicClassifier();
  const received: string[] = [];
  const classify: typeof inner.classify = async (subject, topics) => {
    received.push(subject.item.id);
    if (subject.item.title === FAULTY) throw new NotClassified('it took too long');
    return (await inner.classify(subject, topics)).map((hit) => ({
      ...hit,
      content: { ...hit.content, classifier: name },
    }));
  };
  return { received, classifier: { name, formerNames: [inner.name], classify } };
}
const itemId = (name: string) => agendaId('agenda_items', name);
const withHits = async () => new Set((await classification.hits()).map(({ agendaItemId }) => agendaItemId));
const givenUp = async () => (await classification.unclassified.list()).map((row) => [row.itemId, row.reason]);
const ids = (...names: readonly string[]) => new Set(names.map(itemId));

test('an item that the worker thread does not finish is listed, and the others get their hits', async () => {
  const worker = new URL('../support/faulty-classifier-worker.ts', import.meta.url);
  const classifier = new WorkerClassifier({
    ...topicClassifier(),
    entry: worker,
    clock: systemClock,
    deadlineMs: 1_000,
  });
  try {
    const running = classification.start({ classifier });
    await classification.atRest();
    expect(await withHits()).toEqual(ids('before', 'behind'));
    expect(await givenUp()).toEqual([[itemId('faulty'), 'no result within 1000 ms of processor time']]);
    expect(await classification.unclassified.count()).toBe(1);
    expect(running.logger.warnings).toEqual([expect.stringContaining(itemId('faulty'))]);
    await running.stop();
  } finally {
    await classifier.close();
  }
});

test('a reactor that stops does not wait for an item', async () => {
  const worker = new URL('../support/faulty-classifier-worker.ts', import.meta.url);
  const classifier = new WorkerClassifier({
    ...topicClassifier(),
    entry: worker,
    clock: systemClock,
    deadlineMs: 3_600_000,
  });
  try {
    let calls = 0;
    const classify: typeof classifier.classify = (subject, topics) => {
      calls += 1;
      return classifier.classify(subject, topics);
    };
    const running = classification.start({ classifier: { name: classifier.name, formerNames: [], classify } });
    await expect.poll(() => calls).toBeGreaterThan(1);
    await running.stop();
    expect(await givenUp()).toEqual([]);
  } finally {
    await classifier.close();
  }
});

test('an item that failed is not retried after a restart, but after its change', async () => {
  const first = impatientClassifier();
  const running = classification.start({ classifier: first.classifier });
  await classification.atRest();
  expect(first.received).toContain(itemId('faulty'));
  await running.stop();

  await classification.backToStart();
  const second = impatientClassifier();
  classification.start({ classifier: second.classifier });
  await classification.atRest();
  expect(second.received).toContain(itemId('before'));
  expect(second.received).not.toContain(itemId('faulty'));
  expect(await givenUp()).toHaveLength(1);

  await classification.write(events.item('faulty', 'session', { title: GOOD }));
  await classification.atRest();
  expect(await withHits()).toEqual(ids('before', 'faulty', 'behind'));
  expect(await givenUp()).toEqual([]);
});

test('an item that fails after a change loses its hits', async () => {
  classification.start({ classifier: impatientClassifier().classifier });
  await classification.atRest();
  await classification.write(events.item('before', 'session', { title: FAULTY }));
  await classification.atRest();
  expect(await withHits()).toEqual(ids('behind'));
  expect(await givenUp()).toHaveLength(2);
});

test('an item that failed is retried with other topics and by another classifier', async () => {
  const first = impatientClassifier();
  const running = classification.start({ classifier: first.classifier });
  await classification.atRest();
  first.received.length = 0;
  await classification.write(events.topic('zoning', { keywords: ['rezoning', 'acres'] }));
  await classification.atRest();
  expect(first.received).toContain(itemId('faulty'));
  await running.stop();

  const next = impatientClassifier('phrases-next');
  classification.start({ classifier: next.classifier });
  await expect.poll(() => next.received).toContain(itemId('faulty'));
  await expect
    .poll(async () => (await classification.unclassified.list()).map(({ classifier }) => classifier))
    .toEqual(['phrases-next']);
});

test('a withdrawn item is not listed', async () => {
  classification.start({ classifier: impatientClassifier().classifier });
  await classification.atRest();
  await classification.write(events.withdraw('agenda_items', 'faulty'));
  await classification.atRest();
  expect(await givenUp()).toEqual([]);
});
