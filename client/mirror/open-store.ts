import { openDirectoryStore } from './directory-store.ts';
import type { FileFormat } from './mirror-files.ts';
import { MirrorRefused, type MirrorStore } from './mirror-store.ts';
import { openPostgresStore } from './postgres-store.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** A store by its address: `sqlite:FILE`, `postgres://…`, or a folder, which alone has a format. Throws `MirrorRefused`. */
export async function openMirrorStore(to: string, format: FileFormat | null = null): Promise<MirrorStore> {
  // One letter is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(to)?.[1];
  if (scheme === undefined) return openDirectoryStore(to, format);
  if (format !== null) throw new MirrorRefused(`only a folder has a format, and ${scheme}: is none`);
  if (scheme === 'sqlite') return openSqliteStore(to.slice('sqlite:'.length));
  if (/^postgres(ql)?$/.test(scheme)) return openPostgresStore(to);
  throw new MirrorRefused(
    `a mirror cannot be kept in ${scheme}:; allowed are a folder, sqlite:FILE and postgres://… (a folder of that name is ./${scheme}:…)`,
  );
}
