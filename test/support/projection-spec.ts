import { createHash } from 'node:crypto';
import { foldBatch, foldEvents } from '../../src/processors/projector/fold-batch.ts';
import { LeaseLost } from '../../plumbing/while-leased.ts';
import type { ProjectorDependencies } from '../../src/processors/projector/fold-batch.ts';
import { LOG_START, type Position, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { below } from './civic-records.ts';

/** Every event that a projection folds, in order. */
export async function eventsOf(
  deps: Pick<ProjectorDependencies, 'log'>,
  projection: Projection,
): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (let after = LOG_START; ; ) {
    const { events, scannedTo } = await deps.log.readAll({ after, limit: 1000, types: projection.handles });
    if (scannedTo === after) return all;
    all.push(...events);
    after = scannedTo;
  }
}

/**
 * Folds the log into scratch tables in batches of random sizes, each delivered one to three times, as a projector does that is not sure
 * whether its last commit went through. Returns the generation's number.
 */
export async function foldAtRandom(
  deps: ProjectorDependencies,
  projection: Projection,
  random: () => number,
): Promise<number> {
  const events = await eventsOf(deps, projection);
  const { generation } = await deps.generations.create(projection, 'scratch', deps.leaseClock.now());
  const acquired = await deps.generations.acquire(generation, deps.owner, deps.leaseClock.now(), 60_000);
  const target = { projection, lease: acquired!.lease, logId: null, skipped: new Set<string>() };
  let checkpoint: Position = LOG_START;
  for (let from = 0; from < events.length; ) {
    const size = random() < 0.3 ? 1 : 1 + below(random, 40);
    const batch = events.slice(from, from + size);
    const scannedTo = batch.at(-1)!.position;
    for (let times = 1 + below(random, 3), nth = 0; nth < times; nth++) {
      try {
        await foldBatch(deps, target, checkpoint, { events: batch, scannedTo });
        if (nth > 0) throw new Error('a batch that had been committed was folded again');
      } catch (error) {
        if (nth === 0 || !(error instanceof LeaseLost)) throw error;
      }
    }
    checkpoint = scannedTo;
    from += size;
  }
  return generation;
}

/** Every row of a generation's tables as text, in an order of their own: two builds of one log are equal byte by byte. */
export const dumpTables = async (
  { transactor }: Pick<ProjectorDependencies, 'transactor'>,
  projection: Projection,
  generation: number,
): Promise<readonly string[]> =>
  transactor.transaction(async (transaction) => {
    const dumps: string[] = [];
    for (const [index, table] of projection.tables(generation).entries()) {
      const { rows } = await transaction.query<{ row: string }>({
        text: `select t::text as row from ${table} t order by t::text collate "C"`,
        values: [],
      });
      dumps.push(`table ${index}: ${rows.length} rows`, ...rows.map(({ row }) => row));
    }
    return dumps;
  });

/** One hash over a dump, short enough for a line of output. */
export const hashOf = (dump: readonly string[]): string => createHash('sha256').update(dump.join('\n')).digest('hex');

const NO_LOG = {
  readStream: () => {
    throw new Error('nothing is to be read again here');
  },
};

/** Folds a batch without erasures into a generation that no projector owns, so many events a turn. */
export const foldInto = (
  { transactor }: Pick<ProjectorDependencies, 'transactor'>,
  projection: Projection,
  generation: number,
  batch: readonly StoredEvent[],
  turn = batch.length,
): Promise<void> =>
  transactor.transaction((transaction) =>
    foldEvents({ log: NO_LOG }, { projection, lease: { generation } }, transaction, batch, turn),
  );
