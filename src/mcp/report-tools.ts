import type { ReportFunctions } from '../contract/handlers.ts';
import type { ToolFunctions } from './tool-functions.ts';

/** The two report tools: the functions of the report routes, with their limits (specification, report_missing_data and get_data_report). */
export const createReportTools = (reports: ReportFunctions): Pick<ToolFunctions, 'report_missing_data' | 'get_data_report'> => ({
  report_missing_data: async ({ idempotencyToken, ...input }, { principal: { accountId, keyId }, requestId, baseUrl }) => ({
    data: await reports.submitDataReport({ accountId, keyId, surface: 'mcp', token: idempotencyToken, input, requestId, baseUrl }),
  }),
  get_data_report: async ({ reportId }, { principal: { accountId } }) => ({
    data: await reports.getDataReport({ accountId, reportId }),
  }),
});
