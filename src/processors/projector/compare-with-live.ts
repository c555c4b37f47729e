import type { Transaction } from '../../../domain/ports/database.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import type { Comparison, TableComparison } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { atLiveCheckpoint, type Looked } from './at-live-checkpoint.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import type { FoldTarget } from './fold-batch.ts';

/**
 * Compares a rebuilt generation with the live one by a digest of every table and, where those differ, names rows. Both stand at the same
 * checkpoint; neither readers nor the live fold wait.
 */
export const compareWithLive = (deps: ProjectorDependencies, target: FoldTarget, checkpoint: Position): Promise<Looked<Comparison>> =>
  atLiveCheckpoint(deps, target, checkpoint, async ({ transaction, live, checkpoint: at }) => {
    const { projection, lease } = target;
    const tables = await compareTables(transaction, projection, live, lease.generation);
    const equal = tables.every((table) => table.live.rows === table.rebuilt.rows && table.live.digest === table.rebuilt.digest);
    return {
      at: deps.leaseClock.now(),
      checkpoint: at,
      live,
      equal,
      tables,
      differences: equal ? [] : await rowsThatDiffer(transaction, projection, live, lease.generation),
    };
  });

/** Rows that differ between two generations, as text: the totals first, then row by row. */
export async function rowsThatDiffer(
  transaction: Transaction,
  projection: Projection,
  live: number,
  rebuilt: number,
): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const depth of ['switch', 'rows'] as const) {
    for (const statement of projection.differences(live, rebuilt, depth)) {
      differences.push(...(await transaction.execute(statement)).rows.map((row) => row.join(' ')));
    }
  }
  return differences;
}

async function compareTables(
  transaction: Transaction,
  projection: Projection,
  live: number,
  rebuilt: number,
): Promise<readonly TableComparison[]> {
  const others = projection.tables(rebuilt);
  const compared: TableComparison[] = [];
  for (const [index, table] of projection.tables(live).entries()) {
    compared.push({
      table: table.replace(/^civic\./, '').replace(/_g\d+$/, ''),
      live: await digestOf(transaction, projection, table),
      rebuilt: await digestOf(transaction, projection, others[index]!),
    });
  }
  return compared;
}

/** Sums of the four quarters of each row's SHA-256, modulo 2^64: independent of the order of the rows. */
async function digestOf(transaction: Transaction, projection: Projection, table: string): Promise<TableComparison['live']> {
  const quarter = (nth: number) => `('x' || encode(substring(hash from ${nth * 8 + 1} for 8), 'hex'))::bit(64)::bigint`;
  const { rows } = await transaction.execute({
    text: `select count(*)::text, ${[0, 1, 2, 3].map((nth) => `coalesce(sum(${quarter(nth)}), 0)::text`).join(', ')}
      from (select sha256(convert_to(t::text, 'UTF8')) as hash from ${table} t where ${projection.heldByEveryBuild?.(table) ?? 'true'}) h`,
    values: [],
  });
  const [count, ...sums] = rows[0]!;
  const digest = sums.map((sum) => BigInt.asUintN(64, BigInt(sum!)).toString(16).padStart(16, '0')).join('');
  return { rows: Number(count), digest };
}
