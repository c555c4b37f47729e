import { setTimeout as after } from 'node:timers/promises';
import type { RecordOutcome } from '../../../commands/records/handle-each.ts';
import type { RecordChange, RecordWriter } from '../../../commands/records/write-records.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { isStoreFailure } from '../../../plumbing/retry.ts';
import { openLinkedLog } from '../linked-log.ts';
import type { World } from '../world.ts';

const WRITES = 4;
const [PATIENCE_MS, PAUSE_MS] = [90_000, 250];

/** A connection may take longer on a busy machine than the log waits for it. */
async function write(writer: RecordWriter, changes: readonly RecordChange[]): Promise<readonly RecordOutcome[]> {
  for (const began = performance.now(); ; await after(PAUSE_MS)) {
    try {
      return await writer.write(changes, {});
    } catch (error) {
      if (!isStoreFailure(error) || performance.now() - began > PATIENCE_MS) throw error;
    }
  }
}

/**
 * Ends the database when it has acknowledged a commit: earlier acknowledged commits must be in the log when it is
 * back. A commit that is acknowledged before it is flushed would be lost here and rarely elsewhere.
 */
export async function endWithWitness(
  { database, failures }: World,
  name: string,
  end: () => void,
  back: () => Promise<void>,
): Promise<void> {
  const direct = openLinkedLog(database.url);
  const acknowledged: string[] = [];
  try {
    for (let count = 0; count < WRITES; count += 1) {
      const token = `witness ${name} ${count}`;
      const id = derivedId('soak', 'witness', count);
      const content = { kind: 'other', title: token, url: 'https://records.example.org/witness' };
      const [outcome] = await write(direct.writer, [{ op: 'upsert', resource: 'documents', id, content }]);
      if (outcome?.kind === 'appended') acknowledged.push(token);
    }
    end();
  } finally {
    await direct.close().catch(() => undefined);
  }
  await back();
  for (const token of acknowledged) {
    const rows = await database.query('select from civic.events where data::text like $1', [`%"${token}"%`]);
    if (rows.length !== 1)
      failures.add(`acknowledged just before the database ended and in the log ${rows.length} times: ${token}`);
  }
}
