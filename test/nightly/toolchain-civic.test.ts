import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oldestNode } from '../support/client-package.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { bannerOf, type Installation, makeInstallation, runProgram } from '../support/service.ts';

const { bin, version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
  bin: { civic: string };
  version: string;
};
let installation: Installation;

beforeAll(() => {
  installation = makeInstallation('civic-bin-');
});
afterAll(() => installation.close());

test('npx civic runs the command, with its exit status', async () => {
  const run = (...args: string[]) =>
    runProgram(['npx', '--offline', 'civic', ...args], { cwd: CHECKOUT, env: installation.environment() }).ended;
  expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  expect(await run('--help')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Usage: civic /) as unknown,
  });
  expect(await run('nonsense')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining("unknown command 'nonsense'") as unknown,
  });
});

test.each([
  ['the present Node', process.execPath],
  ['the Node of the machine, older where it has one', oldestNode()],
])('the launcher on %s serves, and ends cleanly by a signal', async (_, node) => {
  const env = installation.environment({ CIVIC_SAMPLE: 'off' });
  const program = runProgram([node, join(CHECKOUT, bin.civic), 'serve'], { cwd: installation.folder, env });
  expect(await bannerOf(program)).toMatch(/^Civic Records +http/m);
  program.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ exitCode: 0 });
});
