import { z } from 'zod';
import { MAX_REPORT_BYTES, newDataReport, reportReceipt, requestToken } from './data-report.ts';
import { noParams, noQuery } from './fields.ts';
import { operation, REPORT_REFUSALS } from './operation.ts';

/** The same key and body again answer the first receipt. */
export const submitDataReport = operation({
  operationId: 'submitDataReport',
  method: 'POST',
  path: '/api/v1/data-reports',
  access: 'key',
  scope: null,
  surface: 'reports',
  params: noParams,
  query: noQuery,
  headers: z.object({ 'idempotency-key': requestToken }),
  body: { schema: newDataReport, maxBytes: MAX_REPORT_BYTES },
  success: { status: 202, schema: z.strictObject({ data: reportReceipt }) },
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
