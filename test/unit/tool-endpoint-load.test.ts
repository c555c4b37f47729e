import { expect, test, vi } from 'vitest';
import { call, startToolEdge } from '../support/tool-edge.ts';
import { currentRequest } from '../support/tool-requests.ts';

const failures = vi.hoisted(() => ({ left: 0 }));
vi.mock(import('../../src/edge/mcp/endpoint.ts'), async (original) => {
  const endpoint = await original();
  return {
    ...endpoint,
    createToolEndpoint: (parts) => {
      if (failures.left === 0) return endpoint.createToolEndpoint(parts);
      failures.left -= 1;
      throw new Error('EMFILE: too many open files');
    },
  };
});

const request = currentRequest('tools/call', call('get_coverage'));

test('a tool endpoint that could not be loaded is loaded again by the next call', async () => {
  const edge = await startToolEdge();
  failures.left = 1;
  expect((await edge.ask(request)).status).toBe(500);
  expect((await edge.ask(request)).status).toBe(200);
  await edge.close();
});

test('a server whose tool endpoint could not be loaded closes', async () => {
  const edge = await startToolEdge();
  failures.left = 1;
  expect((await edge.ask(request)).status).toBe(500);
  await expect(edge.close()).resolves.toBeUndefined();
});
