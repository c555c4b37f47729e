import { existsSync } from 'node:fs';

/** Root of the repository. */
const ROOT = new URL('..', import.meta.url);

/** Resolves a path in the repository, for files that are read while the program runs. */
export const programFile = (path: string): URL => new URL(path, ROOT);

/** Command that starts `civic` here: an image has no `tools/`, which the scripts of npm need, and has `civic` on the path. */
export const CIVIC_COMMAND = existsSync(programFile('tools/ensure.mjs')) ? 'npm run --silent civic --' : 'civic';
