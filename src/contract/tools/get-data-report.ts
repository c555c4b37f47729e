import { z } from 'zod';
import { uuid } from '../../domain/records/fields.ts';
import { dataReport } from '../data-report.ts';
import { tool } from './tool.ts';
import { REPORT_TOOL_CODES } from './tool-errors.ts';

export const getDataReportTool = tool({
  name: 'get_data_report',
  title: 'Read a report',
  description: 'Reads how a report of this account stands. Ask again at its nextCheckAt, not in a loop.',
  input: z.strictObject({ reportId: uuid }),
  data: dataReport,
  errors: REPORT_TOOL_CODES,
});
