import { z } from 'zod';
import { uuid } from '../../domain/records/fields.ts';
import { dataReport } from '../data-report.ts';
import { tool, truncated } from './tool.ts';
import { REPORT_TOOL_CODES } from './tool-errors.ts';
import { rowsOf, type TruncationRules } from './truncation.ts';

const data = dataReport.extend({ truncated: z.literal(true).describe(truncated.description!).optional() });

const truncation = (): TruncationRules<z.output<typeof data>> => ({
  texts: ['finding', 'nextAction', 'title'],
  rows: [
    rowsOf({
      least: 0,
      of: ({ verifiedRecords }) => verifiedRecords,
      keep: (data, verifiedRecords) => ({ ...data, verifiedRecords, truncated: true }),
    }),
  ],
});

export const getDataReportTool = tool({
  name: 'get_data_report',
  title: 'Read a report',
  description: `Reads how a report of this account stands: its status, what was found, and the records that answer it. Ask again at nextCheckAt, not in a loop;
a report without nextCheckAt is closed. Costs nothing; needs current paid access.`,
  effect: 'reads',
  access: 'reports',
  input: z.strictObject({ reportId: uuid.describe('The reportId of a receipt of report_missing_data.') }),
  data,
  errors: REPORT_TOOL_CODES,
  truncation,
});
