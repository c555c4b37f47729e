import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordId } from '../support/civic-records.ts';
import {
  BUILT_IN_ALLOWANCES,
  type Environment,
  type Installation,
  makeInstallation,
  runProgram,
  type Service,
} from '../support/service.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['README.md', 'docs/developers/rest.md', 'docs/developers/replicate.md', 'docs/operators/operate.md'];
const TEXT = PAGES.map((page) => readFileSync(join(CHECKOUT, page), 'utf8')).join('\n');

/** Fenced blocks of the pages that are marked to be run, in order. */
const blocks = (language: string): readonly string[] =>
  [...TEXT.matchAll(new RegExp(`^\`\`\`${language} run\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);

describe('the examples of the README and the pages for readers and operators', () => {
  let installation: Installation;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    installation = makeInstallation('civic-readme-', {}, 'bare');
    service = await installation.start({ sample: 'on', env: BUILT_IN_ALLOWANCES });
    key = service.key ?? '';
  });

  afterAll(async () => {
    await service.stop();
    await installation.close();
  });

  const environment = () => ({
    ...installation.environment(),
    BASE: service.baseUrl,
    CIVIC_API_KEY: key,
    TMPDIR: installation.folder,
    // The preparation that npm runs before each script has already run.
    npm_config_ignore_scripts: 'true',
  });
  const curl = spawnSync('curl', ['--version']).status === 0;

  test.skipIf(!curl)('every shell line works as written (needs curl)', async () => {
    const script = blocks('sh').join('\n');
    expect(script.split('\n').length).toBeGreaterThan(30);
    const shell = ['bash', '-c', `set -euo pipefail\n${script}`];
    const { exitCode, stdout, stderr } = await runProgram(shell, { cwd: CHECKOUT, env: environment() }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/"appended":0,"unchanged":1/);
    expect(stdout).toMatch(/record_history +\d+ +true/);
  });

  const ended = async (command: readonly string[], more: Environment = {}) => {
    const env = { ...environment(), ...more };
    const { exitCode, stdout, stderr } = await runProgram(command, { cwd: installation.folder, env }).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  };
  const python = spawnSync('python3', ['--version']).status === 0;

  test.skipIf(!python)('every sample in Python says what the one in JavaScript says (needs python3)', async () => {
    const [ofPython, ofJavaScript] = [blocks('python'), blocks('js').filter((block) => !block.includes('digest'))];
    expect(ofPython.length).toBe(ofJavaScript.length);
    for (const [index, program] of ofPython.entries()) {
      const path = join(installation.folder, `sample-${index}.mjs`);
      writeFileSync(path, ofJavaScript[index]!);
      const result = await ended(['python3', '-c', program]);
      expect(result).not.toBe('');
      expect(await ended([process.execPath, path])).toBe(result);
    }
  });

  describe('the program of docs/developers/replicate.md', () => {
    const copied = async (BASE: string) => {
      const path = join(installation.folder, 'copy.mjs');
      writeFileSync(path, blocks('js').find((block) => block.includes('digest'))!);
      return (await ended([process.execPath, path], { BASE })).trim().split('\n');
    };

    test('makes a copy that equals the service in every resource', async () => {
      const lines = await copied(service.baseUrl);
      expect(lines).toHaveLength(11);
      expect(lines.filter((line) => !line.endsWith(' equal'))).toEqual([]);
      expect(lines.some((line) => /^jurisdictions \d{3} /.test(line))).toBe(true);
    });

    test('waits where an allowance is used up or the feed cannot be read, and reads on where the feed moves during the comparison', async () => {
      const healthOf = async () => {
        const answer = await fetch(`${service.baseUrl}/api/v1/data/health`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return (await answer.json()) as { data: { pipeline: { head: { cursor: string } | null } } };
      };
      async function publishChange(): Promise<void> {
        const before = (await healthOf()).data.pipeline.head!.cursor;
        const data = { kind: 'agenda', title: 'Published during the comparison', url: 'https://example.org/moved.pdf' };
        const line = { op: 'upsert', resource: 'documents', id: recordId('documents', 1), data };
        const imported = await installation.civicHere(['records', 'import', '-'], {
          input: `${JSON.stringify(line)}\n`,
        });
        expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
        await expect.poll(async () => (await healthOf()).data.pipeline.head!.cursor).not.toBe(before);
      }
      const limited = new Set<string>();
      const healths: string[] = [];
      const proxy = createServer((request, response) => {
        void (async () => {
          const { method, url = '' } = request;
          if (!limited.has(url)) {
            limited.add(url);
            return response.writeHead(429, { 'retry-after': '0' }).end();
          }
          const answer = await fetch(service.baseUrl + url, {
            method: method!,
            headers: { authorization: request.headers.authorization! },
          });
          const body = (await answer.json()) as Awaited<ReturnType<typeof healthOf>>;
          if (url.endsWith('/health')) {
            healths.push(url);
            if (healths.length === 1) body.data.pipeline.head = null;
            if (healths.length === 2) await publishChange();
          }
          return response.writeHead(answer.status).end(JSON.stringify(body));
        })();
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      try {
        const lines = await copied(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
        expect(lines.filter((line) => !line.endsWith(' equal'))).toEqual([]);
        expect(healths).toHaveLength(3);
      } finally {
        proxy.close();
      }
    });
  });
});
