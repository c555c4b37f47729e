import { hash } from 'node:crypto';
import { canonicalJson } from '../../domain/digests.ts';
import { SEED_FINISHED, seedFinished, type SeedFinished } from '../../domain/events/feed-events.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { type EventLog, NO_STREAM, type StoredEvent } from '../../domain/ports/event-log.ts';
import { recordStream, seedStream } from '../../domain/streams.ts';
import { type CommandPorts, newEvents } from '../handle.ts';
import type { RecordChange, RecordWriter } from '../records/write-records.ts';

/** A shipped set of records. */
interface Seed {
  readonly name: string;
  readonly version: number;
  /**
   * Digests (`contentDigest`) of records in earlier versions of the seed. A record that still equals one was not edited
   * and is replaced.
   */
  readonly former?: ReadonlySet<string>;
}

export interface SeedDependencies extends CommandPorts {
  readonly writer: RecordWriter;
}

const CHANGES_A_CALL = 500;

const finishedVersion = (newest: StoredEvent | undefined): number =>
  newest?.type === SEED_FINISHED ? seedFinished.parse(JSON.parse(newest.data)).version : 0;

/** Returns true if this version of the seed, or a later one, has been written completely. */
export const isSeedFinished = async (log: EventLog, { name, version }: Seed): Promise<boolean> =>
  finishedVersion((await log.readLast([seedStream(name)])).get(seedStream(name))) >= version;

/** Marks a seed as finished: from here on it never overwrites an edit. */
export async function finishSeed(
  deps: Omit<SeedDependencies, 'writer'>,
  { name, version }: Seed,
  records: number,
): Promise<void> {
  const stream = seedStream(name);
  const newest = (await deps.log.readLast([stream])).get(stream);
  if (finishedVersion(newest) >= version) return;
  const data: SeedFinished = { name, version, records };
  const command = { commandId: deps.identifiers.next(), time: deps.clock.now() };
  const events = newEvents([{ type: SEED_FINISHED, data: canonicalJson(data) }], command);
  await deps.log.append({ stream, expectedRevision: newest?.revision ?? NO_STREAM, events });
}

/** Returns the digest of a published record's data, without its times. */
function digestContent(data: string): string {
  const { createdAt: _created, updatedAt: _updated, ...content } = JSON.parse(data) as Record<string, unknown>;
  return hash('sha256', canonicalJson(content), 'hex');
}

/**
 * Writes the records of a seed unless it is finished. Replaces an existing record only if it equals an earlier version
 * of the seed; otherwise an interrupted start or an edit wrote it, and it stays. Returns the number of records written.
 */
export async function writeSeed(deps: SeedDependencies, seed: Seed, changes: readonly RecordChange[]): Promise<number> {
  if (await isSeedFinished(deps.log, seed)) return 0;
  let writtenCount = 0;
  for (let from = 0; from < changes.length; from += CHANGES_A_CALL) {
    const chunk = changes.slice(from, from + CHANGES_A_CALL);
    const existing = await deps.log.readLast(chunk.map(({ resource, id }) => recordStream(resource, id)));
    const dueRecords = chunk.filter(({ resource, id }) => {
      const newest = existing.get(recordStream(resource, id));
      return (
        newest === undefined ||
        (newest.type === RECORD_PUBLISHED && seed.former?.has(digestContent(newest.data)) === true)
      );
    });
    for (const outcome of await deps.writer.write(dueRecords, {})) {
      if (outcome.kind === 'rejected')
        throw new Error(`the seed ${seed.name} contains a record that is rejected: ${outcome.reason}`);
      if (outcome.kind === 'appended') writtenCount += 1;
    }
  }
  await finishSeed(deps, seed, changes.length);
  return writtenCount;
}
