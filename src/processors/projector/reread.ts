import type { EventLog, Position, StoredEvent } from '../../../domain/ports/event-log.ts';
import { streamPages } from '../../../domain/read-log.ts';

/** Reads streams again for the fold of an erasure; see `FoldContext`. */
export const rereading = (log: Pick<EventLog, 'readStream'>) =>
  async function* (stream: string, upTo: Position): AsyncGenerator<readonly StoredEvent[]> {
    for await (const page of streamPages(log, stream)) {
      const within = page.filter(({ position }) => position <= upTo);
      if (within.length > 0) yield within;
      if (within.length < page.length) return;
    }
  };
