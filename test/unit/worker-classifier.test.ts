import { afterEach, expect, it } from 'vitest';
import { NotClassified } from '../../domain/ports/classifier.ts';
import { MAX_RULE_TEXT } from '../../domain/text/source-text.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { boundedSubject, plainSubject } from '../../src/classifier/bounded-subject.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { CLASSIFICATION_WORKER, WorkerClassifier } from '../../src/classifier/worker-classifier.ts';
import { shippedTopics, subject } from '../support/classifier-subjects.ts';

const FAULTY = new URL('../support/faulty-classifier-worker.ts', import.meta.url);
/** Milliseconds of processor time, a third of what the program allows. */
const DEADLINE_MS = 700;
const TITLES = [
  'Rezoning of 5 acres at 1201 Sample Street.',
  'Call to order',
  'A contract with Example Builders, Inc. for $5.00.',
];
const topics = shippedTopics();

const open: WorkerClassifier[] = [];
function openClassifier(entry: URL) {
  const classifier = new WorkerClassifier({
    ...topicClassifier(),
    entry,
    clock: systemClock,
    deadlineMs: DEADLINE_MS,
  });
  open.push(classifier);
  return classifier;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((classifier) => classifier.close()));
});

it('gives the hits that the same classifier gives in the thread of its caller', async () => {
  const classifier = openClassifier(CLASSIFICATION_WORKER);
  const inside = topicClassifier();
  const results = await Promise.all(TITLES.map((title) => classifier.classify(subject(title), topics)));
  expect(results).toEqual(await Promise.all(TITLES.map((title) => inside.classify(subject(title), topics))));
  expect(results.map((hits) => hits.length > 0)).toEqual([true, false, true]);
});

it('reads the topics that are passed with each item', async () => {
  const classifier = openClassifier(CLASSIFICATION_WORKER);
  const item = subject(TITLES[0]!);
  const results = await Promise.all([topics, [], topics].map((some) => classifier.classify(item, some)));
  expect(results.map((hits) => hits.length > 0)).toEqual([true, false, true]);
});

it.each([
  ['endless loop', 'no result within 700 ms of processor time'],
  ['endless expression', 'no result within 700 ms of processor time'],
  ['sudden end', 'the worker thread ended with code 3'],
  ['faulty rule', 'a rule failed'],
])('rejects an item with an %s, and classifies those around it', async (fault, reason) => {
  const classifier = openClassifier(FAULTY);
  const items = [TITLES[0]!, `Rezoning, ${fault}`, TITLES[2]!].map((title) =>
    classifier.classify(subject(title), topics),
  );
  const [before, faulty, behind] = await Promise.allSettled(items);
  expect(faulty).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(reason) } });
  expect((faulty as PromiseRejectedResult).reason).toBeInstanceOf(NotClassified);
  expect(before).toMatchObject({ status: 'fulfilled', value: [expect.anything()] });
  expect(behind).toMatchObject({ status: 'fulfilled', value: [expect.anything()] });
});

it('blames no item where its worker cannot start', async () => {
  const classifier = openClassifier(new URL('no-such-worker.ts', import.meta.url));
  const error: unknown = await classifier.classify(subject(TITLES[0]!), topics).catch((reason: unknown) => reason);
  expect(error).not.toBeInstanceOf(NotClassified);
  expect((error as Error).message).toContain('does not start');
});

it('rejects what waits when it is closed, and what comes later', async () => {
  const classifier = openClassifier(FAULTY);
  const waiting = Promise.allSettled([classifier.classify(subject('endless loop'), topics)]);
  await classifier.close();
  expect(await waiting).toMatchObject([{ status: 'rejected', reason: { message: 'the classifier is closed' } }]);
  await expect(classifier.classify(subject(TITLES[0]!), topics)).rejects.toThrow('closed');
});

it('sends no text beyond what rules read', () => {
  const long = 'word '.repeat(MAX_RULE_TEXT);
  const item = {
    matterName: long,
    matterType: long,
    actionText: long,
    actions: Array.from({ length: 500 }, () => ({ text: long, outcome: null })),
  };
  const sentText = JSON.stringify(
    boundedSubject(subject(long, { item, meeting: { location: long }, body: { name: long } })),
  );
  expect(sentText.length).toBeLessThan(110 * MAX_RULE_TEXT);
  expect(sentText).not.toContain('word '.repeat(MAX_RULE_TEXT / 5 + 1));
});

it('reads the words of texts with RTF and entities, whatever stands before them', () => {
  const fonts = String.raw`{\rtf1\ansi{\fonttbl${'{\\f0 Arial;}'.repeat(2_000)}}`;
  const raw = subject(`${fonts}${TITLES[0]!}\\par}`, { item: { text: 'M&uacute;sica', actionText: `${fonts}Held}` } });
  const item = { title: TITLES[0]!, text: 'Música', actionText: 'Held' };
  expect(plainSubject(boundedSubject(raw)).item).toMatchObject(item);
});

it('gives the same hits for an item with RTF as for its words', async () => {
  const plain = subject(TITLES[0]!);
  const title = String.raw`{\rtf1\ansi Rezoning of 5 acres at 1201 Sample Street.\par}`;
  const hits = await topicClassifier().classify({ ...plain, item: { ...plain.item, title } }, topics);
  expect(hits).toEqual(await topicClassifier().classify(plain, topics));
  expect(hits).toMatchObject([{ content: { evidenceQuote: TITLES[0] } }]);
});
