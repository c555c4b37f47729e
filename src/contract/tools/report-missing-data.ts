import { newDataReport, reportReceipt, requestToken } from '../data-report.ts';
import { tool } from './tool.ts';
import { REPORT_TOOL_CODES } from './tool-errors.ts';

export const reportMissingData = tool({
  name: 'report_missing_data',
  title: 'Report a missing record',
  description: 'Reports a public record that should be here and is not. The same token with the same input returns the same report.',
  input: newDataReport.extend({ idempotencyToken: requestToken }),
  data: reportReceipt,
  errors: REPORT_TOOL_CODES,
});
