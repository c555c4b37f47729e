import type { MessagePort } from 'node:worker_threads';
import type { ClassificationSubject, ClassifiedHit, Classifier } from '../../domain/ports/classifier.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import type { WorkerAnswer } from '../../plumbing/worker-queue.ts';

/** Topics are sent when they change, and apply to every later subject. */
export type Question =
  | { readonly topics: readonly RecordData<'topics'>[] }
  | { readonly subject: ClassificationSubject };
/** The first answer is `ready`, followed by one for each subject, in order. */
type Answer = WorkerAnswer<readonly ClassifiedHit[]>;

/** Answers subjects that arrive at the port of a worker thread. */
export function answerSubjects(
  port: Pick<MessagePort, 'on' | 'postMessage'>,
  classifier: Pick<Classifier, 'classify'>,
): void {
  let topics: readonly RecordData<'topics'>[] = [];
  const answer = async (subject: ClassificationSubject): Promise<Answer> => {
    try {
      return { result: await classifier.classify(subject, topics) };
    } catch (error) {
      return { failure: (error as Error).message };
    }
  };
  const handle = async (before: Promise<void>, question: Question): Promise<void> => {
    await before;
    if ('topics' in question) topics = question.topics;
    else port.postMessage(await answer(question.subject));
  };
  let last = Promise.resolve();
  port.on('message', (question: Question) => {
    last = handle(last, question);
  });
  port.postMessage('ready' satisfies Answer);
}
