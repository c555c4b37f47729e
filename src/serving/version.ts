import { readFileSync } from 'node:fs';

/** Of the package, so that whoever looks at a process sees which program it runs. */
export const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
