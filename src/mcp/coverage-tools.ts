import type { CoveredSource } from '../../queries/list-public-source-statuses.ts';
import type { Topic } from '../../queries/list-topics.ts';
import { type CoveragePage, coverageCursorAfter, type CoverageInput } from '../../queries/list-dfw-research-coverage.ts';
import { MOST_COVERAGE_ITEMS } from '../contract/research-coverage.ts';
import type { SourceStatusesInput } from '../contract/handlers.ts';
import type { ToolData, ToolFunctions } from './tool-functions.ts';

export interface CoverageToolParts {
  readonly listCoveredSources: (input: SourceStatusesInput) => Promise<readonly CoveredSource[]>;
  readonly listTopics: () => Promise<readonly Topic[]>;
  readonly listResearchCoverage: (input: CoverageInput) => CoveragePage;
}

const STATUSES =
  `A check time says what was observed then; it promises no uptime, completeness or correctness. healthy: the last check succeeded; stale: no check has
succeeded for 48 hours; failing: the last checks failed; unknown: not checked yet.`.replaceAll('\n', ' ');
const BEYOND = 'get_data_coverage tells what research located beyond these sources.';
const GUIDANCE = `${STATUSES} A jurisdiction that is not listed is not covered, so that finding nothing there says nothing. ${BEYOND}`;
/** Instead of it where the list had to be cut: what is not listed may be covered all the same. */
export const CUT_COVERAGE_GUIDANCE =
  `The list was too long and its end was left out: what is not listed may be covered all the same, and GET
/api/v1/public/source-status lists every source without a key. ${STATUSES} ${BEYOND}`.replaceAll('\n', ' ');

type CoveredJurisdiction = ToolData<'get_coverage'>['jurisdictions'][number];

/** Rows come by jurisdiction. */
const byJurisdiction = (rows: readonly CoveredSource[]): CoveredJurisdiction[] => {
  const jurisdictions = new Map<string, CoveredJurisdiction>();
  for (const { jurisdictionSlug, status } of rows) {
    const known = jurisdictions.get(jurisdictionSlug);
    if (known === undefined) {
      jurisdictions.set(jurisdictionSlug, { jurisdictionSlug, jurisdictionName: status.jurisdictionName, sources: [status] });
    } else known.sources.push(status);
  }
  return [...jurisdictions.values()];
};

/** The two tools that tell what is covered (decisions, section 7); they cost nothing. */
export const createCoverageTools = (parts: CoverageToolParts): Pick<ToolFunctions, 'get_coverage' | 'get_data_coverage'> => ({
  get_coverage: async () => {
    const [sources, topics] = await Promise.all([parts.listCoveredSources({}), parts.listTopics()]);
    return { data: { jurisdictions: byJurisdiction(sources), topics: [...topics], guidance: GUIDANCE, truncated: false } };
  },
  get_data_coverage: async (input) => {
    const asked = { ...input, includeInactive: false, limit: MOST_COVERAGE_ITEMS } as CoverageInput;
    const page = parts.listResearchCoverage(asked);
    return {
      data: { ...(page as Pick<ToolData<'get_data_coverage'>, 'data' | 'meta'>), truncated: false },
      cursorAfter: (rows) => coverageCursorAfter(page, asked, rows),
    };
  },
});
