import { openDirectoryStore } from './directory-store.ts';
import type { FileFormat } from './mirror-files.ts';
import { MirrorRefused, type MirrorStore } from './mirror-store.ts';

/**
 * A store by its address: `sqlite:FILE`, `postgres://…`, or a folder, which alone has a format, and files of one resource only where that is
 * all it mirrors. Throws `MirrorRefused`.
 */
export async function openMirrorStore(to: string, format: FileFormat | null = null, resource: string | null = null): Promise<MirrorStore> {
  // One letter is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(to)?.[1];
  if (scheme === undefined) return openDirectoryStore(to, format, resource);
  if (format !== null) throw new MirrorRefused(`only a folder has a format, and ${scheme}: is none`);
  if (scheme === 'sqlite') return (await sqliteStores()).openSqliteStore(to.slice('sqlite:'.length));
  if (/^postgres(ql)?$/.test(scheme)) return (await postgresStores()).openPostgresStore(to);
  throw new MirrorRefused(
    `a mirror cannot be kept in ${scheme}:; allowed are a folder, sqlite:FILE and postgres://… (a folder of that name is ./${scheme}:…)`,
  );
}

/** Both are loaded on demand: a customer's Node may lack the one, and the package `pg` is optional. */
const sqliteStores = () =>
  import('./sqlite-store.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
    throw new MirrorRefused(
      `sqlite: needs Node.js 22.13 or newer, which has node:sqlite, and this is ${process.version}; a folder and postgres://… work here`,
    );
  });

const postgresStores = () =>
  import('./postgres-store.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new MirrorRefused('postgres: needs the package pg, which is not installed: run "npm install pg"');
  });
