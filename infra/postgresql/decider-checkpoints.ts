import type { ReadDatabase, Transactor } from '../../domain/ports/database.ts';
import type { DeciderCheckpoints } from '../../domain/ports/decider-checkpoints.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { sql } from './statements.ts';

/** A failure is logged; the stream is then read from its start. */
export const createDeciderCheckpoints = (read: ReadDatabase, transactor: Transactor, logger: Logger): DeciderCheckpoints => ({
  async load(stream, decider) {
    try {
      const load = sql`select m.drops, c.version, c.revision, c.event_id, c.state, c.seal
        from civic.erasure_mark m left join civic.decider_checkpoints c on c.stream = ${stream} and c.decider = ${decider}`;
      const [row] = await read.texts({ name: 'load_decider_checkpoint', ...load });
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
    // Serializes with the erasure that drops checkpoints.
    const hold = sql`select from civic.erasure_mark where drops = ${mark} for share`;
    const save = sql`insert into civic.decider_checkpoints (stream, decider, version, revision, event_id, state, seal)
      values (${stream}, ${decider}, ${version}, ${revision}, ${eventId}, ${state}, ${seal})
      on conflict (stream, decider) do update set version = excluded.version, revision = excluded.revision,
        event_id = excluded.event_id, state = excluded.state, seal = excluded.seal`;
    try {
      await transactor.transaction(async (transaction) => {
        // A checkpoint that a crash loses is made again.
        await transaction.execute(sql`set local synchronous_commit = off`);
        const held = await transaction.execute({ name: 'hold_erasure_mark', ...hold });
        if (held.rows.length === 1) await transaction.execute({ name: 'save_decider_checkpoint', ...save });
      });
    } catch (error) {
      logger.warn({ err: error, stream, decider }, 'a checkpoint could not be kept; its stream is read from further back');
    }
  },
});
