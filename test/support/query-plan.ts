import type { Client } from 'pg';
import type { Statement, StatementValue } from '../../domain/ports/database.ts';

/** A node of a plan as EXPLAIN prints it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const withInner = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(withInner)];

function literalOf(value: StatementValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? `'{${value.join(',')}}'` : `'${String(value)}'`;
}

/**
 * The nodes of the plan with which a statement ran; its changes are rolled back. A statement with a name is executed as it was prepared in the
 * session, so its plan may be older than the rows.
 */
export async function explained(
  session: Client,
  { name, text, values }: Statement,
  mode = 'auto',
): Promise<readonly PlanNode[]> {
  const explain = 'explain (analyze, timing off, format json) ';
  await session.query('begin');
  try {
    await session.query(`set local plan_cache_mode = ${mode}`);
    const { rows } =
      name === undefined
        ? await session.query({ text: explain + text, values: values as unknown[] })
        : await session.query(`${explain} execute "${name}"(${values.map(literalOf).join(',')})`);
    const [plan] = (rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'];
    return withInner(plan.Plan);
  } finally {
    await session.query('rollback');
  }
}

/**
 * Scans of a table: the indexes in use, "all" for the whole table, and the number of rows that were read. A bitmap scan names no table: it counts
 * if the name of its index begins with `prefix`.
 */
export function scansOf(nodes: readonly PlanNode[], table: string, prefix = table.replace('civic.', '')) {
  const short = table.replace('civic.', '');
  const scans = nodes.filter((node) => node['Relation Name'] === short && node['Node Type'].includes('Scan'));
  const bitmaps = nodes.filter(
    (node) => node['Node Type'] === 'Bitmap Index Scan' && node['Index Name']?.startsWith(prefix),
  );
  const used = [...scans, ...bitmaps].map(
    (node) => node['Index Name'] ?? (node['Node Type'].startsWith('Bitmap') ? '' : 'all'),
  );
  const touched = scans.reduce(
    (sum, node) =>
      sum + (node['Actual Loops'] ?? 1) * ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)),
    0,
  );
  return {
    used: [...new Set(used.filter((index) => index !== ''))].toSorted(),
    touched,
    conditions: scans.map((node) => node['Index Cond'] ?? ''),
  };
}
