import { RESTORE_FINISHED, restoreBegun } from '../../src/domain/events/restore-events.ts';
import type { EventLog, StoredEvent } from '../../src/domain/ports/event-log.ts';

/** A restore into this log has begun and has not ended: half of what was saved is there, and nothing may be served from it. */
export class UnfinishedRestore extends Error {
  override readonly name = 'UnfinishedRestore';
}

/** Throws `UnfinishedRestore` where the restore that this event begins has not ended. */
export const requireFinishedRestore = async (log: Pick<EventLog, 'readLast'>, begun: StoredEvent): Promise<void> => {
  const last = (await log.readLast([begun.stream])).get(begun.stream);
  if (last?.type === RESTORE_FINISHED) return;
  const { backupId, events } = restoreBegun.parse(JSON.parse(begun.data));
  throw new UnfinishedRestore(
    `a restore of the backup ${backupId} (${events} events) into this log has not ended: run \`civic restore FILE\` with the same file again and it goes on, or give an empty database`,
  );
};
