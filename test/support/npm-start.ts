import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { processesOf } from './embedded-users.ts';
import { bannerOf, type Installation, makeInstallation, remaining, runProgram, type Running } from './service.ts';

/** `npm start` in this checkout; `npm test` has prepared it. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
export const NPM_START = ['npm', 'start', '--ignore-scripts', '--silent'];

export interface Started {
  readonly npm: Running;
  /** The service's own process, below npm. */
  readonly service: number;
  readonly banner: string;
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
const isAlive = (pid: number): boolean => spawnSync('kill', ['-0', String(pid)]).status === 0;

/**
 * One installation for the tests of a file, started by npm; a process that a test leaves behind fails it. A prepared
 * one has a migrated database.
 */
export function useNpmStart(state: 'prepared' | 'bare' = 'bare') {
  let installation: Installation;
  let started: Running[] = [];
  const makeOne = (): void => void (installation = makeInstallation('civic-start-', {}, state));
  beforeAll(makeOne);
  afterEach(async () => {
    for (const program of started) program.kill('SIGTERM');
    await Promise.all(started.map(({ ended }) => ended));
    started = [];
    const remnants = await remaining(installation.dataDir);
    if (remnants.length > 0) throw new Error(`left behind: ${remnants.map(({ command }) => command).join('; ')}`);
  });
  afterAll(() => installation.close());
  return {
    installation: () => installation,
    /** Used by tests of the first start. */
    async makeAnother(): Promise<void> {
      await installation.close();
      makeOne();
    },
    /** Ends a program after the test. */
    ending: (program: Running): void => void started.push(program),
    async npmStart(sample: 'on' | 'off', prefix: readonly string[] = []): Promise<Started> {
      const npm = runProgram([...prefix, ...NPM_START], {
        cwd: CHECKOUT,
        env: installation.environment({ CIVIC_SAMPLE: sample }),
      });
      started.push(npm);
      const banner = await bannerOf(npm);
      const [service] = childrenOf(npm.pid);
      if (service === undefined) throw new Error('npm has no child');
      return { npm, service, banner };
    },
    expectNothingLeft(service: number): void {
      expect(isAlive(service)).toBe(false);
      expect(processesOf(installation.dataDir)).toEqual([]);
    },
  };
}
