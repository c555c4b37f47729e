import { z } from 'zod';
import { agendaTextEvidence, url } from '../domain/records/fields.ts';
import { jurisdiction, publicBody, source } from '../domain/records/schemas.ts';
import { named, noParams, timestamp } from './fields.ts';
import { operation, PUBLIC_CACHE, PUBLIC_REFUSALS } from './operation.ts';
import { openMeta } from './public-agenda-hit.ts';

/** What was observed of one source of the covered set, no promise of completeness. */
export const publicSourceStatus = z.strictObject({
  jurisdictionName: jurisdiction.shape.name,
  publicBodyName: publicBody.shape.name,
  sourceTypeLabel: source.shape.sourceTypeLabel,
  status: source.shape.status,
  agendaTextEvidence: agendaTextEvidence.nullable(),
  lastSuccessfulCheckAt: timestamp.nullable(),
  officialSourceUrl: url.optional(),
});
export type PublicSourceStatus = z.output<typeof publicSourceStatus>;

/** Normalised names win over their aliases. */
const query = z
  .strictObject({
    jurisdictionSlug: named.optional(),
    jurisdiction: named.optional(),
    bodySlug: named.optional(),
    body: named.optional(),
  })
  .transform(({ jurisdictionSlug, jurisdiction, bodySlug, body }) => ({
    jurisdictionSlug: jurisdictionSlug ?? jurisdiction,
    bodySlug: bodySlug ?? body,
  }));

export const listPublicSourceStatuses = operation({
  operationId: 'listPublicSourceStatuses',
  method: 'GET',
  path: '/api/v1/public/source-status',
  access: 'public',
  scope: null,
  surface: null,
  params: noParams,
  query,
  body: null,
  success: { status: 200, schema: z.strictObject({ data: z.array(publicSourceStatus), meta: openMeta.optional() }) },
  refusals: [...PUBLIC_REFUSALS],
  cacheControl: PUBLIC_CACHE,
});
