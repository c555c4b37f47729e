import { parentPort } from 'node:worker_threads';
import { answerSubjects } from '../../src/classifier/answer-subjects.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';

/** Faults by a word of the title of an item. */
const FAULTS: Readonly<Record<string, () => void>> = {
  'endless loop': () => {
    for (;;);
  },
  // Node has no linear expressions: this one takes longer than any test.
  'endless expression': () => void /^(?:a|a)+$/.test(`${'a'.repeat(60)}b`),
  'sudden end': () => process.exit(3),
  'faulty rule': () => {
    throw new Error('a rule failed');
  },
};

/** The classifier of the service with faults, as a worker thread. */
const inner = topicClassifier();
answerSubjects(parentPort!, {
  classify: (subject, topics) => {
    for (const [words, fail] of Object.entries(FAULTS)) if (subject.item.title.includes(words)) fail();
    return inner.classify(subject, topics);
  },
});
