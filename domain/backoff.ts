/** Pauses between tries, in milliseconds: each is twice as long as the one before, up to the longest. */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #next: number;

  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
    this.#next = first;
  }

  get next(): number {
    return this.#next;
  }

  take(): number {
    const pause = this.#next;
    this.#next = Math.min(this.#longest, pause * 2);
    return pause;
  }

  reset(): void {
    this.#next = this.#first;
  }
}
