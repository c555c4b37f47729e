import { getAgendaItem } from './get-agenda-item.ts';
import { getCoverage } from './get-coverage.ts';
import { getDataCoverage } from './get-data-coverage.ts';
import { getDataReportTool } from './get-data-report.ts';
import { reportMissingData } from './report-missing-data.ts';
import { searchAgenda } from './search-agenda.ts';
import type { Tool } from './tool.ts';
import type { ToolName } from './tool-names.ts';

export const TOOLS = {
  search_agenda: searchAgenda,
  get_agenda_item: getAgendaItem,
  get_coverage: getCoverage,
  get_data_coverage: getDataCoverage,
  report_missing_data: reportMissingData,
  get_data_report: getDataReportTool,
} as const satisfies { readonly [Name in ToolName]: Tool & { readonly name: Name } };
