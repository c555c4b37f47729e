import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node-version.mjs';

/**
 * Runs before every npm script: installs missing dependencies and checks the version of Node. Plain JavaScript, because it may run on a Node that
 * is too old for the program. Writes nothing to standard output, which belongs to the script.
 */
try {
  await ensureDependencies({
    withTools: !process.argv.includes('--without-tools'),
    withPayments: process.argv.includes('--with-payments'),
  });
  ensureNode();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
