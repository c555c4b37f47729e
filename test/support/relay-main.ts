import { FROZEN_MS, openTestCivic } from './civic.ts';
import { startRelay } from './relay.ts';

/** A process that runs the relay until it is killed. */
const [url, brokers, leaseMs] = process.argv.slice(2) as [string, string, string];
const civic = await openTestCivic(url, { idleInTransactionMs: FROZEN_MS });
startRelay(civic, brokers, { leaseMs: Number(leaseMs) });
process.stdout.write('begun\n');
