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
  const found: string[] = [];
  const ids = new Map(stored.map(({ position, id }) => [position, id]));
  const seen = new Set<number>();
  let last = 0;
  for (const { position, id } of read) {
    if (ids.get(position) !== id) found.push(`phantom: ${position} was read as ${id} and is not in the log`);
    if (seen.has(position)) found.push(`repeated: ${position}`);
    else if (position < last) found.push(`out of order: ${position} after ${last}`);
    seen.add(position);
    last = Math.max(last, position);
  }
  for (const { position } of stored) if (!seen.has(position)) found.push(`skipped: ${position}`);
  const kept = new Set(stored.map(({ id }) => id));
  for (const id of acknowledged) if (!kept.has(id)) found.push(`lost write: ${id}`);
  return found;
}
