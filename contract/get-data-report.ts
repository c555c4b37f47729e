import { z } from 'zod';
import { dataReport } from './data-report.ts';
import { answer } from './fields.ts';
import { operation, REPORT_ACCESS, REPORT_REFUSALS } from './operation.ts';
import { REPORT_ID } from './examples.ts';

export const getDataReport = operation({
  ...REPORT_ACCESS,
  operationId: 'getDataReport',
  method: 'GET',
  path: '/api/v1/data-reports/{reportId}',
  summary: 'Read the status of a report',
  description: `A report of this account. Ask again at \`nextCheckAt\`, not in a loop: 30 reads in a minute are the limit. Open statuses: \`received\`,
\`investigating\`, \`awaiting_source\`, \`gap_confirmed\`, \`backfilling\`. Closed ones: \`resolved\`, \`already_available\`, \`not_found\`, \`out_of_scope\`,
\`declined\`; a closed report stays closed.`,
  example: {
    parameters: { reportId: REPORT_ID },
    success: {
      open: {
        summary: 'A report that is investigated',
        value: {
          data: {
            reportId: REPORT_ID,
            status: 'investigating',
            submittedAt: '2026-04-14T16:00:00.000Z',
            updatedAt: '2026-04-14T18:00:00.000Z',
            nextCheckAt: '2026-04-15T18:00:00.000Z',
            reasonCode: 'publication_delay',
            verifiedRecords: [],
          },
        },
      },
    },
  },
  params: z.strictObject({ reportId: dataReport.shape.reportId }),
  success: { status: 200, schema: answer('DataReportAnswer', dataReport) },
  refusals: [...REPORT_REFUSALS, 'report_not_found', 'status_rate_limited'],
});
