import {
  type EventLog,
  LOG_START,
  type LogBatch,
  MAX_BATCH_BYTES,
  NO_STREAM,
  type Position,
  type StoredEvent,
} from './ports/event-log.ts';

/** Counts the bytes of a batch's data. */
export class ByteLimit {
  remaining = MAX_BATCH_BYTES;

  get isReached(): boolean {
    return this.remaining <= 0;
  }

  add(data: string): void {
    this.remaining -= Buffer.byteLength(data);
  }
}

export function bytesOf(events: readonly StoredEvent[]): ByteLimit {
  const bytes = new ByteLimit();
  for (const { data } of events) bytes.add(data);
  return bytes;
}

const STREAM_PAGE = 500;

/**
 * Reads the events of a stream after a revision, ascending, in pages of up to 500 (fewer if events are large). Throws
 * what the log throws.
 */
export async function* streamPages(log: Pick<EventLog, 'readStream'>, stream: string, after: number = NO_STREAM) {
  for (let from = after, limit = STREAM_PAGE; ; ) {
    const page = await log.readStream(stream, from, limit);
    if (page.length > 0) yield page;
    const isCut = bytesOf(page).isReached;
    if (page.length < limit && !isCut) return;
    from = page.at(-1)!.revision;
    // A store might read the data of the whole range to find the end of the page.
    limit = isCut ? Math.min(STREAM_PAGE, 2 * page.length) : STREAM_PAGE;
  }
}

export async function* streamEvents(log: Pick<EventLog, 'readStream'>, stream: string, after: number = NO_STREAM) {
  for await (const page of streamPages(log, stream, after)) yield* page;
}

interface LogReading {
  /** Event types; all if absent. */
  readonly types?: readonly string[];
  /** Events per read; read again before each one. */
  readonly batchSize: number;
  readonly signal?: AbortSignal;
}

/** Batches prefetched, enough that a caller who folds one does not wait for a read. */
const PREFETCHED_BATCHES = 2;

/**
 * Reads batches of the log from a position to its end, each continuing the previous one. Prefetches the next ones. Throws
 * what the log throws.
 */
export async function* logBatches(
  log: Pick<EventLog, 'readAll'>,
  after: Position,
  options: LogReading,
): AsyncGenerator<LogBatch> {
  const ahead: { readonly from: Position; readonly batch: Promise<LogBatch> }[] = [];
  let isOver = false;
  const startRead = (from: Position, afterId?: string): void => {
    const { types, batchSize } = options;
    const batch = log.readAll({ after: from, afterId, limit: batchSize, ...(types === undefined ? {} : { types }) });
    ahead.push({ from, batch });
    prefetchNext();
  };
  /** Reads the next batch if there are more and there is room. */
  const prefetchNext = (): void => {
    const newest = ahead.at(-1)!;
    const startNext = ({ scannedTo, scannedId }: LogBatch): void => {
      if (!isOver && ahead.at(-1) === newest && ahead.length < PREFETCHED_BATCHES && scannedTo !== newest.from)
        startRead(scannedTo, scannedId);
    };
    // The caller might stop before it awaits this batch.
    newest.batch.then(startNext, () => undefined);
  };
  startRead(after);
  try {
    for (;;) {
      const { from } = ahead[0]!;
      const batch = await ahead[0]!.batch;
      options.signal?.throwIfAborted();
      if (batch.scannedTo === from) return;
      if (ahead.length === 1) startRead(batch.scannedTo, batch.scannedId);
      else prefetchNext();
      ahead.shift();
      yield batch;
    }
  } finally {
    isOver = true;
  }
}

export async function* logEvents(
  log: Pick<EventLog, 'readAll'>,
  after: Position,
  options: LogReading,
): AsyncGenerator<StoredEvent> {
  for await (const { events } of logBatches(log, after, options)) yield* events;
}

/** Identifies an event among all histories. Its id alone does not, because derived ids can repeat. */
export type EventMark = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'position'>;

export function lastMarkOf(events: readonly StoredEvent[]): EventMark | null {
  const last = events.at(-1);
  return last === undefined
    ? null
    : { stream: last.stream, revision: last.revision, id: last.id, position: last.position };
}

/** The first event of the log has place 1. */
export interface CountedEvent {
  readonly id: string;
  readonly place: number;
}

/**
 * Returns the event to check with a checkpoint, so that no checkpoint follows events that a failover lost. Null if the
 * log does not count or nothing was read.
 */
export function farthestOf(
  log: Pick<EventLog, 'distance'>,
  { events, scannedTo, scannedId }: LogBatch,
): CountedEvent | null {
  const newest = events.at(-1);
  const [id, position] = scannedId === undefined ? [newest?.id, newest?.position] : [scannedId, scannedTo];
  if (id === undefined || position === undefined) return null;
  const place = log.distance(LOG_START, position);
  return place === null ? null : { id, place };
}

export async function hasEvent(
  log: Pick<EventLog, 'readStream'>,
  { stream, revision, id, position }: EventMark,
): Promise<boolean> {
  const [event] = await log.readStream(stream, revision - 1, 1);
  return event?.revision === revision && event.id === id && event.position === position;
}

/** Parses the data of each event once. */
export function contentReader(): (event: Pick<StoredEvent, 'data'>) => unknown {
  const parsed = new Map<Pick<StoredEvent, 'data'>, unknown>();
  return (event) => {
    let content = parsed.get(event);
    if (content === undefined) parsed.set(event, (content = JSON.parse(event.data)));
    return content;
  };
}
