/**
 * Collects work that is started step by step and awaited together. A rejection is handled at once, even if no later
 * work starts.
 */
export class BegunWork<Result = void> {
  readonly #works: Promise<Result>[] = [];

  add(work: Promise<Result>): void {
    work.catch(() => undefined);
    this.#works.push(work);
  }

  /** Waits until all work has settled. Resolves to the results, or throws the first failure. */
  async end(): Promise<readonly Result[]> {
    await Promise.allSettled(this.#works);
    return await Promise.all(this.#works);
  }
}
