import { z } from 'zod';
import { uuid } from '../../domain/records/fields.ts';
import { dataReport } from '../data-report.ts';
import { tool } from './tool.ts';
import { REPORT_TOOL_CODES } from './tool-errors.ts';

export const getDataReportTool = tool({
  name: 'get_data_report',
  title: 'Read a report',
  description: `Reads how a report of this account stands: its status, what was found, and the records that answer it. Ask again at nextCheckAt, not in a loop;
a report without nextCheckAt is closed. Costs nothing; needs current paid access.`,
  effect: 'reads',
  input: z.strictObject({ reportId: uuid.describe('The reportId of a receipt of report_missing_data.') }),
  /** `truncated` is there where records were left out to stay within the cap. */
  data: dataReport.extend({ truncated: z.literal(true).optional() }),
  errors: REPORT_TOOL_CODES,
});
