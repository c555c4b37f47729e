import { fileURLToPath } from 'node:url';
import { checkDirections } from './check-directions.ts';

/** `npm run directions`: says which imports go the wrong way, and fails when one does. */
const { seen, violations } = await checkDirections(fileURLToPath(new URL('..', import.meta.url)));
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.stdout.write(`directions: ${seen} files read, ${violations.length} violations\n`);
if (violations.length > 0) process.exitCode = 1;
