/** The page has another address now. */
export class PageMoved extends Error {
  override readonly name = 'PageMoved';
  readonly path: string;
  constructor(path: string) {
    super(`the page is at ${path} now`);
    this.path = path;
  }
}
