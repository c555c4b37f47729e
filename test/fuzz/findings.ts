/** The findings of a run: each once per batch, with its first place and its count. */
export class Findings {
  readonly #found = new Map<string, { readonly first: string; times: number }>();

  add(batch: string, first: string, wrong: string): void {
    const key = `${batch}: ${wrong}`;
    const entry = this.#found.get(key) ?? { first, times: 0 };
    entry.times += 1;
    this.#found.set(key, entry);
  }

  get size(): number {
    return this.#found.size;
  }

  told(): readonly string[] {
    return [...this.#found].map(([wrong, { first, times }]) => `${wrong} [first ${first}, ${times} in all]`);
  }
}
