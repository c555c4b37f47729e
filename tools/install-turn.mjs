import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const look = 200;

/**
 * Waits until no other process installs in a checkout. The lock is a folder that holds its owners' process numbers: it appears whole by a rename,
 * which fails on a folder that holds anything, so exactly one has it. One that a killed installer left is emptied by taking those very
 * owners out, once all of them have ended.
 * @param {string} root the checkout
 * @returns `addOwner` adds a child process, which survives this process; `end` ends the turn.
 */
export async function takeTurn(root) {
  // Placed next to node_modules, because `npm ci` removes that folder.
  const turn = join(root, '.installing');
  for (let hasPrinted = false; ; ) {
    if (tryTurn(turn))
      return { addOwner: (pid) => writeFileSync(join(turn, String(pid)), ''), end: () => endTurn(turn, listed(turn)) };
    const owners = listed(turn);
    if (owners.length > 0 && !owners.some(isAlive)) endTurn(turn, owners);
    else {
      if (!hasPrinted) process.stderr.write('Waiting for another process to finish installing …\n');
      hasPrinted = true;
      await new Promise((resolve) => setTimeout(resolve, look));
    }
  }
}

function tryTurn(turn) {
  const own = `${turn}.${process.pid}`;
  try {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, String(process.pid)), '');
    renameSync(own, turn);
    return true;
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw new Error(`${dirname(turn)} cannot be written to: ${error.message}`, { cause: error });
  }
}

function endTurn(turn, owners) {
  try {
    for (const owner of owners) unlinkSync(join(turn, owner));
    rmdirSync(turn);
  } catch {
    // Another process has released the lock, or has it by now.
  }
}

function listed(turn) {
  try {
    return readdirSync(turn);
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return !isZombie(pid);
}

/** Ended, but not yet reaped: as process 1, which inherits orphans, many programs in containers never do it. */
function isZombie(pid) {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
