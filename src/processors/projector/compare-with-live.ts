import { CONTENT_ERASED } from '../../../domain/events/erasure-events.ts';
import type { Transaction } from '../../../domain/ports/database.ts';
import type { EventLog, Position } from '../../../domain/ports/event-log.ts';
import type { Comparison, TableComparison } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { logBatches } from '../../../domain/read-log.ts';
import {
  foldBatch,
  foldEvents,
  foldTarget,
  type FoldTarget,
  type ProjectorDependencies,
  tailUpTo,
  underLease,
} from './fold-batch.ts';

interface AtLiveCheckpoint {
  readonly transaction: Transaction;
  readonly live: number;
  readonly checkpoint: Position;
  /** Events of the tail that were folded into the copy for this comparison. */
  readonly folded: number;
}

type ComparisonAttempt<Result> =
  | { readonly kind: 'compared'; readonly result: Result }
  /**
   * `behind`: more than one batch behind the live generation. `ahead`: ahead of it, an erasure lies ahead, or nothing
   * comparable is live.
   */
  | { readonly kind: 'behind' | 'ahead' };

/** Returns why two generations of a read model are not compared; null if they can be. */
export const reasonNotCompared = (
  { published }: Pick<Projection, 'published'>,
  live: number,
  rebuilt: number,
): string | null =>
  live === rebuilt || published === true
    ? null
    : `the live one is version ${live} and the rebuilt one ${rebuilt}; their tables differ`;

/**
 * Inspects a copy and the live generation at one checkpoint, in one repeatable-read transaction: the tail up to the
 * live checkpoint is folded into the copy and rolled back afterwards. The caller has the lease of the copy; the live
 * generation continues to fold.
 */
async function atLiveCheckpoint<Result>(
  deps: ProjectorDependencies,
  target: FoldTarget,
  checkpoint: Position,
  compare: (at: AtLiveCheckpoint) => Promise<Result>,
): Promise<ComparisonAttempt<Result>> {
  const rolledBack = new Error('the checkpoint of the copy did not move with the tail');
  let attempt: ComparisonAttempt<Result> = { kind: 'ahead' };
  const comparing = deps.transactor.transaction(async (transaction) => {
    await transaction.query({ text: 'set transaction isolation level repeatable read', values: [] });
    const { rows } = await transaction.query<{ generation: number; version: number; checkpoint: Position }>({
      text: `select generation, version, checkpoint from civic.generations where projection = $1 and state = 'live'`,
      values: [target.projection.name],
    });
    const [current] = rows;
    if (current === undefined || current.checkpoint < checkpoint) return;
    const { generation: live, version, checkpoint: goal } = current;
    if (reasonNotCompared(target.projection, version, target.projection.version) !== null) return;
    const tail = await tailUpTo(deps, target, checkpoint, goal);
    if (tail === null) {
      attempt = { kind: 'behind' };
      return;
    }
    await foldEvents(deps, target, transaction, tail.events);
    const folded = tail.events.length;
    const result = await compare({ transaction, live, checkpoint: goal, folded });
    // Checked after the comparison, because a new erasure might be in only one of the two.
    if (!(await isErasureAhead(deps.log, goal))) attempt = { kind: 'compared', result };
    if (folded > 0) throw rolledBack;
  });
  await comparing.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  return attempt;
}

/**
 * Returns true if the log has an erasure after a position. One of two builds at that position might have folded an
 * event before its erasure and the other after it, so differences are not errors until both have passed the erasure.
 */
export const isErasureAhead = async (log: Pick<EventLog, 'readAll'>, after: Position): Promise<boolean> =>
  (await log.readAll({ after, limit: 1, types: [CONTENT_ERASED] })).events.length > 0;

/**
 * Compares a rebuilt generation with the live one by a digest of every table and names rows of tables that differ. Both
 * are at the same checkpoint; neither readers nor the live fold wait.
 */
export const compareWithLive = (
  deps: ProjectorDependencies,
  target: FoldTarget,
  checkpoint: Position,
): Promise<ComparisonAttempt<Comparison>> =>
  atLiveCheckpoint(deps, target, checkpoint, async ({ transaction, live, checkpoint: at }) => {
    const { projection, lease } = target;
    const tables = await compareTables(transaction, projection, live, lease.generation);
    const equal = tables.every(
      (table) => table.live.rows === table.rebuilt.rows && table.live.digest === table.rebuilt.digest,
    );
    const comparedAt = deps.leaseClock.now();
    const differences = equal ? [] : await rowsThatDiffer(transaction, projection, [live, lease.generation]);
    return { at: comparedAt, checkpoint: at, live, equal, tables, differences };
  });

/** Describes rows that differ between a live and a rebuilt generation, the totals first. */
export async function rowsThatDiffer(
  transaction: Transaction,
  projection: Projection,
  [live, rebuilt]: readonly [live: number, rebuilt: number],
  depths: readonly ('switch' | 'rows')[] = ['switch', 'rows'],
): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const statement of depths.flatMap((depth) => projection.differences(live, rebuilt, depth))) {
    const { rows } = await transaction.query<{ difference: string }>(statement);
    differences.push(...rows.map(({ difference }) => difference));
  }
  return differences;
}

async function compareTables(transaction: Transaction, projection: Projection, live: number, rebuilt: number) {
  const others = projection.tables(rebuilt);
  const compared: TableComparison[] = [];
  for (const [index, table] of projection.tables(live).entries()) {
    compared.push({
      table: table.replace(/^civic\./, '').replace(/_g\d+$/, ''),
      live: await computeDigest(transaction, projection, table),
      rebuilt: await computeDigest(transaction, projection, others[index]!),
    });
  }
  return compared;
}

/**
 * Returns the sums of the four quarters of each row's SHA-256, modulo 2^64, which do not depend on the order of rows.
 */
async function computeDigest(
  transaction: Transaction,
  projection: Projection,
  table: string,
): Promise<TableComparison['live']> {
  const quarter = (nth: number) => `('x' || encode(substring(hash from ${nth * 8 + 1} for 8), 'hex'))::bit(64)::bigint`;
  const sums = [0, 1, 2, 3].map((nth) => `coalesce(sum(${quarter(nth)}), 0)::text`);
  const { rows } = await transaction.query<{ count: number; quarters: readonly string[] }>({
    text: `select count(*) as count, array[${sums.join(', ')}] as quarters
      from (select sha256(convert_to(t::text, 'UTF8')) as hash from ${table} t where ${projection.rowsInEveryBuild?.(table) ?? 'true'}) h`,
    values: [],
  });
  const { count, quarters } = rows[0]!;
  const digest = quarters.map((sum) => BigInt.asUintN(64, BigInt(sum)).toString(16).padStart(16, '0')).join('');
  return { rows: count, digest };
}

export interface Verification {
  readonly projection: string;
  /** Events folded into the copy. */
  readonly folded: number;
  /** Descriptions of differing rows, a few of each kind; empty if the read model matches the log. */
  readonly differences: readonly string[];
  /** Reason for which the rows were not compared; null if they were. */
  readonly notCompared: string | null;
}

/**
 * Builds a projection in scratch tables and compares them with the live ones, row by row, at one checkpoint in one
 * transaction.
 */
export async function verifyProjection(
  deps: ProjectorDependencies,
  projection: Projection,
  onProgress: (checkpoint: Position) => void,
  stopping: AbortSignal,
): Promise<Verification> {
  const scratch = await deps.generations.create(projection, 'scratch', deps.leaseClock.now());
  const acquired = await deps.generations.acquire(scratch.generation, deps.owner, deps.leaseClock.now(), deps.leaseMs);
  if (acquired === null) throw new Error(`the scratch copy of ${projection.name} was taken over by another process`);
  try {
    return await underLease(deps, acquired.lease, stopping, async (signal) =>
      compareAtLiveCheckpoint(deps, await foldTarget(deps, projection, acquired.lease), onProgress, signal),
    );
  } finally {
    await deps.generations.abandon(scratch.generation, deps.leaseClock.now());
    await deps.generations.drop(scratch.generation, projection.tables(scratch.generation));
  }
}

async function compareAtLiveCheckpoint(
  deps: ProjectorDependencies,
  target: FoldTarget,
  onProgress: (checkpoint: Position) => void,
  signal: AbortSignal,
): Promise<Verification> {
  const { projection, lease } = target;
  let checkpoint = '' as Position;
  let folded = 0;
  for (;;) {
    const live = (await deps.generations.list()).find(
      (row) => row.projection === projection.name && row.state === 'live',
    );
    if (live === undefined) throw new Error(`the read model ${projection.name} has no live generation to compare with`);
    const notCompared = reasonNotCompared(projection, live.version, projection.version);
    if (notCompared !== null) return { projection: projection.name, folded, differences: [], notCompared };
    const goal = live.checkpoint;
    for await (const batch of logBatches(deps.log, checkpoint, {
      types: projection.handles,
      batchSize: deps.batchSize,
    })) {
      signal.throwIfAborted();
      const events = batch.events.filter(({ position }) => position <= goal);
      const scannedTo = batch.scannedTo < goal ? batch.scannedTo : goal;
      if (scannedTo > checkpoint) {
        checkpoint = await foldBatch(deps, target, checkpoint, { events, scannedTo });
        folded += events.length;
        onProgress(checkpoint);
      }
      if (batch.scannedTo >= goal) break;
    }
    const attempt = await atLiveCheckpoint(deps, target, checkpoint, async (at) => ({
      folded: folded + at.folded,
      differences: await rowsThatDiffer(at.transaction, projection, [at.live, lease.generation]),
    }));
    if (attempt.kind === 'compared') return { projection: projection.name, ...attempt.result, notCompared };
    await deps.leaseClock.sleep(20, signal);
  }
}
