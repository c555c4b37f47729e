import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the generated files of the client are what the contract gives', () => {
  const command = ['--import', './tools/client/old-typescript.mjs', 'tools/client/generate.ts', '--check'];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
