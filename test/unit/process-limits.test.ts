import { describe, expect, test } from 'vitest';
import { limitedStart, type Started } from '../../src/process-limits.ts';

const CACHE = '/app/node_modules/.cache/civic';
const MEMORY = ['--min-semi-space-size=4', '--max-semi-space-size=4', '--no-parallel-scavenge', '--expose-gc'];

const started = (over: Partial<Started> = {}): Started => ({
  argv: ['/usr/bin/node', '/app/src/main.ts', 'serve', '--role', 'api'],
  execArgv: ['--import', 'trace.mjs'],
  env: { DATABASE_URL: 'postgres://here' },
  platform: 'linux',
  connected: false,
  ...over,
});

describe('the memory of a serving process', () => {
  test('is limited by a start in its place with the same options, arguments and settings', () => {
    expect(limitedStart(started(), CACHE)).toEqual({
      args: ['--import', 'trace.mjs', ...MEMORY, '/app/src/main.ts', 'serve', '--role', 'api'],
      env: expect.objectContaining({ DATABASE_URL: 'postgres://here', MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: CACHE }),
    });
  });

  test.each(['--role projector', '--role=projector', '--role worker'])('is larger for what follows the log: %s', (role) => {
    const { args } = limitedStart(started({ argv: ['/usr/bin/node', '/app/src/main.ts', 'serve', ...role.split(' ')] }), CACHE)!;
    expect(args).toContain('--max-semi-space-size=16');
  });

  test('is limited once: the new process is not started again', () => {
    const { args } = limitedStart(started(), CACHE)!;
    const [execArgv, argv] = [args.slice(0, 6), ['/usr/bin/node', ...args.slice(6)]];
    expect(limitedStart(started({ execArgv, argv }), CACHE)).toBeNull();
  });

  test.each([
    ['by an option of its own', { execArgv: ['--max-semi-space-size=64'] }],
    ['by an option with underscores', { execArgv: ['--max_semi_space_size', '64'] }],
    ['by NODE_OPTIONS', { env: { NODE_OPTIONS: '--import a.mjs --max-semi-space-size=64' } }],
  ])('keeps a size that the operator sets %s', (_how, said: Partial<Started>) => {
    const { execArgv, argv } = started(said);
    expect(limitedStart(started(said), CACHE)!.args).toEqual([...execArgv, '--expose-gc', ...argv.slice(1)]);
  });

  test("is limited without changing the operator's settings of the C library", () => {
    expect(limitedStart(started({ env: { MALLOC_ARENA_MAX: '7' } }), CACHE)!.env['MALLOC_ARENA_MAX']).toBe('7');
  });

  test.each([
    ['of a command, which ends soon', { argv: ['/usr/bin/node', '/app/src/main.ts', 'records', 'import', 'serve'] }],
    ['of a process with a channel to its parent, which would be lost', { connected: true }],
    ['where a process cannot be replaced', { platform: 'win32' as const }],
  ])('is not limited in the case %s', (_what, over) => {
    expect(limitedStart(started(over), CACHE)).toBeNull();
  });
});
