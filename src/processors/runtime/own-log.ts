import { type EventMark, hasEvent } from '../../../domain/read-log.ts';
import { type EventLog, LOG_START } from '../../../domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../../domain/ports/generations.ts';

export class ForeignLog extends Error {
  override readonly name = 'ForeignLog';
}

/** The log does not have an event that a processor has applied. */
export class LogSetBack extends Error {
  override readonly name = 'LogSetBack';
}

interface Followed {
  /** Name of the processor, such as `read model agenda`. */
  readonly what: string;
  readonly logId: string | null;
  readonly lastEvent: EventMark | null;
}

/** Throws `ForeignLog` if a processor has followed another log, in which case its checkpoint means nothing here. */
function requireSameLog({ what, logId }: Followed, identity: string | null): void {
  if (logId === null || logId === identity) return;
  throw new ForeignLog(
    `the ${what} has followed log ${logId}, but this log is ${identity ?? 'empty'}: point DATABASE_URL and EVENTSTORE_URL at the same installation, move the log with \`civic log copy\`, or give an empty database to rebuild in`,
  );
}

const REMEDY =
  'the log was set back to an earlier state; stop every process, then run `civic feed renew --reason TEXT`, which rebuilds the read models and gives the feed a new identity';

async function requireLastEvent({ what, lastEvent }: Followed, log: Pick<EventLog, 'readStream'>): Promise<void> {
  if (lastEvent === null || (await hasEvent(log, lastEvent))) return;
  throw new LogSetBack(
    `the log does not have event ${lastEvent.id} at ${lastEvent.position}, which the ${what} has applied: ${REMEDY}`,
  );
}

/**
 * Throws `ForeignLog` or `LogSetBack` if a processor has followed another history than this log's, and what the log
 * throws.
 */
export async function requireHistory(
  followed: Followed,
  log: Pick<EventLog, 'readStream'>,
  identity: string | null,
): Promise<void> {
  requireSameLog(followed, identity);
  await requireLastEvent(followed, log);
}

const readModel = (row: Generation): Followed => ({ ...row, what: `read model ${row.projection}` });

/** Checks the live read models when a program opens, before any command appends. */
export async function requireOwnLog(
  generations: Pick<GenerationStore, 'list'>,
  log: Pick<EventLog, 'identity' | 'head' | 'readStream'>,
): Promise<void> {
  const rows = await generations.list();
  // Read after the rows: another process might advance them, and the log must contain what they had reached.
  const [identity, head] = await Promise.all([log.identity(), log.head()]);
  const live = rows.filter(({ state }) => state === 'live');
  for (const row of live) {
    requireSameLog(readModel(row), identity);
    if (row.logId === null || row.checkpoint <= head) continue;
    throw new LogSetBack(
      `the log ends at ${head}, and the read model ${row.projection} has seen it up to ${row.checkpoint}: ${REMEDY}`,
    );
  }
  const farthest = findFarthestLive(rows);
  if (farthest !== null) await requireLastEvent(readModel(farthest), log);
}

/**
 * Returns the live generation with the newest last event; null if none has folded an event. A log that contains this
 * event contains all earlier ones.
 */
export function findFarthestLive(rows: readonly Generation[]): (Generation & { readonly lastEvent: EventMark }) | null {
  let farthest: (Generation & { readonly lastEvent: EventMark }) | null = null;
  for (const row of rows) {
    if (row.state !== 'live' || row.logId === null || row.lastEvent === null) continue;
    if (row.lastEvent.position > (farthest?.lastEvent.position ?? LOG_START))
      farthest = { ...row, lastEvent: row.lastEvent };
  }
  return farthest;
}
