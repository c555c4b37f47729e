import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import { runProgram, type Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(CHECKOUT, 'docs/developers/connect-an-agent.md'), 'utf8');
const EXAMPLE = 'https://records.example.org';

/** The one fenced block that has this language and these marks and is to be run. */
function block(language: string, marks = 'run'): string {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language} ${marks}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text!,
  );
  expect({ language, blocks: blocks.length }).toEqual({ language, blocks: 1 });
  return blocks[0]!;
}

const installation = await makeSharedInstallation('civic-connect-');
let service: Service;
beforeAll(async () => {
  service = await installation.start({ sample: 'on' });
});
afterAll(async () => {
  await service?.stop();
  await installation.close();
});

const environment = () => ({ ...installation.environment(), BASE: service.baseUrl, CIVIC_API_KEY: service.key! });
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

/** The value of an expression after the program. */
async function valueAfter(program: string, expression: string): Promise<unknown> {
  // Placed next to the installed libraries, which it imports by name.
  const path = join(CHECKOUT, `connect-an-agent-${process.pid}.tmp.mjs`);
  const print = 'console.log(JSON.stringify(';
  writeFileSync(path, `${program}\n${print}${expression}));\nawait client.close();\n`);
  try {
    const { exitCode, stdout, stderr } = await runProgram([process.execPath, path], {
      cwd: installation.folder,
      env: environment(),
    }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  } finally {
    rmSync(path);
  }
}

test('the program of the page lists the tools and calls one of them', async () => {
  const resultExpression = '[tools.map(({ name }) => name), Object.keys(result.structuredContent.data)]';
  expect(await valueAfter(block('js'), resultExpression)).toEqual([
    TOOL_NAMES,
    ['jurisdictions', 'topics', 'population', 'guidance', 'truncated'],
  ]);
});

test('the report of the page arrives and can be read, and is refused without its token', async () => {
  const [program, report] = [block('js'), block('js', 'run report')];
  const both = '[receipt, report].map(({ structuredContent }) => structuredContent.data)';
  const [receipt, read] = (await valueAfter(program + report, both)) as readonly Readonly<Record<string, string>>[];
  expect(receipt).toMatchObject({ status: 'received', nextCheckAt: expect.any(String) });
  // The worker may have looked at it already.
  expect(read!['reportId']).toBe(receipt!['reportId']);
  const without = report.slice(0, report.indexOf('const { reportId }')).replace('    idempotencyToken,\n', '');
  expect(await valueAfter(program + without, 'receipt.structuredContent')).toMatchObject({
    error: { code: 'invalid_input', message: 'idempotencyToken is required' },
  });
});

test.skipIf(spawnSync('curl', ['--version']).status !== 0)(
  'the command without a client calls a tool as it is written (needs curl)',
  async () => {
    const line = ['bash', '-c', `set -euo pipefail\n${block('sh')}`];
    const { exitCode, stdout, stderr } = await runProgram(line, { cwd: installation.folder, env: environment() }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { result } = JSON.parse(stdout) as {
      result: { isError?: true; structuredContent: { data: { jurisdictions: unknown[] } } };
    };
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent.data.jurisdictions.length).toBeGreaterThan(1);
  },
);
