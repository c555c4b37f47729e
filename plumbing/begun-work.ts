/** Works that are begun one after the other and awaited together. A failure is handled from the start, also where the next one never begins. */
export class BegunWork<Result = void> {
  readonly #works: Promise<Result>[] = [];

  add(work: Promise<Result>): void {
    work.catch(() => undefined);
    this.#works.push(work);
  }

  /** Waits for all, so that nothing is under way any more. Resolves to their results; throws the first failure. */
  async end(): Promise<readonly Result[]> {
    await Promise.allSettled(this.#works);
    return await Promise.all(this.#works);
  }
}
