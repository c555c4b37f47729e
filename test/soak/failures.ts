const MOST = 25;

/** Everything that was wrong, in the order in which it was found; the run ends when there is too much of it. */
export class Failures {
  readonly found: string[] = [];
  /** Told of each at once. */
  onFound: (what: string) => void = () => undefined;
  readonly #tooMany = new AbortController();

  add(what: string): void {
    this.found.push(what);
    this.onFound(what);
    if (this.found.length >= MOST) this.#tooMany.abort(new Error('too much is wrong to go on'));
  }

  get tooMany(): AbortSignal {
    return this.#tooMany.signal;
  }
}
