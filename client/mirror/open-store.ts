import { openDirectoryStore } from './directory-store.ts';
import type { FileFormat } from './mirror-files.ts';
import { MirrorRefused, type MirrorStore } from './mirror-store.ts';

/**
 * Opens a store by its address: `sqlite:FILE`, `postgres://…`, or a folder. `format` applies to folders only. `resource` limits the files of a
 * folder to the one resource that it mirrors. Throws `MirrorRefused`.
 */
export async function openMirrorStore(
  to: string,
  format: FileFormat | null = null,
  resource: string | null = null,
): Promise<MirrorStore> {
  // A single letter is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(to)?.[1];
  if (scheme === undefined) return openDirectoryStore(to, format, resource);
  if (format !== null) throw new MirrorRefused(`only a folder has a format, and ${scheme}: is not a folder`);
  if (scheme === 'sqlite') return (await loadSqliteStores()).openSqliteStore(to.slice('sqlite:'.length));
  if (/^postgres(ql)?$/.test(scheme)) return (await loadPostgresStores()).openPostgresStore(to);
  throw new MirrorRefused(
    `a mirror cannot be stored in ${scheme}:; allowed are a folder, sqlite:FILE and postgres://… (a folder of that name is ./${scheme}:…)`,
  );
}

/** Both load on demand: older versions of Node lack `node:sqlite`, and the package `pg` is optional. */
const loadSqliteStores = () =>
  import('./sqlite-store.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
    throw new MirrorRefused(
      `sqlite: needs Node.js 22.13 or newer, which has node:sqlite; this is ${process.version}; a folder and postgres://… work here`,
    );
  });

const loadPostgresStores = () =>
  import('./postgres-store.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new MirrorRefused('postgres: needs the package pg, which is not installed: run "npm install pg"');
  });
