/** The six tools, in the order in which they are listed. */
export const TOOL_NAMES = [
  'search_agenda',
  'get_agenda_item',
  'get_coverage',
  'get_data_coverage',
  'report_missing_data',
  'get_data_report',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];
