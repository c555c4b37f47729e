#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode, newNode } from './node-version.mjs';

/**
 * The command `civic` of a checkout: `npx civic`, or `civic` after `npm link`. Plain JavaScript, because the Node that runs it may be older than
 * the one that the program needs.
 */
try {
  await ensureDependencies({ withTools: false, withPayments: process.argv[2] === 'sandbox' });
  ensureNode();
  const node = newNode();
  if (node === process.execPath) await import('../src/main.ts');
  else
    process.exitCode = await run(node, [
      fileURLToPath(new URL('../src/main.ts', import.meta.url)),
      ...process.argv.slice(2),
    ]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Resolves to the exit status; the program gets the signals that this process gets. */
function run(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
}
