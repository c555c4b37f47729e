import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { FolderFacts, MachineProbe } from '../../domain/ports/probes.ts';

const isAccessible = (path: string, mode?: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

async function existing(folder: string): Promise<string> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if ((await isAccessible(path)) || path === dirname(path)) return path;
  }
}

async function folder(path: string): Promise<FolderFacts> {
  const nearest = await existing(path);
  const { bavail, bsize } = await statfs(nearest);
  const writable = await isAccessible(nearest, constants.W_OK | constants.X_OK);
  return { path: nearest, writable, freeBytes: bavail * bsize };
}

function listens(host: string, port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  server.listen(port, host, () => server.close(() => resolve(null)));
  return promise;
}

export const machineProbe: MachineProbe = { nodeVersion: process.versions.node, folder, listens };
const ANSWER_WITHIN_MS = 2_000;

export async function answersWithSuccess(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}
