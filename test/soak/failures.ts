const MOST = 25;

/** All failures in order; the run ends when there are too many. */
export class Failures {
  readonly found: string[] = [];
  /** Called at once with each. */
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
