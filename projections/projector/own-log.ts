import type { EventLog } from '../../src/domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../src/domain/ports/generations.ts';

/** The read model was filled from another log than the one at hand. */
export class ForeignLog extends Error {
  override readonly name = 'ForeignLog';
}

/** The log ends before what a read model has seen of it: it was set back. */
export class ShorterLog extends Error {
  override readonly name = 'ShorterLog';
}

/** Throws `ForeignLog` where a generation was filled from another log than this one: its checkpoint means nothing here. */
export const requireSameLog = ({ projection, logId }: Generation, identity: string | null): void => {
  if (logId === null || logId === identity) return;
  throw new ForeignLog(
    `the read model ${projection} was filled from log ${logId}, but this log is ${identity ?? 'empty'}: point DATABASE_URL and EVENTSTORE_URL at the same installation, move the log with \`civic log copy\`, or give an empty database to rebuild in`,
  );
};

/** The same for everything that serves, and that the log has all that was seen of it; asked when a program opens, so that no command appends to a log that nobody reads. */
export const requireOwnLog = async (
  generations: Pick<GenerationStore, 'list'>,
  log: Pick<EventLog, 'identity' | 'head'>,
): Promise<void> => {
  const [rows, identity] = await Promise.all([generations.list(), log.identity()]);
  // After the checkpoints were read: what they had reached then, it has.
  const head = await log.head();
  for (const row of rows) {
    if (row.state !== 'live') continue;
    requireSameLog(row, identity);
    if (row.logId === null || row.checkpoint <= head) continue;
    throw new ShorterLog(
      `the log ends at ${head}, and the read model ${row.projection} has seen it up to ${row.checkpoint}: the log was set back to an earlier state; run \`civic feed renew --reason TEXT\`, which builds the read models anew and gives the feed a new identity`,
    );
  }
};
