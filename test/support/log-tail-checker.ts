export interface Entry {
  readonly position: number;
  readonly id: string;
}

/** Compares the events of a tailing reader with the final log and the acknowledged appends. */
export function tailViolations(
  read: readonly Entry[],
  stored: readonly Entry[],
  acknowledged: ReadonlySet<string>,
): readonly string[] {
  const problems: string[] = [];
  const ids = new Map(stored.map(({ position, id }) => [position, id]));
  const seenIds = new Set<number>();
  let last = 0;
  for (const { position, id } of read) {
    if (ids.get(position) !== id) problems.push(`phantom: ${position} was read as ${id} and is not in the log`);
    if (seenIds.has(position)) problems.push(`repeated: ${position}`);
    else if (position < last) problems.push(`out of order: ${position} after ${last}`);
    seenIds.add(position);
    last = Math.max(last, position);
  }
  for (const { position } of stored) if (!seenIds.has(position)) problems.push(`skipped: ${position}`);
  const storedIds = new Set(stored.map(({ id }) => id));
  for (const id of acknowledged) if (!storedIds.has(id)) problems.push(`lost write: ${id}`);
  return problems;
}
