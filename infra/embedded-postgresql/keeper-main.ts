import { keepServer } from './keeper.ts';

/**
 * The keeper's own process: `node keeper-main.ts DATA_DIR`, with the locked file as descriptor 3. It ends when its last user has left, and by
 * nothing else: a signal that a terminal or a supervisor sends to all at once must not take the database from a service that still drains.
 */
const lock = 3;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
// After the end of the starter this output has no reader.
process.stderr.on('error', () => undefined);
try {
  await keepServer(process.argv[2] ?? '', lock);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
