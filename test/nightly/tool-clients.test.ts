import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { TOOL_NAMES, type ToolName } from '../../contract/tools/tool-names.ts';
import { TOOLS } from '../../contract/tools/tools.ts';
import { makeInstallation, type Service } from '../support/service.ts';

/** The program with the sample data, and the official clients of both generations. */
const installation = makeInstallation('civic-tools-');
let service: Service;

beforeAll(async () => {
  service = await installation.start({ sample: 'on' });
});
afterAll(async () => {
  await service?.stop();
  await installation.close();
});

interface Connected {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(called: {
    name: string;
    arguments: Record<string, unknown>;
  }): Promise<{ readonly [member: string]: unknown }>;
  close(): Promise<void>;
}

const NAME = { name: 'test', version: '1.0.0' };
const endpoint = () => new URL(`${service.baseUrl}/api/v1/mcp`);
const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

async function current(
  versionNegotiation?: { mode: 'auto' | { pin: string } },
  key = service.key!,
): Promise<Connected> {
  const client = new CurrentClient(NAME, versionNegotiation === undefined ? {} : { versionNegotiation });
  await client.connect(new CurrentTransport(endpoint(), withKey(key)));
  return client;
}

async function first(): Promise<Connected> {
  const client = new FirstClient(NAME);
  await client.connect(new FirstTransport(endpoint(), withKey(service.key!)));
  return client;
}

const CLIENTS: Readonly<Record<string, () => Promise<Connected>>> = {
  'the current client, held to the current era': () => current({ mode: { pin: '2026-07-28' } }),
  'the current client, which finds out the era': () => current({ mode: 'auto' }),
  'the current client as it is, in the 2025 era': () => current(),
  'the client of the first generation': first,
};

/** Asserts that the answer matches the contract and that its text equals its data. Returns the data. */
async function called<Name extends ToolName>(client: Connected, name: Name, input: object) {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  expect({ name, error: result['isError'], text: result['isError'] === true ? result['content'] : '' }).toEqual({
    name,
    error: undefined,
    text: '',
  });
  const { data } = result['structuredContent'] as { data: unknown };
  const [{ text } = { text: '' }] = result['content'] as { text: string }[];
  expect(JSON.parse(text)).toEqual(data);
  return TOOLS[name].data.parse(data) as z.output<(typeof TOOLS)[Name]['data']>;
}

describe.each(Object.entries(CLIENTS))('%s', (name, connect) => {
  test('lists every tool and calls each of them', async () => {
    const client = await connect();
    try {
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual([...TOOL_NAMES]);

      const { jurisdictions, guidance } = await called(client, 'get_coverage', {});
      expect(jurisdictions.map(({ jurisdictionSlug }) => jurisdictionSlug)).toContain('dallas');
      expect(guidance.length).toBeGreaterThan(0);

      const { results } = await called(client, 'search_agenda', { query: 'rezoning', limit: 5 });
      expect(results.length).toBeGreaterThan(0);
      const { itemId } = results[0]!;
      expect((await called(client, 'get_agenda_item', { itemId })).item.itemId).toBe(itemId);

      const token = name.replaceAll(/[^a-z0-9]+/gi, '-');
      const report = {
        sourceUrl: 'https://records.example.org/meetings/1',
        expectedRecord: 'an agenda',
        idempotencyToken: token,
      };
      const { reportId, statusUrl } = await called(client, 'report_missing_data', report);
      expect(statusUrl).toBe(`${service.baseUrl}/api/v1/data-reports/${reportId}`);
      expect((await called(client, 'report_missing_data', report)).reportId).toBe(reportId);
      // The worker may have moved it by now.
      expect((await called(client, 'get_data_report', { reportId })).reportId).toBe(reportId);
    } finally {
      await client.close();
    }
  });

  test('reads all pages of the research coverage, each jurisdiction once, with any page size', async () => {
    const client = await connect();
    try {
      const ids: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await called(client, 'get_data_coverage', cursor === undefined ? {} : { cursor });
        expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(16_384);
        expect(page.meta.pagination.returned).toBe(page.data.length);
        ids.push(...page.data.map(({ jurisdictionSlug }) => jurisdictionSlug));
        cursor = page.meta.pagination.nextCursor;
      }
      expect([ids.length, new Set(ids).size]).toEqual([238 + 16, 238 + 16]);
    } finally {
      await client.close();
    }
  });

  test('gets the error of a bad call', async () => {
    const client = await connect();
    try {
      const codeOf = async (tool: ToolName, input: Record<string, unknown>) => {
        const { isError, structuredContent } = await client.callTool({ name: tool, arguments: input });
        expect(isError).toBe(true);
        return (structuredContent as { error: { code: string } }).error.code;
      };
      expect(await codeOf('search_agenda', { query: '' })).toBe('invalid_parameter');
      expect(await codeOf('search_agenda', { query: 'x', fromDate: '2026-02-02', toDate: '2026-02-01' })).toBe(
        'invalid_parameter',
      );
      expect(await codeOf('search_agenda', { query: 'x', cursor: 'no' })).toBe('invalid_cursor');
      expect(await codeOf('get_data_coverage', { cursor: 'no' })).toBe('invalid_cursor');
      expect(await codeOf('get_agenda_item', { itemId: '00000000-0000-0000-0000-000000000000' })).toBe(
        'empty_result_not_chargeable',
      );
      expect(await codeOf('get_data_report', { reportId: '00000000-0000-0000-0000-000000000000' })).toBe(
        'report_not_found',
      );
      const unsafe = { sourceUrl: 'http://127.0.0.1/', expectedRecord: 'x', idempotencyToken: 'unsafe' };
      expect(await codeOf('report_missing_data', unsafe)).toBe('invalid_input');
    } finally {
      await client.close();
    }
  });
});

test('an unknown key is 401 to the official client, and no older era is tried', async () => {
  await expect(current({ mode: 'auto' }, 'crs_unknown')).rejects.toThrow(/401|unauthorized/i);
});

test.each(['\0', '\ud800', '"', 'zoning\0', '\u{1f3db}', '-', 'OR', "'; drop table x; --"])(
  'a search for %j is answered or refused, never a failure',
  async (query) => {
    const client = await current({ mode: { pin: '2026-07-28' } });
    try {
      const { isError, structuredContent } = await client.callTool({ name: 'search_agenda', arguments: { query } });
      const code = isError === true ? (structuredContent as { error: { code: string } }).error.code : 'ok';
      expect(['ok', 'invalid_parameter']).toContain(code);
    } finally {
      await client.close();
    }
  },
);
