import { newDataReport, reportReceipt, requestToken } from '../data-report.ts';
import { tool } from './tool.ts';
import { REPORT_TOOL_CODES } from './tool-errors.ts';

export const reportMissingData = tool({
  name: 'report_missing_data',
  title: 'Report a missing record',
  description: `Reports a public record that the official source publishes and that this service lacks. Search first, and name the official page in sourceUrl. The
receipt confirms that the report arrived, not that there is a gap; follow it with get_data_report. Keep idempotencyToken when you repeat a call whose answer
was lost: the same token with the same input returns the first report. Costs nothing; needs current paid access.`,
  effect: 'records',
  access: 'reports',
  input: newDataReport.extend({
    idempotencyToken: requestToken.describe(
      'A name of your own for this report, new for each report and kept for each repetition of it.',
    ),
  }),
  data: reportReceipt,
  errors: REPORT_TOOL_CODES,
  truncation: () => ({ texts: [], rows: [] }),
});
