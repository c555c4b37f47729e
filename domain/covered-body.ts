/** A public body by the slugs of its jurisdiction and its own. */
export interface CoveredBodySlugs {
  readonly jurisdictionSlug: string;
  readonly slug: string;
}
