import type { ReadDatabase, Transactor } from '../../src/domain/ports/database.ts';
import type { DeciderCheckpoints } from '../../src/domain/ports/decider-checkpoints.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';

const LOAD = 'select version, revision, event_id, state, seal from civic.decider_checkpoints where stream = $1 and decider = $2';
const SAVE = `insert into civic.decider_checkpoints (stream, decider, version, revision, event_id, state, seal)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (stream, decider) do update set
    version = excluded.version, revision = excluded.revision, event_id = excluded.event_id, state = excluded.state, seal = excluded.seal`;

/** Checkpoints in a table; a failure is logged and costs the reader of a stream its whole length. */
export const createDeciderCheckpoints = (read: ReadDatabase, transactor: Transactor, logger: Logger): DeciderCheckpoints => ({
  async load(stream, decider) {
    try {
      const [row] = await read.texts({ name: 'load_decider_checkpoint', text: LOAD, values: [stream, decider] });
      if (row === undefined) return null;
      const [version, revision, eventId, state, seal] = row;
      return { stream, decider, version: Number(version), revision: Number(revision), eventId: eventId!, state: state!, seal: seal! };
    } catch (error) {
      logger.warn({ err: error, stream, decider }, 'a checkpoint could not be read; its stream is read from the start');
      return null;
    }
  },
  async save({ stream, decider, version, revision, eventId, state, seal }) {
    try {
      const values = [stream, decider, version, revision, eventId, state, seal];
      await transactor.transaction(async (transaction) => {
        // Lost with a crash it is made again.
        await transaction.execute({ text: 'set local synchronous_commit = off', values: [] });
        await transaction.execute({ name: 'save_decider_checkpoint', text: SAVE, values });
      });
    } catch (error) {
      logger.warn({ err: error, stream, decider }, 'a checkpoint could not be kept; its stream is read from further back');
    }
  },
});
