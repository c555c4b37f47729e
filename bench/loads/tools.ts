import { agendaSize, serveAgenda } from '../rig/agenda.ts';
import { type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { HIT_TOPICS } from '../rig/hit-records.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate } from '../rig/measure.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { uuidOf } from '../rig/records.ts';
import { openAccount } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const VERSION = '2026-07-28';
const ITEMS = 100;
/** Requests a turn by the number of connections: so many that what is measured is compiled code. */
const REQUESTS = { 1: 1_500, 32: 10_000 } as const;

interface Requests {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: string;
  readonly bodies: readonly string[];
}

/** A call of the current era, with each of the arguments in turn. */
const toolCall = (name: string, inputs: readonly object[]): Requests => ({
  method: 'POST',
  path: '/api/v1/mcp',
  headers: `MCP-Protocol-Version: ${VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\n`,
  bodies: inputs.map((input, id) => {
    const claim = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: input, _meta: claim },
    });
  }),
});

interface Pair {
  readonly load: string;
  readonly tool: Requests;
  readonly rest: Requests;
  readonly restSays: string;
}

function pairs(items: number): readonly Pair[] {
  const ids = Array.from({ length: Math.min(ITEMS, items) }, (_, index) => uuidOf('hit item', index));
  const batches = ids.map((id) => JSON.stringify({ requests: [{ resource: 'agenda_items', ids: [id] }] }));
  return [
    {
      load: 'get_agenda_item',
      tool: toolCall(
        'get_agenda_item',
        ids.map((itemId) => ({ itemId })),
      ),
      rest: { method: 'POST', path: '/api/v1/data/batch', headers: '', bodies: batches },
      restSays: 'batch of the one item, admitted too',
    },
    {
      load: 'get_data_coverage of Dallas',
      tool: toolCall('get_data_coverage', [{ jurisdictionSlug: 'dallas' }]),
      rest: { method: 'GET', path: '/api/v1/public/coverage?jurisdictionSlug=dallas', headers: '', bodies: [] },
      restSays: 'public page, nobody admitted',
    },
  ];
}

/** Throws unless it is answered with data: a refusal of a tool has status 200 too. */
async function expectData(url: string, key: string, { method, path, headers, bodies }: Requests): Promise<void> {
  const lines = headers.split('\r\n').filter((line) => line !== '');
  const headerPairs = lines.map((line) => line.split(': ') as [string, string]);
  const body = bodies.length === 0 ? {} : { body: bodies[0]! };
  const requestHeaders = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...Object.fromEntries(headerPairs),
  };
  const text = await (await fetch(`${url}${path}`, { method, headers: requestHeaders, ...body })).text();
  if (!text.includes('"data":') || text.includes('"isError":true'))
    throw new Error(`${path} answered ${text.slice(0, 300)}`);
}

/** Requests a second. */
const asker =
  (worker: Worker, url: string, key: string, requested: Requests, connections: number, requests: number) =>
  async (): Promise<number> => {
    const headers = `Authorization: Bearer ${key}\r\n${requested.headers}`;
    const { seconds } = await worker.ask<Generated>({
      kind: 'repeat',
      url,
      ...requested,
      headers,
      connections,
      requests,
    });
    return requests / seconds;
  };

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const hits = agendaSize(bench.size);
    const dataDir = await bench.datasets.hits(hits);
    const { key } = await openAccount(dataDir, 'civic:read,mcp:read');
    const service = use(await serveAgenda(dataDir));
    const worker = use(startWorker(GENERATOR));
    const rows: Row[] = [];
    for (const { load, tool, rest, restSays } of pairs(hits / HIT_TOPICS.length)) {
      for (const requested of [tool, rest]) await expectData(service.url, key, requested);
      for (const connections of [1, 32] as const) {
        const requests = REQUESTS[connections];
        const { ours, yardstick, ratio, ratios } = await alternate(
          bench.rounds,
          asker(worker, service.url, key, tool, connections, requests),
          asker(worker, service.url, key, rest, connections, requests),
        );
        const more = 1e6 / ours - 1e6 / yardstick;
        bench.say(
          `${load}, ${connections} connections: ${count(ours)} against ${count(yardstick)} req/s (${ratios.join(' ')})`,
        );
        rows.push({
          load: `${load}, ${connections} connection${connections === 1 ? '' : 's'}`,
          ours: `${count(ours)} calls/s, ${more.toFixed(0)} us more a call`,
          yardstick: `${restSays}: ${count(yardstick)} req/s`,
          figure: ratio,
          reach: '',
          reached: null,
          details: { ratios, microsecondsMore: more },
        });
      }
    }
    return rows;
  });

export const toolCalls: Load = { name: 'tools', title: 'a call of a tool against the same read over REST', run };
