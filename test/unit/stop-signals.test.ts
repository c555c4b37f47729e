import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listenForStopSignals } from '../../src/cli/stop-signals.ts';
import { MAIN } from '../support/service.ts';

test('the first signal asks for the end, and the second for haste', () => {
  const process = new EventEmitter();
  const { stopping, hurrying } = listenForStopSignals(process as NodeJS.Process);
  process.emit('SIGTERM');
  expect([stopping.aborted, hurrying.aborted]).toEqual([true, false]);
  process.emit('SIGINT');
  expect(hurrying.reason).toMatchObject({ name: 'CommandFailed', message: 'stopped by SIGINT', exitCode: 130 });
});

test('the program listens for signals before it loads the rest, which process 1 of a container needs', () => {
  const lines = readFileSync(MAIN, 'utf8').split('\n');
  const listening = lines.findIndex((line) => line.includes('= listenForStopSignals('));
  const loaded = lines.slice(0, listening).filter((line) => /^import .*'\.|import\(/.test(line));
  expect(loaded.map((line) => /'(.*)'/.exec(line)![1])).toEqual([
    '../plumbing/program-files.ts',
    './cli/stop-signals.ts',
  ]);
});

test('the program is a command: its file can be executed', () => {
  const { status, stdout } = spawnSync(MAIN, ['--version'], {
    encoding: 'utf8',
    env: { PATH: `${NODE_FOLDER}:/usr/bin:/bin` },
  });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});

/** The Node that runs the tests first: the system's might be too old for TypeScript. */
const NODE_FOLDER = process.execPath.slice(0, process.execPath.lastIndexOf('/'));
