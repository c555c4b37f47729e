/** Where the program runs: what is asked about it before anything of the program is loaded. */
export type Started = Pick<NodeJS.Process, 'argv' | 'execArgv' | 'env' | 'platform' | 'connected'>;

export interface LimitedStart {
  /** Of the same Node, without its own path. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Left alone, Node lets the young generation grow to 128 MB where a load makes it, fills it page by page for minutes, gives it back at rest and
 * begins anew: resident memory climbs and falls by a hundred megabytes of garbage. Of one small size from the beginning it is full within
 * seconds and stays as it is. So small a generation is collected often, and by one thread for less than it costs to wake several.
 */
const YOUNG_GENERATION = ['--min-semi-space-size=4', '--max-semi-space-size=4', '--no-parallel-scavenge'];
const SAID_BY_THE_OPERATOR = /(^|\s)--max[-_]semi[-_]space[-_]size\b/;
/** A setting of glibc, which otherwise gives each thread of Node's pools its own arena, and no arena returns freed memory. */
const ARENAS = { MALLOC_ARENA_MAX: '2' };

/**
 * How a process that serves is to be started again in its own place, because Node and the C library take such sizes only when they start. Null
 * where that has been done, for a command, where the operator has given a size, where a process cannot be replaced, and
 * where it has a channel to its parent, which would be lost.
 */
export function limitedStart({ argv, execArgv, env, platform, connected }: Started, compileCache: string): LimitedStart | null {
  const said = [...execArgv, env['NODE_OPTIONS'] ?? ''].join(' ');
  if (argv[2] !== 'serve' || platform === 'win32' || connected || SAID_BY_THE_OPERATOR.test(said)) return null;
  return { args: [...execArgv, ...YOUNG_GENERATION, ...argv.slice(1)], env: { ...ARENAS, NODE_COMPILE_CACHE: compileCache, ...env } };
}
