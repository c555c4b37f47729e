import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import { makeInstallation, runProgram, type Service } from '../support/service.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(CHECKOUT, 'docs/connect-an-agent.md'), 'utf8');
const EXAMPLE = 'https://records.example.org';

/** The one fenced block of this language that is marked to be run. */
function block(language: string): string {
  const found = [...PAGE.matchAll(new RegExp(`^\`\`\`${language} run\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);
  expect({ language, blocks: found.length }).toEqual({ language, blocks: 1 });
  return found[0]!;
}

const installation = makeInstallation('civic-connect-');
let service: Service;
beforeAll(async () => {
  service = await installation.start({ sample: 'on' });
});
afterAll(async () => {
  await service?.stop();
  await installation.close();
});

const environment = () => ({ ...installation.environment(), CIVIC_URL: service.baseUrl, CIVIC_API_KEY: service.key! });
function here(text: string): string {
  expect(text).toContain(EXAMPLE);
  return text.replaceAll(EXAMPLE, service.baseUrl);
}

test('the address and the headers of the client configuration reach the tools', async () => {
  const { mcpServers } = JSON.parse(here(block('json'))) as {
    mcpServers: Record<string, { type: string; url: string; headers: Record<string, string> }>;
  };
  const [server] = Object.values(mcpServers);
  expect(server!.type).toBe('http');
  const headers = Object.fromEntries(
    Object.entries(server!.headers).map(([name, value]) => [name, value.replace(`\${CIVIC_API_KEY}`, service.key!)]),
  );
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server!.url), { requestInit: { headers } }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
  await client.close();
});

test('the program of the page lists the tools and calls one of them', async () => {
  // Beside the installed libraries, which it imports by name.
  const path = join(CHECKOUT, `connect-an-agent-${process.pid}.tmp.mjs`);
  const ends =
    'console.log(JSON.stringify([tools.map(({ name }) => name), Object.keys(result.structuredContent.data)]));\nawait client.close();\n';
  writeFileSync(path, `${block('js')}${ends}`);
  try {
    const { exitCode, stdout, stderr } = await runProgram([process.execPath, path], { cwd: installation.folder, env: environment() }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([TOOL_NAMES, ['jurisdictions', 'topics', 'guidance', 'truncated']]);
  } finally {
    rmSync(path);
  }
});

test.skipIf(spawnSync('curl', ['--version']).status !== 0)(
  'the command without a client calls a tool as it is written (needs curl)',
  async () => {
    const line = ['bash', '-c', `set -euo pipefail\n${here(block('sh'))}`];
    const { exitCode, stdout, stderr } = await runProgram(line, { cwd: installation.folder, env: environment() }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { result } = JSON.parse(stdout) as { result: { isError?: true; structuredContent: { data: { jurisdictions: unknown[] } } } };
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent.data.jurisdictions.length).toBeGreaterThan(1);
  },
);

test('the table lists every tool and no other name', () => {
  const table = PAGE.slice(PAGE.indexOf('## The tools'), PAGE.indexOf('Each call counts'));
  expect([...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)).toEqual(TOOL_NAMES);
});
