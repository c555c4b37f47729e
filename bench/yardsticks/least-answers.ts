import Fastify from 'fastify';
import { Client } from 'pg';
import { readCivicRecords } from '../../contract/read-civic-records.ts';
import { keySecretHash } from '../../domain/key-secret.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { LiveGeneration, LiveReads } from '../../domain/ports/projection.ts';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';
import { createReadCivicRecords } from '../../queries/feed/read-civic-records.ts';
import { createChargeRequest } from '../../src/edge/admission/charge-request.ts';

/**
 * Does what the contract requires of a batch, and nothing else, on plain Fastify and pg: the schema, the charge in the
 * database, the statement of the program. No limits, metrics, log, cache or deadlines. A program of these libraries
 * answers no faster. Prints its address.
 */
const READERS = 2;
const MANY = 1_000_000_000;
const NO_CEILING = { requests: MANY, seconds: 60 };
const NEVER = { sustained: NO_CEILING, burst: NO_CEILING };
const ALLOWANCES = {
  requestsPerMinute: MANY,
  burstLimit: MANY,
  exportRequestsPerHour: MANY,
  maxResponseBytes: 5_000_000,
};

async function connect(): Promise<Client> {
  const client = new Client({ ...clientConfig({ dsn: process.env['DSN']!, purpose: 'yardstick' }), pipeline: true });
  await client.connect();
  return client;
}
const [counts, ...readers] = (await Promise.all(Array.from({ length: 1 + READERS }, connect))) as [Client, ...Client[]];
const { rows: generations } = await counts.query<{ name: string; live: string }>(
  'select name, live_generation as live from civic.projections',
);
const generation: LiveGeneration = (projection) => Number(generations.find(({ name }) => name === projection)!.live);

/** Distributes reads over the connections in rotation. */
function readsOn(clients: readonly Client[]): LiveReads {
  let turn = 0;
  const rows = async (build: (live: LiveGeneration) => Statement): Promise<readonly unknown[]> => {
    const { values, ...statement } = build(generation);
    const client = clients[turn++ % clients.length]!;
    return (await client.query({ ...statement, values: [...values] })).rows;
  };
  return { rows } as unknown as LiveReads;
}

const charge = createChargeRequest(readsOn([counts]), {
  plans: { default: ALLOWANCES, pro: ALLOWANCES, ultra: ALLOWANCES },
  billingEnforced: false,
  ceilings: { received: NEVER, handled: NEVER },
} as unknown as Parameters<typeof createChargeRequest>[1]);
const reads = readsOn(readers);
const readRecords = createReadCivicRecords(reads);

const app = Fastify({ logger: false });
app.post('/api/v1/data/batch', async ({ headers, body }, reply) => {
  const charged = await charge(keySecretHash(headers.authorization!.slice('Bearer '.length)), Date.now());
  if (charged?.charge.kind !== 'charged') throw new Error('the request was not charged');
  const { requests } = readCivicRecords.body.schema.parse(body);
  const page = await readRecords({ requests, maxResponseBytes: ALLOWANCES.maxResponseBytes });
  void reply.type('application/json; charset=utf-8');
  return page.body;
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`http://127.0.0.1:${(app.server.address() as { port: number }).port}\n`);
process.on('SIGTERM', () => process.exit(0));
