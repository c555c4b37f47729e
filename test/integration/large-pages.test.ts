import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT } from '../support/production-tree.ts';
import { type Installation, plainEnvironment, runProgram, type Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

/** A page of 500 of the sample's records is larger, a record alone is not. */
const SMALL = { requests_per_minute: 1_000_000, burst_limit: 1_000_000, max_response_bytes: 20_000 };
const missing = spawnSync('python3', ['--version']).status !== 0;
let installation: Installation;
let service: Service;

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-large-pages-');
  service = await installation.start({
    sample: 'on',
    env: { CIVIC_PLANS: JSON.stringify({ default: SMALL, pro: SMALL, ultra: SMALL }) },
  });
});

afterAll(async () => {
  await service.stop();
  await installation.close();
});

test('a page that is too large for the account is refused', async () => {
  const headers = { authorization: `Bearer ${service.key}` };
  expect((await fetch(`${service.baseUrl}/api/v1/data/changes?limit=500`, { headers })).status).toBe(413);
});

test.each(['folder', 'sqlite:large-pages.db'])('a mirror in %s asks for fewer records, and is whole', async (to) => {
  const options = { env: { CIVIC_API_KEY: service.key! } };
  const { exitCode, stdout, stderr } = await installation.civic(
    ['replicate', '--base-url', service.baseUrl, '--to', to, '--once', '--verify', '--json'],
    options,
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ verified: true });
});

test.skipIf(missing)('a copy of the Python client asks for fewer records too (needs python3)', async () => {
  const program = join(CHECKOUT, 'clients/python/civic_records.py');
  const { exitCode, stdout, stderr } = await runProgram(
    [
      'python3',
      program,
      'replicate',
      '--base-url',
      service.baseUrl,
      '--to',
      join(installation.folder, 'python.db'),
      '--verify',
    ],
    { cwd: installation.folder, env: { ...plainEnvironment(), CIVIC_API_KEY: service.key! } },
  ).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('equal to the service');
});
