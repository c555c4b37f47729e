import type { EventLog, LogBatch, Position } from '../../src/domain/ports/event-log.ts';

/** The log from a position up to where it ends, one batch read ahead of the one being worked on. */
export async function* readForward(
  log: EventLog,
  after: Position,
  options: { readonly types: readonly string[]; readonly batchSize: number },
): AsyncGenerator<LogBatch> {
  const read = (from: Position) => log.readAll({ after: from, limit: options.batchSize, types: options.types });
  let next = read(after);
  for (let from = after; ; ) {
    const batch = await next;
    if (batch.scannedTo === from) return;
    from = batch.scannedTo;
    next = read(from);
    next.catch(() => undefined);
    yield batch;
  }
}
