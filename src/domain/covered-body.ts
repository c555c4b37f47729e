/** A public body by the slugs of its jurisdiction and its own: how the specification names what is publicly covered. */
export interface CoveredBodySlugs {
  readonly jurisdictionSlug: string;
  readonly slug: string;
}
