import type { RecordChange } from '../../../commands/records/record-writer.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { upsert } from '../source.ts';
import { COVERED_BODIES, type CoveredBody, JURISDICTIONS } from './data-files.ts';
import { derivedId } from '../../../domain/identifiers.ts';

/** Raised whenever the data files change what they say. */
export const CATALOGUE_SEED = { name: 'catalogue', version: 1 } as const;

/** The time zone of the whole region. */
export const REGION_TIME_ZONE = 'America/Chicago';

const body = (row: CoveredBody): RecordChange =>
  upsert('public_bodies', catalogueBodyId(row.jurisdictionSlug, row.slug), {
    jurisdictionId: catalogueJurisdictionId(row.jurisdictionSlug),
    slug: row.slug,
    name: row.name,
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: REGION_TIME_ZONE,
    active: true,
  });

/** The content of a covered body's `sources` record before its first sync. */
export const catalogueSource = (row: CoveredBody): RecordContent<'sources'> => ({
  jurisdictionId: catalogueJurisdictionId(row.jurisdictionSlug),
  publicBodyId: catalogueBodyId(row.jurisdictionSlug, row.slug),
  sourceType: row.sourceType,
  sourceTypeLabel: row.sourceTypeLabel,
  officialSourceUrl: row.officialSourceUrl,
  active: true,
  status: 'unknown',
  agendaTextEvidence: null,
  lastCheckedAt: null,
  lastSuccessfulCheckAt: null,
  consecutiveFailures: 0,
});

/**
 * Every record of the catalogue: 239 municipalities (one inactive), 16 counties, the seven covered bodies and a source for each.
 * Ids are stable; jurisdictions come first, so that a partial write leaves no body without its jurisdiction.
 */
export const catalogueRecords = (): readonly RecordChange[] => [
  ...JURISDICTIONS.map((row) =>
    upsert('jurisdictions', catalogueJurisdictionId(row.slug), { ...row, timezone: REGION_TIME_ZONE, officialWebsiteUrl: null }),
  ),
  ...COVERED_BODIES.map(body),
  ...COVERED_BODIES.map((row) => upsert('sources', catalogueSourceId(row.jurisdictionSlug, row.slug), catalogueSource(row))),
];

/** Ids of the catalogue's records, from their slugs: the same in every deployment. */
export const catalogueJurisdictionId = (jurisdictionSlug: string): string => derivedId('catalogue', 'jurisdiction', jurisdictionSlug);

export const catalogueBodyId = (jurisdictionSlug: string, bodySlug: string): string =>
  derivedId('catalogue', 'public_body', jurisdictionSlug, bodySlug);

export const catalogueSourceId = (jurisdictionSlug: string, bodySlug: string): string =>
  derivedId('catalogue', 'source', jurisdictionSlug, bodySlug);
