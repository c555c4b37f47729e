import { fileURLToPath } from 'node:url';
import { checkDirections } from './check-directions.ts';

/** `npm run directions`: lists the imports in the wrong direction and fails if there is one. */
const { moduleCount, violations } = await checkDirections(fileURLToPath(new URL('..', import.meta.url)));
for (const violation of violations) process.stderr.write(`${violation}\n`);
process.stdout.write(`directions: ${moduleCount} files read, ${violations.length} violations\n`);
if (violations.length > 0) process.exitCode = 1;
