import type { PoolUse, Transactor } from '../../src/domain/ports/database.ts';
import { executeOn, isUseless, openClientPool } from './client-pool.ts';
import type { Session } from './sessions.ts';

/** Transactions of folds and commands, on a pool of connections with text rows. */
export const openTransactor = (
  session: Session,
  connections: number,
): Transactor & { use(): Omit<PoolUse, 'pool'>; close(): Promise<void> } => {
  const pool = openClientPool(session, connections);
  return {
    transaction: (work) =>
      pool.run(async (held) => {
        try {
          await held.client.query('begin');
          const result = await work({ execute: (statement) => executeOn(held, statement) });
          await held.client.query('commit');
          return result;
        } catch (error) {
          held.isBroken ||= isUseless(error);
          if (!held.isBroken) await held.client.query('rollback').catch(() => (held.isBroken = true));
          throw error;
        }
      }),
    use: () => pool.use(),
    close: () => pool.close(),
  };
};
