import { z } from 'zod';
import { MAX_REPORT_BYTES, newDataReport, reportReceipt, requestToken } from './data-report.ts';
import { answer } from './fields.ts';
import { operation, REPORT_ACCESS, REPORT_REFUSALS } from './operation.ts';
import { REPORT_ID } from './examples.ts';

export const submitDataReport = operation({
  ...REPORT_ACCESS,
  operationId: 'submitDataReport',
  writes: true,
  method: 'POST',
  path: '/api/v1/data-reports',
  summary: 'Report a missing record',
  description: `Confirms receipt only, not a gap; the address is not fetched at intake. The same \`Idempotency-Key\` with the same body answers the
first receipt, with another body it is 409. Needs current paid access and takes no paid call. Limits, shared with the tools: 5 submissions in a minute, refused
ones included and repeated ones not; 20 new reports in a day (UTC), 20 open ones, and 32 keys and surfaces that present one \`Idempotency-Key\`. The receipt is
given when the report can be read.

Refused addresses: other schemes than http and https, credentials, a fragment, hosts that are private or have no dot (literals of IPv6 have none), and query
parameters that look like secrets.`,
  example: {
    parameters: { 'idempotency-key': 'report-2026-04-14-001' },
    body: {
      agenda: {
        summary: 'An agenda that is missing',
        value: {
          sourceUrl: 'https://example.org/sample-city/meetings/1042',
          expectedRecord: 'Agenda of the City Council of 14 April 2026',
          jurisdictionSlug: 'sample-city',
          recordKind: 'agenda',
          recordDate: '2026-04-14',
          queryContext: { surface: { kind: 'rest', route: '/api/v1/data/changes' } },
        },
      },
    },
    success: {
      receipt: {
        summary: 'The receipt',
        value: {
          data: {
            reportId: REPORT_ID,
            status: 'received',
            statusUrl: `/api/v1/data-reports/${REPORT_ID}`,
            submittedAt: '2026-04-14T16:00:00.000Z',
            nextCheckAt: '2026-04-15T16:00:00.000Z',
          },
        },
      },
    },
  },
  headers: z.object({
    'idempotency-key': requestToken.describe(
      'The same key with the same body answers the first receipt; with another body it is refused.',
    ),
  }),
  body: { schema: newDataReport, maxBytes: MAX_REPORT_BYTES },
  success: { status: 202, schema: answer('SubmittedDataReport', reportReceipt) },
  refusals: [
    ...REPORT_REFUSALS,
    'replay_conflict',
    'submit_rate_limited',
    'report_limit_reached',
    'queue_unavailable',
    'budget_exhausted',
    'intake_paused',
  ],
  refusalsAt: { 413: ['invalid_input'] },
});
