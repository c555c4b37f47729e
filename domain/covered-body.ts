export interface CoveredBodySlugs {
  readonly jurisdictionSlug: string;
  readonly slug: string;
}
