import { parentPort } from 'node:worker_threads';
import type { ReadDocument } from '../../domain/ports/documents.ts';
import type { WorkerAnswer } from '../../plumbing/worker-queue.ts';
import type { DocumentTask } from './document-reader.ts';
import { readDocument } from './read-document.ts';

type Answer = WorkerAnswer<ReadDocument>;

async function answer({ bytes, mediaType }: DocumentTask): Promise<Answer> {
  try {
    return { result: await readDocument(bytes, mediaType) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

parentPort!.on(
  'message',
  (task: DocumentTask) => void answer(task).then((message) => parentPort!.postMessage(message)),
);
parentPort!.postMessage('ready' satisfies Answer);
