import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The oldest Node that runs the program, as package.json says it. */
const oldestNode = [24, 12];

const packagedNode = join(root, 'node_modules/.bin/node');

/** Throws with one line that says what to do when the Node that npm's scripts will find is too old. */
export function ensureNode() {
  const packaged = join(root, `node_modules/node-${process.platform}-${process.arch}/package.json`);
  const version =
    existsSync(packagedNode) && existsSync(packaged)
      ? JSON.parse(readFileSync(packaged, 'utf8')).version
      : systemNode();
  if (isEnough(version)) return;
  throw new Error(
    `Node ${oldestNode.join('.')} or newer is needed and this is ${version}: install it from https://nodejs.org` +
      ' (on Linux "npm ci" without --omit=optional brings one along)',
  );
}

/** The program of a Node that is new enough: this one, or after `ensureNode` the one of the dependencies or of the path. */
export function newNode() {
  if (isEnough(process.versions.node)) return process.execPath;
  return existsSync(packagedNode) ? packagedNode : 'node';
}

/** npm puts node_modules/.bin first on the path of its scripts; the Node that runs this one may not be what comes next. */
function systemNode() {
  const { status, stdout } = spawnSync('node', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().replace(/^v/, '') : process.versions.node;
}

function isEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}
