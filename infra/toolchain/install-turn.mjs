import { mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const look = 200;

/**
 * Waits until nobody else installs into a checkout and gives the function that ends this turn. The turn is a folder that holds its owner's
 * process number: it appears whole by a rename, which fails on a folder that holds anything, so exactly one has it. One that a killed
 * installer left is emptied by taking that very owner out.
 * @param {string} root the checkout
 */
export async function takeTurn(root) {
  // Beside node_modules, because `npm ci` removes that folder.
  const turn = join(root, '.installing');
  for (let told = false; ; ) {
    if (tryTurn(turn)) return () => endTurn(turn, String(process.pid));
    const [owner] = listed(turn);
    if (owner !== undefined && !isAlive(Number(owner))) endTurn(turn, owner);
    else {
      if (!told) process.stderr.write('Waiting for another process that installs the dependencies …\n');
      told = true;
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
    throw new Error(`the dependencies cannot be installed in ${turn}: ${error.message}`, { cause: error });
  }
}

function endTurn(turn, owner) {
  try {
    unlinkSync(join(turn, owner));
    rmdirSync(turn);
  } catch {
    // Somebody else has ended it, or has it by now.
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
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
