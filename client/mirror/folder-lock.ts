import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, readdir, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest socket path that every system accepts; the limit of macOS is the lowest. */
const MAX_ADDRESS_BYTES = 103;
const SUFFIX = /^[0-9a-f]{8}$/;
const TRIES = 5;
/** Error codes of a file system without sockets, or one that refuses them to this process. */
const NO_SOCKETS = ['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS', 'EACCES', 'EROFS'];

/** True if a process listens at the address. The socket closes with its process, even a killed one; the file remains. */
async function isInUse(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // A socket of another user that refuses access counts as in use.
    return code !== 'ECONNREFUSED' && code !== 'ENOENT';
  } finally {
    socket.destroy();
  }
}

async function listenAt(address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref();
  await once(server.listen({ path: address, writableAll: true }), 'listening');
  return server;
}

const closeServer = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Resolves to null if another process has the lock. If two processes try at once, both might get null. */
async function tryLock(folder: string, prefix: string): Promise<Server | null> {
  const name = prefix + randomBytes(4).toString('hex');
  const own = join(folder, name);
  const server = await listenAt(own);
  const others = (await readdir(folder)).filter(
    (each) => each.startsWith(prefix) && each !== name && SUFFIX.test(each.slice(prefix.length)),
  );
  let isLocked = false;
  for (const other of others) {
    if (await isInUse(join(folder, other))) isLocked = true;
    else await rm(join(folder, other), { force: true });
  }
  // A process that checked before this one listened has removed this file as stale, so that a third process would not see it.
  if (!isLocked && (await exists(own))) return server;
  await closeServer(server);
  return null;
}

/** Makes this process the only writer of a folder until it calls the returned function or exits. Throws if another process is the writer. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const unlock = await lockInFolder(folder, '.replicator-');
  if (unlock === null) throw new Error('another replicator uses it; run one at a time');
  return unlock;
}

/**
 * Takes a lock with a short name in a folder until the caller calls the returned function or exits. Null if another process has the lock.
 * Node has no file locks, so a socket serves as the lock: in the folder, or in the folder for temporary files if the first cannot contain it.
 */
export async function lockInFolder(folder: string, name: string): Promise<(() => Promise<void>) | null> {
  const real = await realpath(folder);
  const fits = Buffer.byteLength(join(real, `${name}00000000`)) <= MAX_ADDRESS_BYTES;
  const elsewhere = [tmpdir(), hash('sha256', real).slice(0, 16) + name] as const;
  let [place, prefix] = fits ? [real, name] : elsewhere;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const server = await tryLock(place, prefix).catch((error: NodeJS.ErrnoException) => {
      if (place !== real || !NO_SOCKETS.includes(error.code ?? '')) throw error;
      [place, prefix] = elsewhere;
      return tryLock(place, prefix);
    });
    if (server !== null) return () => closeServer(server);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * 2 ** attempt));
  }
  return null;
}
