import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyDataDir } from './prepared-data.ts';
import {
  makeCluster,
  newServerFolder,
  onServer,
  serverFolder,
  type ServerProcess,
  startServer,
} from './postgresql-server.ts';

/** A primary and its asynchronous standby; the primary, whichever server that is, always has the same address. */
export interface ServerPair {
  /** A connection string for a database of the primary. */
  dsn(database: string): string;
  /** Stops replication to the standby. */
  cut(): Promise<void>;
  /** Resumes replication, with everything missed. */
  join(): Promise<void>;
  /** Kills the primary; the standby replaces it with the data that it has received, and gets a new standby. */
  promote(): Promise<void>;
  /** Copies the disk of the primary, while it does not run. */
  save(): Promise<void>;
  /** Restores one of those copies, 0 for the oldest; the standby is made again. */
  putBack(image: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startServerPair(): Promise<ServerPair> {
  const folder = newServerFolder();
  const at = (name: string): string => join(folder, name);
  const [sockets, standbySockets] = [serverFolder(at('at')), serverFolder(at('by'))];
  const standbySettings = [`primary_conninfo=host=${sockets} user=postgres`];
  let images = 0;
  let standby: ServerProcess | undefined;
  const startPrimary = (): Promise<ServerProcess> => startServer(at('primary'), sockets, ['wal_keep_size=512MB']);
  const startStandby = async (): Promise<void> => {
    standby ??= await startServer(at('standby'), standbySockets, standbySettings);
  };
  const cut = async (): Promise<void> => {
    await standby?.end('kill');
    standby = undefined;
  };
  /** Starts from the disk of a stopped primary. */
  const makeStandby = async (): Promise<void> => {
    await cut();
    rmSync(at('standby'), { recursive: true, force: true });
    copyDataDir(at('primary'), at('standby'));
    writeFileSync(at('standby/standby.signal'), '');
  };
  const stopped = async (work: () => Promise<void>): Promise<void> => {
    await primary.end('clean');
    await work();
    primary = await startPrimary();
    await startStandby();
  };
  makeCluster(at('primary'));
  let primary = await startPrimary();
  await stopped(makeStandby);
  return {
    dsn: (database) => primary.dsn(database),
    cut,
    join: startStandby,
    async promote() {
      await primary.end('kill');
      await startStandby();
      await onServer(standby!.dsn('postgres'), 'select pg_promote()');
      await standby!.end('clean');
      standby = undefined;
      rmSync(at('primary'), { recursive: true, force: true });
      renameSync(at('standby'), at('primary'));
      await makeStandby();
      primary = await startPrimary();
      await startStandby();
    },
    save: () => stopped(async () => copyDataDir(at('primary'), at(`image-${images++}`))),
    putBack: (image) =>
      stopped(async () => {
        rmSync(at('primary'), { recursive: true, force: true });
        copyDataDir(at(`image-${image}`), at('primary'));
        await makeStandby();
      }),
    async stop() {
      await cut();
      await primary.end('kill');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
