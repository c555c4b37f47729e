import { parentPort } from 'node:worker_threads';
import { answerSubjects } from './answer-subjects.ts';
import { topicClassifier } from './classify-item.ts';

/** The worker thread of the service. */
answerSubjects(parentPort!, topicClassifier());
