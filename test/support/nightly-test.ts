import { describe, test } from 'vitest';

const isNightly = process.env['TEST_RUNS'] !== undefined;
const nothing = (): void => undefined;
const never = Object.assign(nothing, { each: () => nothing, skipIf: () => nothing });

/** A test of the nightly run, in a file with other tests that share its service. List its file in `REPEATED_TESTS`. */
export const nightlyTest = isNightly ? test : (never as unknown as typeof test);

/** The same for a group of tests. */
export const nightlyDescribe = isNightly ? describe : (never as unknown as typeof describe);
