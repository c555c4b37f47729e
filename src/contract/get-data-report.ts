import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import { dataReport } from './data-report.ts';
import { noQuery } from './fields.ts';
import { operation, REPORT_REFUSALS } from './operation.ts';

export const getDataReport = operation({
  operationId: 'getDataReport',
  method: 'GET',
  path: '/api/v1/data-reports/{reportId}',
  access: 'key',
  scope: null,
  surface: 'reports',
  params: z.strictObject({ reportId: uuid }),
  query: noQuery,
  body: null,
  success: { status: 200, schema: z.strictObject({ data: dataReport }) },
  refusals: [...REPORT_REFUSALS, 'report_not_found', 'status_rate_limited'],
});
