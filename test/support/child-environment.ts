/**
 * The environment of a process that a test starts: no setting of the tests', only where programs are found and where compiled code is
 * kept, without which each process takes the types out of every source again. Further variables are the test's own.
 */
export const childEnvironment = (
  further: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ...further,
});
