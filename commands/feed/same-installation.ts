import type { EventLog } from '../../domain/ports/event-log.ts';
import type { InstallationStore } from '../../domain/ports/stores.ts';
import type { Logger } from '../../domain/ports/logger.ts';

/**
 * The database is not the last one used, or it belongs to another log. An operator must decide what it might have lost.
 */
class MovedDatabase extends Error {
  override readonly name = 'MovedDatabase';
}

const REMEDY =
  'if changes may be lost, run `civic feed renew --reason TEXT`, which gives the feed a new identity; if this database has lost no changes and no other copy is in service, run `civic feed keep`';

export interface Installed {
  readonly store: InstallationStore;
  readonly log: Pick<EventLog, 'identity'>;
  /** True if the log is in this database and is therefore set back together with it. */
  readonly holdsLog: boolean;
  readonly logger: Logger;
}

/**
 * Compares the identity of the database and its log with the stored one, before anything is appended. Throws
 * `MovedDatabase` with the remedy. Only warns about another timeline of the server: a failover must not prevent a
 * start.
 */
export async function requireSameInstallation({ store, log, holdsLog, logger }: Installed): Promise<void> {
  const recorded = await store.load();
  if (recorded === null) return;
  // Read after `recorded`: a concurrent process begins the log before it stores the installation.
  const [identity, logId] = await Promise.all([store.identity(), log.identity()]);
  if (recorded.renewing !== null) {
    throw new MovedDatabase(
      `a renewal of the feed's identity (${recorded.renewing}) did not finish: run \`civic feed renew --reason TEXT\` again`,
    );
  }
  if (recorded.logId !== logId) {
    throw new MovedDatabase(
      `this database belongs to log ${recorded.logId}, and the log is ${logId ?? 'empty'}: point DATABASE_URL and EVENTSTORE_URL at the same installation, or give an empty database`,
    );
  }
  if (!holdsLog || recorded.database === '' || identity.database === '') return;
  if (recorded.database !== identity.database) {
    throw new MovedDatabase(
      `this database was brought here from another server or name (${recorded.database}, now ${identity.database}): ${REMEDY}`,
    );
  }
  if (recorded.timeline !== identity.timeline) {
    logger.warn(
      { timeline: identity.timeline, before: recorded.timeline },
      `the database server was recovered to a point in time or promoted since the feed was last confirmed: ${REMEDY}`,
    );
  }
}

/** Stores the identity of the database and its log at the first start. */
export async function rememberInstallation({ store, log }: Pick<Installed, 'store' | 'log'>): Promise<void> {
  if ((await store.load()) !== null) return;
  const [identity, logId] = await Promise.all([store.identity(), log.identity()]);
  if (logId !== null) await store.keep(identity, logId);
}
