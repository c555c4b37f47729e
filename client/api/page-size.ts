import { CivicError } from './errors.ts';

/** Where no size was asked for: below the default of the interface. A page never has more than `LARGEST`. */
const [FIRST_REDUCED, LARGEST] = [50, 500];
/** So many pages in succession fit before twice as many items are asked for again. */
const PAGES_BEFORE_GROWTH = 8;

/** How many items of a page to ask for: fewer where the service refuses one as too large, which large records make it. */
export class PageSize {
  readonly #wanted: number | undefined;
  #limit: number | undefined;
  #fitted = 0;

  constructor(wanted: number | undefined) {
    this.#wanted = wanted;
    this.#limit = wanted;
  }

  /** Asks again with half as many after `response_too_large`, down to one item. Throws what `ask` throws otherwise. */
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
    if (this.#limit === this.#wanted || (this.#fitted += 1) < PAGES_BEFORE_GROWTH) return;
    const twice = 2 * this.#limit!;
    const isWhole = twice >= Math.min(this.#wanted ?? 2 * FIRST_REDUCED, LARGEST);
    this.#limit = isWhole ? this.#wanted : twice;
    this.#fitted = 0;
  }
}
