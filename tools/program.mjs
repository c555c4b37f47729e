import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeTurn } from './install-turn.mjs';
import { newNode } from './node-version.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const entry = join(dist, 'main.mjs');
/** What the bundle is made of: package.json is part of it, and the lock file names the packages. */
const sources = [
  'client',
  'commands',
  'contract',
  'domain',
  'infra',
  'projections',
  'queries',
  'src',
  'tools/build.mjs',
  'package.json',
  'package-lock.json',
];
/** A service may run through so many builds: it loads parts of its bundle late. */
const KEPT = 10;

/**
 * Bundles the program into `dist/` where its sources have changed since: one file is read in place of hundreds, so it starts in half of the time
 * and keeps 10 MB less. Each bundle has a folder of its own, and those before it stay: a running service may not have loaded all of its own.
 */
export async function ensureProgram() {
  if (isBuilt(versionOfSources())) return;
  const turn = await takeTurn(root);
  try {
    const version = versionOfSources();
    if (isBuilt(version)) return;
    process.stderr.write('Building the program …\n');
    if ((await build(turn, join(dist, version))) !== 0) throw new Error('the program could not be built: see the lines above');
    // Renamed, so that a start at this moment finds one or the other.
    writeFileSync(`${entry}.new`, importOf(version));
    renameSync(`${entry}.new`, entry);
    const madeAt = (name) => statSync(join(dist, name)).mtimeMs;
    const former = readdirSync(dist).filter((name) => ![version, 'main.mjs'].includes(name));
    for (const name of former.sort((one, other) => madeAt(other) - madeAt(one)).slice(KEPT)) remove(join(dist, name));
    // It has the code of former bundles; the next start fills it again.
    remove(join(root, 'node_modules/.cache/civic'));
  } finally {
    turn.end();
  }
}

function build(turn, folder) {
  const child = spawn(newNode(), [join(root, 'tools/build.mjs'), folder], { cwd: root, stdio: ['ignore', 2, 2] });
  if (child.pid !== undefined) turn.addOwner(child.pid);
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}

function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Another process writes there just now, or another user has: what is left does no harm.
  }
}

const importOf = (version) => `import './${version}/main.mjs';\n`;
const builtVersion = () => (existsSync(entry) ? /'\.\/(\w+)\//.exec(readFileSync(entry, 'utf8'))?.[1] : undefined);
const isBuilt = (version) => builtVersion() === version && existsSync(join(dist, version, 'main.mjs'));

/** A text that differs when a source was changed, added or removed; the same where the checkout was moved. */
function versionOfSources() {
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory() ? filesBelow(path) : [path];
    for (const file of files) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${file.slice(root.length)} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.(ts|mjs|json)$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => join(folder, name))
    .sort((one, other) => (one < other ? -1 : 1));
