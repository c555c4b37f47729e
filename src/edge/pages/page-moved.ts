/** Thrown if the page has moved to another address. */
export class PageMoved extends Error {
  override readonly name = 'PageMoved';
  readonly path: string;
  constructor(path: string) {
    super(`the page is at ${path} now`);
    this.path = path;
  }
}
