import { listDfwResearchCoverage } from '../../queries/list-dfw-research-coverage.ts';
import { createListCoveredSources } from '../../queries/list-public-source-statuses.ts';
import { createListTopics } from '../../queries/list-topics.ts';
import type { SearchLimit } from '../admission/search-limit.ts';
import type { ReportFunctions } from '../contract/handlers.ts';
import type { AgendaFunctions } from '../contract/tools/agenda-functions.ts';
import { createAgendaTools } from '../mcp/agenda-tools.ts';
import { createCoverageTools } from '../mcp/coverage-tools.ts';
import { createReportTools } from '../mcp/report-tools.ts';
import type { ToolFunctions } from '../mcp/tool-functions.ts';
import { COVERAGE_CATALOGUE } from '../sources/coverage/coverage-catalogue.ts';
import type { ReadParts } from './public-functions.ts';

export interface ToolFunctionParts extends ReadParts {
  readonly agenda: AgendaFunctions;
  readonly searchLimit: SearchLimit;
  readonly reports: ReportFunctions;
}

/** What the six tools are answered from. */
export const createToolFunctions = ({ agenda, searchLimit, reports, ...parts }: ToolFunctionParts): ToolFunctions => ({
  ...createCoverageTools({
    listCoveredSources: createListCoveredSources(parts),
    listTopics: createListTopics(parts),
    listResearchCoverage: (input) => listDfwResearchCoverage(COVERAGE_CATALOGUE, input),
  }),
  ...createAgendaTools(agenda, searchLimit),
  ...createReportTools(reports),
});
