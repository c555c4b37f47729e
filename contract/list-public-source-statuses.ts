import { z } from 'zod';
import { recordStream, source } from '../domain/records/schemas.ts';
import {
  aliasOf,
  answerWithMeta,
  bodyName,
  component,
  jurisdictionName,
  lastSuccessfulCheckAt,
  MEANINGS,
  nonEmptyName,
  openMeta,
} from './fields.ts';
import { operation, PUBLIC_READ } from './operation.ts';

export const publicSourceStatus = component('PublicSourceStatus', {
  jurisdictionName,
  publicBodyName: bodyName,
  sourceTypeLabel: source.shape.sourceTypeLabel,
  status: source.shape.status,
  agendaTextEvidence: source.shape.agendaTextEvidence.unwrap(),
  lastSuccessfulCheckAt: lastSuccessfulCheckAt.nullable(),
  officialSourceUrl: recordStream.shape.officialSourceUrl.optional(),
  lastCheckSkipped: source.shape.lastCheckSkipped,
  lastCheckDegraded: source.shape.lastCheckDegraded,
});
export type PublicSourceStatus = z.output<typeof publicSourceStatus>;

const query = z
  .strictObject({
    jurisdictionSlug: nonEmptyName.describe(MEANINGS.jurisdictionSlug).optional(),
    jurisdiction: aliasOf('jurisdictionSlug'),
    bodySlug: nonEmptyName.describe(MEANINGS.bodySlug).optional(),
    body: aliasOf('bodySlug'),
  })
  .transform(({ jurisdictionSlug, jurisdiction, bodySlug, body }) => ({
    jurisdictionSlug: jurisdictionSlug ?? jurisdiction,
    bodySlug: bodySlug ?? body,
  }));

const SOURCE_STATUS = {
  jurisdictionName: 'Sample City',
  publicBodyName: 'City Council',
  sourceTypeLabel: 'Legistar',
  status: 'healthy',
  agendaTextEvidence: 'readable',
  lastSuccessfulCheckAt: '2026-04-14T06:00:00.000Z',
  officialSourceUrl: 'https://example.org/sample-city/meetings',
};

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
  success: { status: 200, schema: answerWithMeta('PublicSourceStatuses', z.array(publicSourceStatus), openMeta) },
});
