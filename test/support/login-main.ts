import { text } from 'node:stream/consumers';
import { Client } from 'pg';

/** A process that logs in with the connection string on its standard input and prints `in`, or the code or text of the refusal. */
const client = new Client({ connectionString: (await text(process.stdin)).trim() });
client.on('error', () => undefined);
try {
  await client.connect();
  process.stdout.write('in');
} catch (error) {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  process.stdout.write(code ?? message);
} finally {
  await client.end();
}
