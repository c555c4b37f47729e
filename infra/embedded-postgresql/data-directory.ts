import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { noInstallation } from '../../domain/ports/stores.ts';
import { EmbeddedDatabaseRefused, refusalOf, systemErrorCode, unlessGone } from './refusal.ts';

export function dataLayout(dataDir: string) {
  const root = resolve(dataDir);
  return {
    root,
    /** Marks the folder as ours. */
    marker: join(root, 'civic-data.json'),
    /** Locked by a process that starts the server, by the supervisor, and by every process of the server. */
    lock: join(root, 'keeper.lock'),
    /** Its lock is held by the one service, whose process number it contains. */
    serviceLock: join(root, 'service.lock'),
    cluster: join(root, 'postgresql'),
    /** Renamed to `cluster` when initdb has finished. */
    unfinishedCluster: join(root, 'postgresql.unfinished'),
    /** A private directory of sockets, or a symbolic link to one with a shorter path. */
    run: join(root, 'run'),
    /** Readable by the account of the service alone. */
    password: join(root, 'database-password'),
    serverLog: join(root, 'postgresql.log'),
  };
}
export type DataLayout = Readonly<ReturnType<typeof dataLayout>>;

const marker = { program: 'civic-records', format: 1 };

/**
 * Makes or recognises the data directory; resolves links in its path. Refuses any other folder with files, so that none is overwritten, and for
 * a `reader`, which makes nothing, one without a database.
 */
export function claimDataDirectory(dataDir: string, role: 'maker' | 'reader' = 'maker'): DataLayout {
  const wanted = resolve(dataDir);
  try {
    if (role === 'reader' && !hasHadCluster(dataLayout(wanted))) {
      throw new EmbeddedDatabaseRefused(noInstallation(`${wanted} holds no database`));
    }
    if (makeFolder(wanted)) fs.chmodSync(wanted, 0o711);
    const layout = dataLayout(fs.realpathSync(wanted));
    if (!isMarked(layout)) markAsOurs(layout);
    return layout;
  } catch (error) {
    throw refusalOf(wanted, error);
  }
}

/** Makes a folder and those above it; false when it exists. The `recursive` of Node retries for ever where that is impossible (`/proc`). */
function makeFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST' && fs.statSync(folder).isDirectory()) return false;
    if (systemErrorCode(error) !== 'ENOENT' || fs.statSync(dirname(folder), { throwIfNoEntry: false }) !== undefined) throw error;
  }
  makeFolder(dirname(folder));
  return makeFolder(folder);
}

function isMarked(layout: DataLayout): boolean {
  const text = unlessGone(() => fs.readFileSync(layout.marker, 'utf8'));
  if (text === undefined) return false;
  let found: { program?: unknown; format?: unknown };
  try {
    found = JSON.parse(text) as typeof found;
  } catch {
    throw new EmbeddedDatabaseRefused(`${layout.marker} is damaged: restore it, or set CIVIC_DATA_DIR to another folder`);
  }
  if (found.program === marker.program && found.format === marker.format) return true;
  throw new EmbeddedDatabaseRefused(
    `${layout.root} was written by another or a newer program: use the release that wrote it, or set CIVIC_DATA_DIR to another folder`,
  );
}

/** Several processes may do this at once on a new folder: the marker appears whole, and files that they leave meanwhile have its prefix. */
function markAsOurs(layout: DataLayout): void {
  const passing = `${layout.marker}.${process.pid}`;
  const foreign = fs.readdirSync(layout.root).filter((name) => name !== 'lost+found' && !name.startsWith('civic-data.json'));
  if (foreign.length > 0) {
    if (isMarked(layout)) return;
    throw new EmbeddedDatabaseRefused(
      `${layout.root} is not empty and not a data directory of this program (it holds ${foreign[0]}): set CIVIC_DATA_DIR to a new or empty folder`,
    );
  }
  fs.writeFileSync(passing, `${JSON.stringify(marker)}\n`, { mode: 0o644, flush: true });
  try {
    fs.linkSync(passing, layout.marker);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(passing, { force: true });
  }
}

/** The password is written once the cluster is there, at the next start where a kill came between: it is the record that one was made. */
export const hasHadCluster = ({ cluster, password }: DataLayout): boolean =>
  [cluster, password].some((file) => fs.statSync(file, { throwIfNoEntry: false }) !== undefined);

/** Gives a file that root made to the owner of the data directory, who may start the server next. */
export function giveToOwner(descriptor: number, root: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = fs.statSync(root);
  fs.fchownSync(descriptor, owner.uid, owner.gid);
}

/** The file belongs to this account, to the owner of the data directory, or to root. */
export const isOurs = ({ uid }: fs.Stats, root: string): boolean => [0, process.getuid?.(), fs.statSync(root).uid].includes(uid);
