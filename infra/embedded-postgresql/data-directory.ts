import {
  chmodSync,
  fchownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedDatabaseRefused, refusalOf, systemErrorCode, unlessGone } from './refusal.ts';

/** The paths of a data directory. `dataDir` may be relative to the working directory. */
export function dataLayout(dataDir: string) {
  const root = resolve(dataDir);
  return {
    root,
    /** Says that the folder is ours; see `claimDataDirectory`. */
    marker: join(root, 'civic-data.json'),
    /** Its lock is held by a process that starts the server, by the supervisor, and by every process of the server. */
    lock: join(root, 'keeper.lock'),
    /** Its lock is held by the one service; it contains the number of that process. */
    serviceLock: join(root, 'service.lock'),
    /** PostgreSQL's own data directory. */
    cluster: join(root, 'postgresql'),
    /** A cluster that initdb has not finished; renamed to `cluster` when it has. */
    unfinishedCluster: join(root, 'postgresql.unfinished'),
    /** A private directory of sockets, or a symbolic link to one with a shorter path. */
    run: join(root, 'run'),
    /** The password of the database, for the account of the service alone. */
    password: join(root, 'database-password'),
    serverLog: join(root, 'postgresql.log'),
  };
}
export type DataLayout = Readonly<ReturnType<typeof dataLayout>>;

const marker = { program: 'civic-records', format: 1 };

/**
 * Makes the data directory, or recognises it as one of ours; gives its layout with links in the path resolved. A folder that holds anything
 * else is refused, so that no other files are ever overwritten.
 */
export function claimDataDirectory(dataDir: string): DataLayout {
  const wanted = resolve(dataDir);
  try {
    if (makeFolder(wanted)) chmodSync(wanted, 0o711);
    const layout = dataLayout(realpathSync(wanted));
    if (!isMarked(layout)) markAsOurs(layout);
    return layout;
  } catch (error) {
    throw refusalOf(wanted, error);
  }
}

/**
 * Makes a folder and those above it; false when it is there. Not by the `recursive` of Node, which retries for ever where a file system lets no
 * process make folders (`/proc`).
 */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST' && statSync(folder).isDirectory()) return false;
    if (systemErrorCode(error) !== 'ENOENT' || statSync(dirname(folder), { throwIfNoEntry: false }) !== undefined) throw error;
  }
  makeFolder(dirname(folder));
  return makeFolder(folder);
}

function isMarked(layout: DataLayout): boolean {
  const text = unlessGone(() => readFileSync(layout.marker, 'utf8'));
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

/** Several may do this at once on a new folder: the marker appears whole, and what they leave in between is known. */
function markAsOurs(layout: DataLayout): void {
  const passing = `${layout.marker}.${process.pid}`;
  const foreign = readdirSync(layout.root).filter((name) => name !== 'lost+found' && !name.startsWith('civic-data.json'));
  if (foreign.length > 0) {
    if (isMarked(layout)) return;
    throw new EmbeddedDatabaseRefused(
      `${layout.root} is not empty and not a data directory of this program (it holds ${foreign[0]}): set CIVIC_DATA_DIR to a new or empty folder`,
    );
  }
  writeFileSync(passing, `${JSON.stringify(marker)}\n`, { mode: 0o644, flush: true });
  try {
    linkSync(passing, layout.marker);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(passing, { force: true });
  }
}

/** Gives a file that root has made in a data directory to the owner of the directory, who may start the server next. */
export function giveToOwner(descriptor: number, root: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(root);
  fchownSync(descriptor, owner.uid, owner.gid);
}

/** Whether a file of a data directory belongs to this account, to the owner of the directory, or to root. */
export const isOurs = ({ uid }: Stats, root: string): boolean => [0, process.getuid?.(), statSync(root).uid].includes(uid);
