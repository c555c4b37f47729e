import { addDigest, digestSum, digestText, subtractDigest } from '../../domain/digests.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import type { HistoryRow } from './history-rows.ts';

interface Total {
  records: number;
  digest: bigint;
}

/** Number and state digest of the current records of each resource, updated with each change. */
export class Totals {
  readonly #totals = new Map<string, Total>();
  readonly #touched = new Set<string>();

  /** Rows of resource, number, digest text. */
  constructor(stored: readonly TextRow[] = []) {
    for (const [resource, records, digest] of stored) this.#totals.set(resource!, { records: Number(records), digest: digestSum(digest!) });
  }

  add(resource: string, digest: string): void {
    const total = this.#of(resource);
    total.records += 1;
    total.digest = addDigest(total.digest, digest);
  }

  remove(resource: string, digest: string): void {
    const total = this.#of(resource);
    total.records -= 1;
    total.digest = subtractDigest(total.digest, digest);
  }

  /** Counts the rows of a batch that are current at its end; what they superseded in earlier batches is removed apart. */
  addCurrent(rows: readonly HistoryRow[]): void {
    for (const row of rows) {
      if (row.supersededAt === null) this.add(row.resource, row.digest!);
    }
  }

  touched(): readonly { readonly resource: string; readonly records: number; readonly digest: string }[] {
    return [...this.#touched].map((resource) => {
      const { records, digest } = this.#totals.get(resource)!;
      return { resource, records, digest: digestText(digest) };
    });
  }

  #of(resource: string): Total {
    let total = this.#totals.get(resource);
    if (total === undefined) this.#totals.set(resource, (total = { records: 0, digest: 0n }));
    this.#touched.add(resource);
    return total;
  }
}
