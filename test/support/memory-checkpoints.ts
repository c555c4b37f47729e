import { createHash } from 'node:crypto';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../../domain/ports/decider-checkpoints.ts';

/** Checkpoints in memory, that a test may spoil: as damage does, or as a sound writer of something else. */
export function memoryCheckpoints() {
  const rows = new Map<string, DeciderCheckpoint>();
  const edit = (decider: string, change: (checkpoint: DeciderCheckpoint) => DeciderCheckpoint): void => {
    let edited = 0;
    for (const [key, checkpoint] of rows) {
      if (checkpoint.decider !== decider) continue;
      rows.set(key, change(checkpoint));
      edited += 1;
    }
    if (edited === 0) throw new Error(`there is no checkpoint of ${decider}`);
  };
  const store: DeciderCheckpoints = {
    load: async (stream, decider) => ({ checkpoint: rows.get(`${decider} ${stream}`) ?? null, mark: '0' }),
    save: async (checkpoint) => void rows.set(`${checkpoint.decider} ${checkpoint.stream}`, checkpoint),
  };
  return {
    ...store,
    rows,
    edit,
    /** Recomputes the seal of the changed row. */
    reseal: (decider: string, change: (checkpoint: DeciderCheckpoint) => DeciderCheckpoint): void =>
      edit(decider, (checkpoint) => {
        const changed = change(checkpoint);
        const { stream, version, revision, eventId, state } = changed;
        const sealed = JSON.stringify([stream, changed.decider, version, revision, eventId, state]);
        return { ...changed, seal: createHash('sha256').update(sealed).digest('hex') };
      }),
  };
}
