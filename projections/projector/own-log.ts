import type { EventLog } from '../../src/domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../src/domain/ports/generations.ts';

/** The read model was filled from another log than the one at hand. */
export class ForeignLog extends Error {
  override readonly name = 'ForeignLog';
}

/** Throws `ForeignLog` where a generation was filled from another log than this one: its checkpoint means nothing here. */
export const requireSameLog = ({ projection, logId }: Generation, identity: string | null): void => {
  if (logId === null || logId === identity) return;
  throw new ForeignLog(
    `the read model ${projection} was filled from log ${logId}, but this log is ${identity ?? 'empty'}: point DATABASE_URL and EVENTSTORE_URL at the same installation, move the log with \`civic log copy\`, or give an empty database to rebuild in`,
  );
};

/** The same for everything that serves; asked when a program opens, so that no command appends to a log that nobody reads. */
export const requireOwnLog = async (generations: Pick<GenerationStore, 'list'>, log: Pick<EventLog, 'identity'>): Promise<void> => {
  const [rows, identity] = await Promise.all([generations.list(), log.identity()]);
  for (const row of rows) if (row.state === 'live') requireSameLog(row, identity);
};
