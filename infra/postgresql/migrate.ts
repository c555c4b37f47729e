import { runner } from 'node-pg-migrate';
import { MIGRATIONS_FOLDER, readSchemaState, refuseUnusable, withClient } from './schema-state.ts';

/** The key of the advisory lock; no other lock of this program uses it. */
const MIGRATION_LOCK = '4848250413820918';
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Migrates the schema and returns the migrations applied. Of concurrent callers one applies them while the others wait. Throws `DatabaseRefused` when the database is newer, foreign, too old or out of reach.
 */
export const migrate = async (dsn: string): Promise<readonly string[]> =>
  await withClient({ dsn, purpose: 'migrate' }, async (client) => {
    // Only under the lock: a concurrent migration would look like foreign tables.
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    const state = await readSchemaState(client);
    refuseUnusable(state, dsn);
    if (state.kind === 'current') return [];
    // The lock is held on this session and ends with it, also when the process dies.
    const applied = await runner({
      dbClient: client,
      dir: MIGRATIONS_FOLDER,
      direction: 'up',
      migrationsSchema: 'civic',
      createMigrationsSchema: true,
      migrationsTable: 'migrations',
      noLock: true,
      logger: silent,
    });
    return applied.map(({ name }) => name);
  });
