import Fastify from 'fastify';

/** Answers every question with the text in BODY, and prints its address: no work but that of HTTP. */
const body = process.env['BODY']!;

const app = Fastify({ logger: false });

app.get('/', async (_, reply) => {
  void reply.type('application/json; charset=utf-8');
  return body;
});

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
process.stdout.write(`http://127.0.0.1:${(app.server.address() as { port: number }).port}\n`);
process.on('SIGTERM', () => process.exit(0));
