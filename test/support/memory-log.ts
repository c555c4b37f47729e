import {
  type AppendOutcome,
  type EventLog,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';

export type Fate = 'stored' | 'lose before' | 'lose after';

const positionOf = (number: number): Position => String(number).padStart(16, '0') as Position;

/** A log in memory. `fates` sets the results of the next appends; `read` counts the events read, `appends` the attempts. */
export function memoryLog() {
  const events: StoredEvent[] = [];
  const fates: Fate[] = [];
  const counted = { read: 0, appends: 0 };
  const lastOf = (stream: string) => events.findLast((event) => event.stream === stream);
  const store = ({ stream, expectedRevision, events: added }: Parameters<EventLog['append']>[0]): AppendOutcome => {
    const actualRevision = lastOf(stream)?.revision ?? -1;
    if (expectedRevision !== actualRevision) return { kind: 'conflict', actualRevision };
    for (const [index, event] of added.entries()) {
      events.push({
        ...event,
        metadata: JSON.stringify(event.metadata),
        stream,
        revision: expectedRevision + 1 + index,
        position: positionOf(events.length + 1),
      });
    }
    return { kind: 'appended', position: positionOf(events.length), revision: expectedRevision + added.length };
  };
  const log: Pick<EventLog, 'append' | 'readStream' | 'readLast' | 'head'> = {
    append: async (append) => {
      counted.appends += 1;
      const fate = fates.shift() ?? 'stored';
      if (fate === 'lose before') throw new OutcomeUnknown('lost');
      const outcome = store(append);
      if (fate === 'lose after') throw new OutcomeUnknown('lost');
      return outcome;
    },
    readStream: async (stream, after, limit) => {
      const batch = events.filter((event) => event.stream === stream && event.revision > after).slice(0, limit);
      counted.read += batch.length;
      return batch;
    },
    readLast: async (streams) =>
      new Map(streams.flatMap((stream) => (lastOf(stream) === undefined ? [] : [[stream, lastOf(stream)!]]))),
    head: async () => positionOf(events.length),
  };
  return {
    log: log as EventLog,
    events,
    fates,
    store,
    get read() {
      return counted.read;
    },
    get appends() {
      return counted.appends;
    },
  };
}
