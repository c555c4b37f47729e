import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The code runs from its sources, and from the bundle that `tools/build.mjs` makes of them in another folder. */
const ROOT = pathToFileURL(findPackageJSON('..', import.meta.url)!);

/** A file or folder of the repository that is read while the program runs, by its path there. */
export const programFile = (path: string): URL => new URL(path, ROOT);
