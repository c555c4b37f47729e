export type Started = Pick<NodeJS.Process, 'argv' | 'execArgv' | 'env' | 'platform' | 'connected'>;

/**
 * By default the young generation grows to 128 MB under load and is given back at rest: resident memory varies by a hundred megabytes of
 * garbage. With one small size it is soon full and stays so. It is then collected often, by one thread, which costs less than waking
 * several. A process that folds or classifies and answers nothing may use more: its garbage of a batch lives longer.
 */
function youngGeneration(argv: readonly string[]): readonly string[] {
  const megabytes = argv.some((each) => FOLLOWING_ROLE.test(each)) ? 16 : 4;
  return ['--min-semi-space-size=4', `--max-semi-space-size=${megabytes}`, '--no-parallel-scavenge'];
}
const FOLLOWING_ROLE = /^(--role=)?(projector|worker)$/;
const GIVEN_BY_OPERATOR = /(^|\s)--max[-_]semi[-_]space[-_]size\b/;
/** A setting of glibc, which otherwise gives each thread of Node's pools its own arena, and no arena returns freed memory. */
const ARENAS = { MALLOC_ARENA_MAX: '2' };
/** The service gives memory back at rest through it. */
const COLLECTOR = '--expose-gc';

/**
 * How to start a serving process again in its place: Node and the C library take these options only at their start. A size of the operator
 * stays. Null where that is done, for other commands, and where a process cannot be replaced or would lose the channel to its parent.
 */
export function limitedStart({ argv, execArgv, env, platform, connected }: Started, compileCache: string) {
  const given = [...execArgv, env['NODE_OPTIONS'] ?? ''].join(' ');
  if (argv[2] !== 'serve' || platform === 'win32' || connected || execArgv.includes(COLLECTOR)) return null;
  const sizes = GIVEN_BY_OPERATOR.test(given) ? [] : youngGeneration(argv);
  return { args: [...execArgv, ...sizes, COLLECTOR, ...argv.slice(1)], env: { ...ARENAS, NODE_COMPILE_CACHE: compileCache, ...env } };
}
