import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, readdir, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The shortest that a system allows for the address of a socket, macOS, is 103 bytes. */
const MAX_ADDRESS_BYTES = 103;
const SUFFIX = /^[0-9a-f]{8}$/;
const TRIES = 5;
/** What a file system says that has no sockets, or takes none from this process. */
const NO_SOCKETS = ['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS', 'EACCES', 'EROFS'];

/** Whether a process listens at an address. It ends with its process, also with a killed one; its file stays. */
async function isHeld(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Where another user's socket cannot be asked, it counts.
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

const closed = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Null: another process has it. Of two that ask at once, both may be refused. */
async function tryLock(folder: string, prefix: string): Promise<Server | null> {
  const name = prefix + randomBytes(4).toString('hex');
  const own = join(folder, name);
  const server = await listenAt(own);
  const others = (await readdir(folder)).filter(
    (each) => each.startsWith(prefix) && each !== name && SUFFIX.test(each.slice(prefix.length)),
  );
  let held = false;
  for (const other of others) {
    if (await isHeld(join(folder, other))) held = true;
    else await rm(join(folder, other), { force: true });
  }
  // One that asked before this one listened takes it for ended and removes its file, so that a third would not see it.
  if (!held && (await exists(own))) return server;
  await closed(server);
  return null;
}

/** Makes this process the one that writes to a folder, until the function that it returns is called or the process ends. Throws where another one is. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const unlock = await lockInFolder(folder, '.replicator-');
  if (unlock === null) throw new Error('another replicator uses it; run one at a time');
  return unlock;
}

/**
 * Takes the lock of a short name in a folder, until the function that it returns is called or the process ends. Null where another one has it.
 * Node has no file lock: a socket takes its place, in the folder, or in the folder for temporary files where that cannot hold it.
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
    if (server !== null) return () => closed(server);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * 2 ** attempt));
  }
  return null;
}
