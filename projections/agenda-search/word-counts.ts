import { spellableWords } from '../../src/domain/search-words.ts';
import type { RecordChanges } from '../record-changes.ts';
import type { SearchRecordTable } from './record-tables.ts';

/** By how much the numbers of records change that have each word. What comes out even is left out. Pure but for its own sum. */
export class WordCounts {
  readonly #changes = new Map<string, number>();

  /** The texts of one record that has come or gone. */
  add(texts: readonly (string | null)[], by: 1 | -1): void {
    const words = spellableWords(texts.filter((text) => text !== null).join('\n'));
    for (const word of words) this.#changes.set(word, (this.#changes.get(word) ?? 0) + by);
  }

  addPublished({ columns, worded }: SearchRecordTable, published: RecordChanges['published']): void {
    const texts = columns.filter(({ name }) => worded.includes(name));
    for (const { data } of published)
      this.add(
        texts.map(({ of }) => of(data) as string | null),
        1,
      );
  }

  changes(): ReadonlyMap<string, number> {
    return new Map([...this.#changes].filter(([, change]) => change !== 0));
  }
}
