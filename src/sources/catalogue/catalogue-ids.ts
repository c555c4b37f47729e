import { derivedId } from '../../../domain/identifiers.ts';

/** Ids of the catalogue's records, from their slugs: the same in every deployment. */
export const catalogueJurisdictionId = (jurisdictionSlug: string): string => derivedId('catalogue', 'jurisdiction', jurisdictionSlug);

export const catalogueBodyId = (jurisdictionSlug: string, bodySlug: string): string =>
  derivedId('catalogue', 'public_body', jurisdictionSlug, bodySlug);

export const catalogueSourceId = (jurisdictionSlug: string, bodySlug: string): string =>
  derivedId('catalogue', 'source', jurisdictionSlug, bodySlug);
