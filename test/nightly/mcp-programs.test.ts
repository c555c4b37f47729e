import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { type KeyProxy, startKeyProxy } from '../support/key-proxy.ts';
import { plainEnvironment, runProgram } from '../support/service.ts';
import { ARGUMENTS } from '../support/tool-answers.ts';

/** The official conformance suite and the official inspector, run as separate processes one after the other. */
const MODULES = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/', import.meta.url));
const SUITE = join(MODULES, 'conformance/dist/index.js');
const INSPECTOR = join(MODULES, 'inspector/clients/launcher/build/index.js');

let edge: HttpEdge;
let proxy: KeyProxy;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'civic-conformance-'));
  proxy = await startKeyProxy();
  const { port } = new URL(proxy.url);
  edge = await startHttpEdge({
    allowedOrigins: [`http://localhost:${port}`, proxy.url],
    tools: { billingEnforced: false },
  });
  proxy.target = { port: edge.port, key: edge.keys.mcp };
});
afterAll(async () => {
  await proxy?.close();
  await edge?.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (program: string, args: readonly string[]) =>
  runProgram([process.execPath, program, ...args], {
    cwd: folder,
    env: { ...plainEnvironment(), HOME: folder, NO_COLOR: '1' },
  }).ended;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Every check of a scenario with its outcome, and the verdict of the suite. */
async function suite(scenario: string, version: string) {
  const results = mkdtempSync(join(folder, 'results-'));
  const url = `${proxy.url}/api/v1/mcp`;
  const { exitCode, stdout } = await run(SUITE, [
    'server',
    '--url',
    url,
    '--scenario',
    scenario,
    '--spec-version',
    version,
    '-o',
    results,
  ]);
  const [file] = readdirSync(results, { recursive: true }).filter((path) => String(path).endsWith('checks.json'));
  const checks = JSON.parse(readFileSync(join(results, String(file)), 'utf8')) as Check[];
  return { exitCode, stdout, checks };
}
const without = (checks: readonly Check[], ...statuses: string[]) =>
  checks.filter(({ status }) => !statuses.includes(status));

describe('the conformance suite', () => {
  test.each([
    ['http-header-validation', '2026-07-28', 14],
    ['tools-list', '2026-07-28', 4],
    ['dns-rebinding-protection', '2026-07-28', 2],
    ['tools-list', '2025-11-25', 3],
    ['dns-rebinding-protection', '2025-11-25', 2],
    ['ping', '2025-11-25', 2],
    ['server-initialize', '2025-11-25', 2],
  ])('passes %s of %s', async (scenario, version, least) => {
    const { exitCode, checks } = await suite(scenario, version);
    expect(without(checks, 'SUCCESS', 'INFO')).toEqual([]);
    expect(exitCode).toBe(0);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
  });

  test.each<[string, number, Readonly<Record<string, string>>]>([
    [
      'server-stateless',
      24,
      {
        'sep-2575-http-server-no-independent-requests-on-stream': 'FAILURE',
        'sep-2575-missing-capability-http-400': 'FAILURE',
        'sep-2575-server-no-log-without-loglevel': 'FAILURE',
        'sep-2575-server-rejects-undeclared-capability': 'FAILURE',
        'sep-2575-server-sends-prompts-list-changed-on-subscription': 'SKIPPED',
        'sep-2575-server-sends-tools-list-changed-on-subscription': 'SKIPPED',
      },
    ],
    [
      'caching',
      2,
      {
        'sep-2549-prompts-list-caching-hints': 'FAILURE',
        'sep-2549-resources-list-caching-hints': 'FAILURE',
        'sep-2549-resources-read-caching-hints': 'SKIPPED',
        'sep-2549-resources-templates-list-caching-hints': 'FAILURE',
      },
    ],
  ])(
    'fails no check of %s of 2026-07-28, except for tools and lists that are not served',
    async (scenario, least, known) => {
      const { checks } = await suite(scenario, '2026-07-28');
      expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
      expect(Object.fromEntries(without(checks, 'SUCCESS', 'INFO').map(({ id, status }) => [id, status]))).toEqual(
        known,
      );
    },
  );
});

describe.each(['modern', 'auto', 'legacy'])('the inspector in its era mode %s', (era) => {
  const inspect = (...args: string[]) =>
    run(INSPECTOR, [
      '--cli',
      `${edge.url}/api/v1/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${edge.keys.mcp}`,
      '--protocol-era',
      era,
      '--format',
      'json',
      ...args,
    ]);

  test('lists every tool and calls one of each kind', async () => {
    const listed = await inspect('--method', 'tools/list');
    expect({ exitCode: listed.exitCode, stderr: listed.exitCode === 0 ? '' : listed.stderr }).toEqual({
      exitCode: 0,
      stderr: '',
    });
    for (const name of TOOL_NAMES) expect(listed.stdout).toContain(`"${name}"`);
    const args = JSON.stringify(ARGUMENTS.search_agenda);
    const called = await inspect('--method', 'tools/call', '--tool-name', 'search_agenda', '--tool-args-json', args);
    expect(called.exitCode).toBe(0);
    expect(called.stdout).toContain('Rezone 100 Main Street');
  });
});
