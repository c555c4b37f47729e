import type { Prose } from './prose.ts';

const EMPTY = 'An empty answer does not prove that nothing happened.';

export const PUBLIC_PROSE = {
  listRecentAgendaHits: {
    tag: 'Public records',
    summary: 'List the most recent agenda hits',
    description: `At most three agenda hits of the covered public bodies, the latest classified first. There is no further page.
When the records cannot be read the list is empty and the status is still 200. ${EMPTY}`,
  },
  getAgendaHit: {
    tag: 'Public records',
    summary: 'Read one agenda hit',
    description: `Reads one hit by the \`matchId\` that the upcoming list gives. A hit outside the active public coverage set is 404, and so is
every hit while the records cannot be read.`,
  },
  listUpcomingAgendaHits: {
    tag: 'Public records',
    summary: 'List agenda hits of upcoming meetings',
    description: `Hits of one covered topic at meetings from now on, by meeting time, then time of classification, then id. Send \`topicSlug\`
(or its legacy name \`topic\`; the former wins); a topic that is missing or not covered is 400.

Without \`page\` the answer is the cursor form: go on with \`nextCursor\` until it is null. With \`page\` it is the legacy page form. \`cursor\` and
\`page\` together are 400. The cursor is bound to no topic. ${EMPTY}`,
  },
  listDfwResearchCoverage: {
    tag: 'Public records',
    summary: 'List what research located for each city and county',
    description: `The research catalogue of 238 active municipalities and 16 counties. A status letter says what was located for one record
family and nothing more: no full coverage, no completeness, no permission to reuse, no production ingestion.

The cursor is valid only with the same filters, limit and catalogue version; with others it is 400.`,
  },
  getPublicBodyCadence: {
    tag: 'Public records',
    summary: 'Read when a public body meets',
    description: `The last and the next meeting of a covered body. Supported pairs of \`slug\` and \`bodySlug\`: \`dallas/city-council\`,
\`dallas-county/commissioners-court\`, \`ellis-county/commissioners-court\`, \`fort-worth/city-council\`, \`kaufman-county/commissioners-court\`,
\`parker-county/commissioners-court\`, \`wise-county/commissioners-court\`. Any other is 404.

Cancelled and postponed meetings are neither last nor next. When the meetings cannot be read all dates are null and the status is still 200.`,
  },
  listPublicSourceStatuses: {
    tag: 'Public records',
    summary: 'List the covered sources and what was last observed of each',
    description: `Every source of the covered set on one page. A check time says what was observed then; it is no promise of uptime, completeness
or correctness.`,
  },
  getOpenApiDocument: {
    tag: 'Documents',
    summary: 'Read this document',
    description:
      'The complete OpenAPI 3.1 document of the interface. An extension `x-served` says of each operation whether the program answers it.',
  },
} as const satisfies Readonly<Record<string, Prose>>;
