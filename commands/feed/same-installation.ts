import type { EventLog } from '../../domain/ports/event-log.ts';
import type { InstallationStore } from '../../domain/ports/stores.ts';
import type { Logger } from '../../domain/ports/logger.ts';

/** The database is not the one that was used last, or belongs to another log. An operator must decide what it may have lost. */
class MovedDatabase extends Error {
  override readonly name = 'MovedDatabase';
}

const REMEDY =
  'if changes may be lost, run `civic feed renew --reason TEXT`, which gives the feed a new identity; if this database has lost no changes and no other copy is in service, run `civic feed keep`';

export interface Installed {
  readonly store: InstallationStore;
  readonly log: Pick<EventLog, 'identity'>;
  /** Whether the log is in this database, and so is set back together with it. */
  readonly holdsLog: boolean;
  readonly logger: Logger;
}

/**
 * Compares the identity of the database and its log with the stored ones, before anything is appended. Throws `MovedDatabase` with the
 * remedy. Another timeline of the server is a warning only: a failover must not keep the service from starting.
 */
export async function requireSameInstallation({ store, log, holdsLog, logger }: Installed): Promise<void> {
  const kept = await store.kept();
  if (kept === null) return;
  // After `kept`: a process that starts for the first time beside this one begins the log, and then stores whose it is.
  const [identity, logId] = await Promise.all([store.identity(), log.identity()]);
  if (kept.renewing !== null) {
    throw new MovedDatabase(
      `the feed was about to be given a new identity (${kept.renewing}) and was not: run \`civic feed renew --reason TEXT\` again`,
    );
  }
  if (kept.logId !== logId) {
    throw new MovedDatabase(
      `this database belongs to log ${kept.logId}, and the log is ${logId ?? 'empty'}: point DATABASE_URL and EVENTSTORE_URL at the same installation, or give an empty database`,
    );
  }
  if (!holdsLog || kept.database === '' || identity.database === '') return;
  if (kept.database !== identity.database) {
    throw new MovedDatabase(
      `this database was brought here from another server or name (${kept.database}, now ${identity.database}): ${REMEDY}`,
    );
  }
  if (kept.timeline !== identity.timeline) {
    logger.warn(
      { timeline: identity.timeline, before: kept.timeline },
      `the database server was recovered to a point in time or promoted since the feed was last confirmed: ${REMEDY}`,
    );
  }
}

/** Stores the identity of the database and of its log at the first start. */
export async function rememberInstallation({ store, log }: Pick<Installed, 'store' | 'log'>): Promise<void> {
  if ((await store.kept()) !== null) return;
  const [identity, logId] = await Promise.all([store.identity(), log.identity()]);
  if (logId !== null) await store.keep(identity, logId);
}
