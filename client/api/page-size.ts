import { CivicError } from './errors.ts';

/** `FIRST_REDUCED` is the first smaller size if no size was requested. A page never has more than `LARGEST` items. */
const [FIRST_REDUCED, LARGEST] = [50, 500];
/** Number of successful pages in a row before the page size doubles. */
const PAGES_BEFORE_GROWTH = 8;

/** Adapts the page size: smaller after the service rejected a page as too large, because its records are large. */
export class PageSize {
  readonly #requested: number | undefined;
  #limit: number | undefined;
  #fitted = 0;

  constructor(requested: number | undefined) {
    this.#requested = requested;
    this.#limit = requested;
  }

  /** Reads a page. After `response_too_large`, retries with half as many items, down to one. Rethrows other errors of `ask`. */
  async read<Page>(ask: (limit: number | undefined) => Promise<Page>): Promise<Page> {
    for (;;) {
      try {
        const page = await ask(this.#limit);
        this.#grow();
        return page;
      } catch (error) {
        if (!(error instanceof CivicError) || error.code !== 'response_too_large' || this.#limit === 1) throw error;
        this.#limit = Math.floor(Math.min(this.#limit ?? 2 * FIRST_REDUCED, LARGEST) / 2);
        this.#fitted = 0;
      }
    }
  }

  #grow(): void {
    if (this.#limit === this.#requested || (this.#fitted += 1) < PAGES_BEFORE_GROWTH) return;
    const twice = 2 * this.#limit!;
    const isWhole = twice >= Math.min(this.#requested ?? 2 * FIRST_REDUCED, LARGEST);
    this.#limit = isWhole ? this.#requested : twice;
    this.#fitted = 0;
  }
}
