import { randomFillSync } from 'node:crypto';
import { v5, v7 } from 'uuid';

const NAMESPACE = '6a1c9c5e-0d6f-5d6b-9d51-3f7c2b1f8e10';
/** A stable id from the parts that identify a thing at its source; the same parts give the same id, on every machine, for ever. */
export const derivedId = (...parts: readonly (string | number)[]): string => v5(parts.map(String).join('\n'), NAMESPACE);
/** The id of the n-th event of a command: a retried command makes the same event ids. */
export const eventId = (commandId: string, index: number): string => v5(String(index), commandId);

/** The source of new ids; tests provide their own. */
export interface Identifiers {
  next(): string;
}

const RANDOM_BYTES = 16;
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let used = pool.length;

/** Fresh random bytes; the system is asked for many at once, since each question costs more than the id. */
function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += RANDOM_BYTES));
}

export const randomIdentifiers: Identifiers = { next: () => v7({ random: randomBytes() }) };
