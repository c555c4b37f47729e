import { COVERAGE_GUIDANCE } from '../../../contract/tools/get-coverage.ts';
import { MAX_COVERAGE_ITEMS } from '../../../contract/research-coverage.ts';
import {
  type CoveredSource,
  createListCoveredSources,
  createListPublicSourceStatuses,
  createListTopics,
  type Topic,
} from '../../../queries/coverage/list-public-source-statuses.ts';
import {
  coverageCursorAfter,
  type CoveragePage,
  listDfwResearchCoverage,
} from '../../../queries/coverage/list-dfw-research-coverage.ts';
import type { CoverageInput, SourceStatusesInput } from '../../../contract/inputs.ts';
import type { PublicSourceStatus } from '../../../contract/list-public-source-statuses.ts';
import type { PublicAnswers } from '../../edge/answers/exchange.ts';
import type { ToolData, ToolFunctions } from '../../edge/mcp/run-tool.ts';
import { countPeopleRead, type PeopleRead } from '../../sources/catalogue/people.ts';
import type { Platform } from '../platform.ts';
import type { Module } from './module.ts';

export interface CoverageFunctions {
  /** Returns a page as it is sent. Rejects a cursor that was issued for other filters. */
  readonly listDfwResearchCoverage: (input: CoverageInput) => Promise<object>;
  readonly listPublicSourceStatuses: (input: SourceStatusesInput) => Promise<readonly PublicSourceStatus[]>;
}

/** After a failure, neither operation falls back to an empty list: the covered set is fixed, so an empty list would be wrong. */
export const coverageOperations = (functions: CoverageFunctions) =>
  ({
    listDfwResearchCoverage: {
      ask: async ({ query }) => JSON.stringify(await functions.listDfwResearchCoverage(query)),
    },
    listPublicSourceStatuses: {
      ask: async ({ query }) => JSON.stringify({ data: await functions.listPublicSourceStatuses(query) }),
    },
  }) satisfies Partial<PublicAnswers>;

interface CoverageReads {
  readonly listCoveredSources: (
    input: SourceStatusesInput,
    options: { readonly alsoRead: boolean },
  ) => Promise<readonly CoveredSource[]>;
  readonly listTopics: () => Promise<readonly Topic[]>;
  readonly listResearchCoverage: (input: CoverageInput) => Promise<CoveragePage>;
}

type CoveredJurisdiction = ToolData<'get_coverage'>['jurisdictions'][number];

const UNKNOWN_JURISDICTION =
  'The research catalogue has no active city or county with this jurisdictionSlug. get_coverage lists the jurisdictions whose sources are read.';

/** Rows are ordered by jurisdiction. */
function groupByJurisdiction(rows: readonly CoveredSource[]): CoveredJurisdiction[] {
  const jurisdictions = new Map<string, CoveredJurisdiction>();
  for (const { jurisdictionSlug, status } of rows) {
    const existing = jurisdictions.get(jurisdictionSlug);
    if (existing === undefined) {
      jurisdictions.set(jurisdictionSlug, {
        jurisdictionSlug,
        jurisdictionName: status.jurisdictionName,
        sources: [status],
      });
    } else existing.sources.push(status);
  }
  return [...jurisdictions.values()];
}

/** Counts the people of the places with a source that was read. */
export const peopleOfReadSources = (sources: readonly CoveredSource[]): PeopleRead =>
  countPeopleRead(
    new Set(
      sources
        .filter(({ status }) => status.lastSuccessfulCheckAt !== null)
        .map(({ jurisdictionSlug }) => jurisdictionSlug),
    ),
  );

export const coverageTools = (parts: CoverageReads): Pick<ToolFunctions, 'get_coverage' | 'get_data_coverage'> => ({
  get_coverage: async () => {
    const [sources, topics] = await Promise.all([parts.listCoveredSources({}, { alsoRead: true }), parts.listTopics()]);
    return {
      data: {
        jurisdictions: groupByJurisdiction(sources),
        topics: [...topics],
        population: peopleOfReadSources(sources),
        guidance: COVERAGE_GUIDANCE,
        truncated: false,
      },
    };
  },
  get_data_coverage: async (input) => {
    const query = { ...input, includeInactive: false, limit: MAX_COVERAGE_ITEMS } as CoverageInput;
    const page = await parts.listResearchCoverage(query);
    const { jurisdictionSlug, includeInactive } = query;
    const isUnknown =
      page.data.length === 0 &&
      jurisdictionSlug !== undefined &&
      (await parts.listResearchCoverage({ jurisdictionSlug, includeInactive, limit: 1 })).data.length === 0;
    return {
      data: {
        ...(page as Pick<ToolData<'get_data_coverage'>, 'data' | 'meta'>),
        ...(isUnknown && { guidance: UNKNOWN_JURISDICTION }),
        truncated: false,
      },
      cursorAfter: (rows) => coverageCursorAfter(page, query, rows),
    };
  },
});

/** Loads the catalogue at the first call: its validation and digest take longer than the rest of a command. */
export async function listResearchCoverage(input: CoverageInput): Promise<CoveragePage> {
  const { COVERAGE_CATALOGUE } = await import('../../sources/coverage/coverage-catalogue.ts');
  return listDfwResearchCoverage(COVERAGE_CATALOGUE, input);
}

export function coverage({ reads, clock }: Platform) {
  return {
    publicOperations: coverageOperations({
      listDfwResearchCoverage: listResearchCoverage,
      listPublicSourceStatuses: createListPublicSourceStatuses({ reads, clock }),
    }),
    tools: coverageTools({
      listCoveredSources: createListCoveredSources({ reads, clock }),
      listTopics: createListTopics({ reads }),
      listResearchCoverage,
    }),
  } satisfies Module;
}
