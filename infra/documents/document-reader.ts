import { unread } from '../../domain/agenda-text/read-agenda.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DocumentReader, ReadDocument } from '../../domain/ports/documents.ts';
import { TaskFailed, WorkerQueue } from '../../plumbing/worker-queue.ts';

export interface DocumentTask {
  readonly bytes: Uint8Array;
  readonly mediaType: string | null;
}

/** Processor time of one document: a page takes 20 to 150 ms. */
const DEADLINE_MS = 180_000;
/** Limit of the heap, and of the memory outside of it, which contains the document and unpacked streams. */
const MEMORY_MB = 512;

export interface DocumentReaderOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly deadlineMs?: number;
  readonly memoryMb?: number;
}

/** Reads documents in a worker thread, one after another. A document that exceeds a limit costs the worker, which is replaced. */
export function createDocumentReader({
  clock,
  deadlineMs = DEADLINE_MS,
  memoryMb = MEMORY_MB,
}: DocumentReaderOptions): DocumentReader {
  const queue = new WorkerQueue<DocumentTask, ReadDocument>({
    of: 'the document reader',
    entry: new URL('document-worker.ts', import.meta.url),
    clock,
    deadlineMs,
    memoryMb,
    sentAhead: 1,
    send: (worker, task) => worker.postMessage(task),
  });
  return {
    async read(bytes, mediaType) {
      try {
        return await queue.run({ bytes, mediaType });
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        return { agenda: unread(`cannot be read: ${error.message}`), text: '', mediaType: null };
      }
    },
    close: () => queue.close(),
  };
}
