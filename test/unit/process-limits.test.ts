import { describe, expect, test } from 'vitest';
import { limitedStart, type Started } from '../../src/process-limits.ts';

const YOUNG = ['--min-semi-space-size=8', '--max-semi-space-size=8', '--no-parallel-scavenge'];

const started = (over: Partial<Started> = {}): Started => ({
  argv: ['/usr/bin/node', '/app/src/main.ts', 'serve', '--role', 'api'],
  execArgv: ['--import', 'trace.mjs'],
  env: { DATABASE_URL: 'postgres://here' },
  platform: 'linux',
  connected: false,
  ...over,
});

describe('the memory of a process that serves', () => {
  test('is limited by a start in its own place with the same options, arguments and settings', () => {
    expect(limitedStart(started())).toEqual({
      args: ['--import', 'trace.mjs', ...YOUNG, '/app/src/main.ts', 'serve', '--role', 'api'],
      env: expect.objectContaining({ DATABASE_URL: 'postgres://here', MALLOC_ARENA_MAX: '2' }),
    });
  });

  test('is limited once: what was started so is not started again', () => {
    const { args } = limitedStart(started())!;
    const [execArgv, argv] = [args.slice(0, 5), ['/usr/bin/node', ...args.slice(5)]];
    expect(limitedStart(started({ execArgv, argv }))).toBeNull();
  });

  test.each([
    ['by an option of its own', { execArgv: ['--max-semi-space-size=64'] }],
    ['by an option with underscores', { execArgv: ['--max_semi_space_size', '64'] }],
    ['by NODE_OPTIONS', { env: { NODE_OPTIONS: '--import a.mjs --max-semi-space-size=64' } }],
  ])('is left to the operator who says %s how large it may be', (_how, said) => {
    expect(limitedStart(started(said))).toBeNull();
  });

  test('keeps what the operator has said of the C library', () => {
    expect(limitedStart(started({ env: { MALLOC_ARENA_MAX: '7' } }))!.env['MALLOC_ARENA_MAX']).toBe('7');
  });

  test.each([
    ['of a command, which ends soon', { argv: ['/usr/bin/node', '/app/src/main.ts', 'records', 'import', 'serve'] }],
    ['of a process with a channel to its parent, which would be lost', { connected: true }],
    ['where a process cannot be replaced', { platform: 'win32' as const }],
  ])('is left as it is in the case %s', (_what, over) => {
    expect(limitedStart(started(over))).toBeNull();
  });
});
