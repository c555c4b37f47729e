import Fastify from 'fastify';
import { Client } from 'pg';

/**
 * The plainest program that answers the same questions: no authentication, no validation, no logging; the text of a `json` column joined.
 * Reads `yardstick.feed (position, id, doc)` of the database in DSN, and prints its address.
 */
const CONNECTIONS = 2;

const asText = { getTypeParser: () => (value: string) => value } as unknown as NonNullable<
  ConstructorParameters<typeof Client>[0] & object
>;
const clients = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const client = new Client({ connectionString: process.env['DSN']!, types: asText as never, pipeline: true });
    await client.connect();
    return client;
  }),
);
let turn = 0;
const query = async (name: string, text: string, values: unknown[]): Promise<string[][]> =>
  (await clients[turn++ % CONNECTIONS]!.query<string[]>({ name, text, values, rowMode: 'array' })).rows;

const app = Fastify({ logger: false });

app.get<{ Querystring: { limit: string; cursor?: string } }>(
  '/changes',
  async ({ query: { limit, cursor = '0' } }, reply) => {
    const rows = await query(
      'page',
      'select position, doc from yardstick.feed where position > $1 order by position limit $2',
      [cursor, limit],
    );
    const items = rows.map((row) => row[1]).join(',');
    const next = rows.at(-1)?.[0] ?? cursor;
    void reply.type('application/json; charset=utf-8');
    return `{"data":{"items":[${items}]},"meta":{"nextCursor":"${next}","hasMore":${rows.length === Number(limit)}}}`;
  },
);

app.post<{ Body: { requests: { resource: string; ids: string[] }[] } }>('/batch', async ({ body }, reply) => {
  const ids = body.requests.flatMap((request) => request.ids);
  const rows = await query('batch', 'select doc from yardstick.feed where id = any($1::uuid[])', [ids]);
  void reply.type('application/json; charset=utf-8');
  return `{"data":{"items":[${rows.map((row) => row[0]).join(',')}]}}`;
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
process.stdout.write(`http://127.0.0.1:${(app.server.address() as { port: number }).port}\n`);
process.on('SIGTERM', () => process.exit(0));
