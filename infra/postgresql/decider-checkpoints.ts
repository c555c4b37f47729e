import type { ReadDatabase, Transactor } from '../../domain/ports/database.ts';
import type { DeciderCheckpoints } from '../../domain/ports/decider-checkpoints.ts';
import type { Logger } from '../../domain/ports/logger.ts';

const LOAD = `select m.drops, c.version, c.revision, c.event_id, c.state, c.seal
  from civic.erasure_mark m left join civic.decider_checkpoints c on c.stream = $1 and c.decider = $2`;
/** Serializes with the erasure that drops checkpoints. */
const HOLD_MARK = 'select from civic.erasure_mark where drops = $1 for share';
const SAVE = `insert into civic.decider_checkpoints (stream, decider, version, revision, event_id, state, seal)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (stream, decider) do update set
    version = excluded.version, revision = excluded.revision, event_id = excluded.event_id, state = excluded.state, seal = excluded.seal`;

/** Checkpoints in a table. A failure is logged; the stream is then read from its start. */
export const createDeciderCheckpoints = (read: ReadDatabase, transactor: Transactor, logger: Logger): DeciderCheckpoints => ({
  async load(stream, decider) {
    try {
      const [row] = await read.texts({ name: 'load_decider_checkpoint', text: LOAD, values: [stream, decider] });
      const [mark, version, revision, eventId, state, seal] = row!;
      if (seal === null) return { kept: null, mark: mark! };
      const numbers = { version: Number(version), revision: Number(revision) };
      return { kept: { stream, decider, ...numbers, eventId: eventId!, state: state!, seal: seal! }, mark: mark! };
    } catch (error) {
      logger.warn({ err: error, stream, decider }, 'a checkpoint could not be read; its stream is read from the start');
      return { kept: null, mark: null };
    }
  },
  async save({ stream, decider, version, revision, eventId, state, seal }, mark) {
    if (mark === null) return;
    try {
      const values = [stream, decider, version, revision, eventId, state, seal];
      await transactor.transaction(async (transaction) => {
        // A checkpoint that a crash loses is made again.
        await transaction.execute({ text: 'set local synchronous_commit = off', values: [] });
        const held = await transaction.execute({ name: 'hold_erasure_mark', text: HOLD_MARK, values: [mark] });
        if (held.rows.length === 1) await transaction.execute({ name: 'save_decider_checkpoint', text: SAVE, values });
      });
    } catch (error) {
      logger.warn({ err: error, stream, decider }, 'a checkpoint could not be kept; its stream is read from further back');
    }
  },
});
