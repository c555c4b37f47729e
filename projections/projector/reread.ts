import { type EventLog, NO_STREAM, type Position, type StoredEvent } from '../../src/domain/ports/event-log.ts';

const PAGE = 500;

/** Reads streams again for a fold that meets an erasure; see `FoldContext`. */
export const rereading = (log: Pick<EventLog, 'readStream'>) =>
  async function* (stream: string, upTo: Position): AsyncGenerator<readonly StoredEvent[]> {
    for (let after = NO_STREAM; ; ) {
      const page = await log.readStream(stream, after, PAGE);
      const within = page.filter(({ position }) => position <= upTo);
      if (within.length > 0) yield within;
      if (page.length < PAGE || within.length < page.length) return;
      after = page.at(-1)!.revision;
    }
  };
