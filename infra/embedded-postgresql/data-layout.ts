import { join, resolve } from 'node:path';

/** Where everything of one data directory stands. */
export interface DataLayout {
  readonly root: string;
  /** Says that the folder is ours; see `data-marker.ts`. */
  readonly marker: string;
  /** Its lock is held by a process that starts the server, by the supervisor, and by every process of the server. */
  readonly lock: string;
  /** Its lock is held by the one service; it contains the number of that process. */
  readonly serviceLock: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  /** A cluster that initdb has not finished; renamed to `cluster` when it has. */
  readonly unfinishedCluster: string;
  /** A private directory of sockets, or a symbolic link to one with a shorter path. */
  readonly run: string;
  /** The password of the database, for the account of the service alone. */
  readonly password: string;
  readonly serverLog: string;
}

/** The paths of a data directory. `dataDir` may be relative to the working directory. */
export function dataLayout(dataDir: string): DataLayout {
  const root = resolve(dataDir);
  return {
    root,
    marker: join(root, 'civic-data.json'),
    lock: join(root, 'keeper.lock'),
    serviceLock: join(root, 'service.lock'),
    cluster: join(root, 'postgresql'),
    unfinishedCluster: join(root, 'postgresql.unfinished'),
    run: join(root, 'run'),
    password: join(root, 'database-password'),
    serverLog: join(root, 'postgresql.log'),
  };
}
