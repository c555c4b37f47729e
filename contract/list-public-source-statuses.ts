import { z } from 'zod';
import { agendaTextEvidence, url } from '../domain/records/fields.ts';
import { jurisdiction, publicBody, source } from '../domain/records/schemas.ts';
import { named, timestamp } from './fields.ts';
import { operation, PUBLIC_READ } from './operation.ts';
import { openMeta } from './public-agenda-hit.ts';
import { SOURCE_STATUS } from './examples.ts';

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
  ...PUBLIC_READ,
  operationId: 'listPublicSourceStatuses',
  path: '/api/v1/public/source-status',
  summary: 'List the covered sources and what was last observed of each',
  description: `Every source of the covered set on one page. A check time says what was observed then; it is no promise of uptime, completeness
or correctness.`,
  example: {
    parameters: { jurisdictionSlug: 'dallas' },
    success: { sources: { summary: 'One source', value: { data: [SOURCE_STATUS] } } },
  },
  query,
  success: { status: 200, schema: z.strictObject({ data: z.array(publicSourceStatus), meta: openMeta.optional() }) },
});
