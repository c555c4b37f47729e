import type { ReadRows, Transactor } from '../../../domain/ports/database.ts';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../../../domain/ports/decider-checkpoints.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { sql } from '../connection/statements.ts';

type LoadedRow = { readonly mark: string } & (Omit<DeciderCheckpoint, 'stream' | 'decider'> | { readonly seal: null });

/** Stores decider checkpoints. A failure is only logged: the stream is then read from its start. */
export const createDeciderCheckpoints = (
  read: { readonly rows: ReadRows },
  transactor: Transactor,
  logger: Logger,
): DeciderCheckpoints => ({
  async load(stream, decider) {
    try {
      const load = sql`select m.drops::text as mark, c.version, c.revision, c.event_id as "eventId", c.state, c.seal
        from civic.erasure_mark m
        left join civic.decider_checkpoints c on c.stream = ${stream} and c.decider = ${decider}`;
      const [row] = await read.rows<LoadedRow>({ name: 'load_decider_checkpoint', ...load });
      const { mark, ...stored } = row!;
      return { checkpoint: stored.seal === null ? null : { stream, decider, ...stored }, mark };
    } catch (error) {
      logger.warn({ err: error, stream, decider }, 'a checkpoint could not be read; its stream is read from the start');
      return { checkpoint: null, mark: null };
    }
  },
  async save({ stream, decider, version, revision, eventId, state, seal }, mark) {
    if (mark === null) return;
    // Locks the mark, so that a checkpoint is not saved while an erasure deletes checkpoints.
    const lockMark = sql`select from civic.erasure_mark where drops = ${mark} for share`;
    const save = sql`insert into civic.decider_checkpoints (stream, decider, version, revision, event_id, state, seal)
      values (${stream}, ${decider}, ${version}, ${revision}, ${eventId}, ${state}, ${seal})
      on conflict (stream, decider) do update set version = excluded.version, revision = excluded.revision,
        event_id = excluded.event_id, state = excluded.state, seal = excluded.seal`;
    try {
      await transactor.transaction(async (transaction) => {
        // A checkpoint lost in a crash is rebuilt, so the commit need not wait for the disk.
        await transaction.query(sql`set local synchronous_commit = off`);
        const locked = await transaction.query({ name: 'hold_erasure_mark', ...lockMark });
        if (locked.count === 1) await transaction.query({ name: 'save_decider_checkpoint', ...save });
      });
    } catch (error) {
      logger.warn(
        { err: error, stream, decider },
        'a checkpoint could not be saved; its stream is read from further back',
      );
    }
  },
});
