import { z } from 'zod';
import { MAX_COVERAGE_CURSOR_LENGTH } from '../domain/coverage.ts';
import { FAMILIES, jurisdiction, recordStream } from '../domain/records/schemas.ts';
import { date } from '../domain/records/fields.ts';
import { answerWithMeta, component, count, jurisdictionName, jurisdictionSlug, matching, MEANINGS } from './fields.ts';

export const COVERAGE_STATUSES = {
  M: 'a machine-readable official endpoint was located',
  D: 'official documents (PDF or page) were located',
  P: 'an interactive portal only',
  R: 'on request only',
  U: 'not yet verified',
  N: 'researched, none found',
} as const;
export type CoverageStatus = keyof typeof COVERAGE_STATUSES;

const coverageStatus = z
  .enum(Object.keys(COVERAGE_STATUSES) as [CoverageStatus, ...CoverageStatus[]])
  .meta({ id: 'CoverageStatus' });
export const family = recordStream.shape.family;
/** The 16 counties of the region, by their bare slugs; a county's own jurisdiction slug adds `-county`. */
export const county = z
  .enum([
    'collin',
    'dallas',
    'denton',
    'ellis',
    'erath',
    'hood',
    'hunt',
    'johnson',
    'kaufman',
    'navarro',
    'palo-pinto',
    'parker',
    'rockwall',
    'somervell',
    'tarrant',
    'wise',
  ])
  .meta({ id: 'County' });

export const MAX_COVERAGE_ITEMS = 20;
export const coverageCursor = z.string().min(1).max(MAX_COVERAGE_CURSOR_LENGTH);

const familyCoverage = z.strictObject({
  family,
  status: coverageStatus.describe(MEANINGS.status),
  officialSourceUrl: recordStream.shape.officialSourceUrl.optional(),
  checkedOn: date.describe('Day of the research.').optional(),
  note: z.string().min(1).describe('A remark of the research.').optional(),
});

const coveredJurisdiction = component('CoveredJurisdiction', {
  jurisdictionSlug,
  jurisdictionName,
  level: jurisdiction.shape.level,
  kind: jurisdiction.shape.kind,
  countySlugs: jurisdiction.shape.countySlugs,
  active: jurisdiction.shape.active,
  families: z.array(familyCoverage).describe('Record families, each with its finding.'),
});
export type CoveredJurisdiction = z.output<typeof coveredJurisdiction>;

const definition = z.string().describe('Meaning of the letter.');

const coverageScope = z.strictObject({
  region: z.string().min(1).describe('The region.'),
  counties: z.literal(county.options.length).describe('Counties of the region.'),
  activeMunicipalities: count.describe('Active municipalities in the catalogue.'),
  inactiveMunicipalities: count.describe('Inactive municipalities in the catalogue.'),
  families: z.literal(FAMILIES.length).describe('Record families.'),
  statement: z.string().min(1).describe('Limits of the statuses.'),
});

const pagination = z.strictObject({
  limit: z.int().min(1).max(MAX_COVERAGE_ITEMS).describe(MEANINGS.limit),
  returned: count.max(MAX_COVERAGE_ITEMS).describe(MEANINGS.returned),
  total: count.describe('Items on all pages.'),
  nextCursor: coverageCursor.nullable().describe(MEANINGS.nextCursor),
});

export const researchCoverage = answerWithMeta(
  'ResearchCoverage',
  z.array(coveredJurisdiction).max(MAX_COVERAGE_ITEMS),
  z.strictObject({
    catalogVersion: matching(/^\d{4}-\d{2}-\d{2}\.[0-9a-f]{12}$/).describe(
      'Date of the research and the start of the SHA-256 of the catalogue.',
    ),
    researchDate: date.describe('Day of the research.'),
    ingestionVerified: z.boolean().describe('True if production ingestion of every listed family has been verified.'),
    statusDefinitions: z
      .strictObject(
        Object.fromEntries(coverageStatus.options.map((status) => [status, definition])) as Record<
          CoverageStatus,
          z.ZodString
        >,
      )
      .describe('Meanings of the status letters.'),
    scope: coverageScope.describe('Size of the catalogue.'),
    pagination: pagination.describe(MEANINGS.pagination),
  }),
);
export type ResearchCoverage = z.output<typeof researchCoverage>;
