import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { limitServerLog } from '../../infra/embedded-postgresql/start-server.ts';

/** A user that looks at the log of the server without a pause until its input ends: `node server-log-main.ts DATA_DIR`. */
const layout = dataLayout(process.argv[2]!);
const inputEnded = new AbortController();
process.stdin.once('end', () => inputEnded.abort()).resume();
process.stdout.write('looks\n');
while (!inputEnded.signal.aborted) {
  limitServerLog(layout);
  await new Promise(setImmediate);
}
