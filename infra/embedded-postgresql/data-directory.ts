import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { noInstallation } from '../../domain/ports/stores.ts';
import { EmbeddedDatabaseRefused, refusalOf, systemErrorCode, unlessGone } from './refusal.ts';

export function dataLayout(dataDir: string) {
  const root = resolve(dataDir);
  return {
    root,
    /** Marks the folder as a data directory of this program. */
    marker: join(root, 'civic-data.json'),
    /** Locked by the process that starts the server, the supervisor, and every process of the server. */
    lock: join(root, 'keeper.lock'),
    /** Locked by the one running service. Contains its process id. */
    serviceLock: join(root, 'service.lock'),
    cluster: join(root, 'postgresql'),
    /** Folder that initdb fills. It is renamed to `cluster` at the end. */
    unfinishedCluster: join(root, 'postgresql.unfinished'),
    /** Private directory for sockets, or a symbolic link to one with a shorter path. */
    run: join(root, 'run'),
    /** Readable by the service's account only. */
    password: join(root, 'database-password'),
    serverLog: join(root, 'postgresql.log'),
  };
}
export type DataLayout = Readonly<ReturnType<typeof dataLayout>>;

const marker = { program: 'civic-records', format: 1 };

/**
 * Creates or recognizes the data directory, and resolves links in its path. Refuses any other folder that contains
 * files, so that nothing is overwritten. A `reader` creates nothing, and is refused if there is no database.
 */
export function claimDataDirectory(dataDir: string, role: 'maker' | 'reader' = 'maker'): DataLayout {
  const root = resolve(dataDir);
  try {
    if (role === 'reader' && !hasHadCluster(dataLayout(root))) {
      throw new EmbeddedDatabaseRefused(noInstallation(`${root} has no database`));
    }
    if (makeFolder(root)) fs.chmodSync(root, 0o711);
    const layout = dataLayout(fs.realpathSync(root));
    if (!isMarked(layout)) markAsOurs(layout);
    return layout;
  } catch (error) {
    throw refusalOf(root, error);
  }
}

/**
 * Creates a folder and its parents. Returns false if it exists. Does not use Node's `recursive`, which retries
 * endlessly where no folder can be created (`/proc`).
 */
function makeFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST' && fs.statSync(folder).isDirectory()) return false;
    if (systemErrorCode(error) !== 'ENOENT' || fs.statSync(dirname(folder), { throwIfNoEntry: false }) !== undefined)
      throw error;
  }
  makeFolder(dirname(folder));
  return makeFolder(folder);
}

function isMarked(layout: DataLayout): boolean {
  const text = unlessGone(() => fs.readFileSync(layout.marker, 'utf8'));
  if (text === undefined) return false;
  let content: { program?: unknown; format?: unknown };
  try {
    content = JSON.parse(text) as typeof content;
  } catch {
    throw new EmbeddedDatabaseRefused(
      `${layout.marker} is damaged: restore it, or set CIVIC_DATA_DIR to another folder`,
    );
  }
  if (content.program === marker.program && content.format === marker.format) return true;
  throw new EmbeddedDatabaseRefused(
    `${layout.root} was written by another or a newer program: use the release that wrote it, or set CIVIC_DATA_DIR to another folder`,
  );
}

/**
 * Writes the marker atomically. Several processes can do this at once in a new folder, where they ignore each other's
 * temporary files by their prefix.
 */
function markAsOurs(layout: DataLayout): void {
  const temporary = `${layout.marker}.${process.pid}`;
  const foreign = fs
    .readdirSync(layout.root)
    .filter((name) => name !== 'lost+found' && !name.startsWith('civic-data.json'));
  if (foreign.length > 0) {
    if (isMarked(layout)) return;
    throw new EmbeddedDatabaseRefused(
      `${layout.root} is not empty and not a data directory of this program (it contains ${foreign[0]}): set CIVIC_DATA_DIR to a new or empty folder`,
    );
  }
  fs.writeFileSync(temporary, `${JSON.stringify(marker)}\n`, { mode: 0o644, flush: true });
  try {
    fs.linkSync(temporary, layout.marker);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** True if a cluster was ever created. The password proves it, because it is written after the cluster exists. */
export const hasHadCluster = ({ cluster, password }: DataLayout): boolean =>
  [cluster, password].some((file) => fs.statSync(file, { throwIfNoEntry: false }) !== undefined);

/**
 * Makes the owner of the data directory own a file that root created, so that this account can start the server next.
 */
export function giveToOwner(descriptor: number, root: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = fs.statSync(root);
  fs.fchownSync(descriptor, owner.uid, owner.gid);
}

/** True if the file belongs to this account, to the owner of the data directory, or to root. */
export const isOurs = ({ uid }: fs.Stats, root: string): boolean =>
  [0, process.getuid?.(), fs.statSync(root).uid].includes(uid);
