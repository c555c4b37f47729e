import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node-version.mjs';
import { ensureProgram } from './program.mjs';

/**
 * Runs before every npm script: dependencies in place, their PostgreSQL complete, a Node that is new enough, the program built. Plain JavaScript, because the Node
 * that runs it may be older than the one that the program needs. Standard output stays clean for the script itself.
 */
try {
  await ensureDependencies({
    withTools: !process.argv.includes('--without-tools'),
    withPayments: process.argv.includes('--with-payments'),
  });
  ensureNode();
  await ensureProgram();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
