import { z } from 'zod';
import { listedFacts } from '../../domain/records/fact-schemas.ts';
import { date, slug, topicSlug } from '../../domain/records/fields.ts';
import { agendaHit, agendaItem, meeting, source } from '../../domain/records/schemas.ts';
import {
  bodyName,
  cursor,
  jurisdictionName,
  lastSuccessfulCheckAt,
  meetingAt,
  nextCursor,
  orAbsent,
  startTime,
} from '../fields.ts';
import { guidance, tool, truncated } from './tool.ts';
import { SEARCH_TOOL_CODES } from './tool-errors.ts';
import { type CursorAfter, rowsOf, SHORTEST_TEXT, type TruncationRules } from './truncation.ts';

const MAX_SEARCH_RESULTS = 20;

const input = z
  .strictObject({
    query: z
      .string()
      .min(1)
      .max(200)
      .describe(
        'Words to find; "quoted words" stand together, OR is either, a leading minus excludes. A case number or a date, such as 12 November, counts as a word. Whole questions work: places, days ("next week"), amounts ("above $1 million"), outcomes and districts are read in the words.',
      ),
    jurisdictionSlug: slug
      .optional()
      .describe('One jurisdiction, such as dallas or fort-worth; get_coverage lists them.'),
    topicSlug: topicSlug
      .optional()
      .describe('Only items that were classified with this topic; get_coverage lists the topics.'),
    fromDate: date.optional().describe('First day of the meeting, YYYY-MM-DD.'),
    toDate: date.optional().describe('Last day of the meeting, YYYY-MM-DD; not before fromDate.'),
    limit: z.int().min(1).max(MAX_SEARCH_RESULTS).default(10).describe('Results of one page.'),
    cursor: cursor.optional().describe('nextCursor of the page before, with the same query and filters.'),
  })
  .refine(({ fromDate, toDate }) => fromDate === undefined || toDate === undefined || fromDate <= toDate, {
    error: 'must not be earlier than fromDate',
    path: ['toDate'],
  });

export const publisher = z
  .strictObject({ jurisdiction: jurisdictionName, body: bodyName, sourceType: source.shape.sourceType.nullable() })
  .describe('Who published the record.');
export const freshness = z
  .strictObject({ status: source.shape.status, lastSuccessfulCheckAt: lastSuccessfulCheckAt.nullable() })
  .describe('Time when the source was last healthy.');

export const meetingStatus = meeting.shape.status.describe(
  'Status of the meeting. `scheduled` is also that of a past meeting that nothing shows to have been held.',
);

export const meetingTime = {
  meetingAt,
  startTime,
  meetingDate: date.describe('Local day of the meeting, YYYY-MM-DD.'),
  timezone: meeting.shape.timezone.optional(),
};

const result = z.strictObject({
  itemId: agendaHit.shape.agendaItemId,
  title: agendaItem.shape.title,
  jurisdiction: jurisdictionName,
  body: bodyName,
  ...meetingTime,
  status: meetingStatus,
  matterFile: orAbsent(agendaItem.shape.matterFile),
  outcome: orAbsent(agendaItem.shape.outcome),
  ...listedFacts,
  excerpt: z.string().describe('The part of the text that matched.'),
  sourceUrl: agendaItem.shape.sourceUrl,
  publisher,
  freshness,
});

const data = z.strictObject({
  results: z.array(result).max(MAX_SEARCH_RESULTS).describe('Items that match, the best first.'),
  truncated,
  guidance,
  nextCursor: nextCursor.nullable(),
  candidateLimitReached: z
    .boolean()
    .describe('True if more than 1,000 items matched; only the latest 1,000 were ranked.'),
});

export type SearchAgendaInput = z.output<typeof input>;
export type SearchAgendaData = z.output<typeof data>;

export interface AgendaSearchPage {
  /** The data before truncation: `truncated` is false. */
  readonly data: SearchAgendaData;
  /**
   * Returns the cursor after this number of results. An endpoint that drops the last rows returns the cursor of the
   * last remaining row.
   */
  readonly cursorAfter: (rows: number) => string;
}

const LEFT_OUT =
  'Results that would not have fitted were left out: repeat the search with nextCursor as cursor to go on right after the last one.';

const ONLY_SITE = 'The address of a result is too long: its sourceUrl names only the site.';
const TOO_LARGE = 'Results that are too large to show were left out.';

/** Bytes of an excerpt beside whole titles and facts. */
const SHORTEST_EXCERPT = 80;

/** The facts of the last results are dropped before results are. */
const factsOfResults = rowsOf<SearchAgendaData, SearchAgendaData['results'][number]>({
  least: 0,
  of: ({ results }) => results,
  keep: (data, { length }) => ({
    ...data,
    results: data.results.map((result, at) => {
      if (at < length) return result;
      const { amounts: _amounts, parties: _parties, ...rest } = result;
      return rest;
    }),
  }),
});

/** `leftOut` is the number of rows that were left out before the first one. */
const truncation = (cursorAfter: CursorAfter, leftOut: number): TruncationRules<SearchAgendaData> => ({
  firstTexts: { names: ['excerpt'], shortest: SHORTEST_EXCERPT },
  texts: ['title', 'excerpt', 'jurisdiction', 'body', 'matterFile', 'name', 'unit'],
  rows: [
    factsOfResults,
    rowsOf({
      least: 1,
      of: ({ results }) => results,
      keep: (data, results) => {
        const nextCursor = cursorAfter?.(leftOut + results.length) ?? data.nextCursor;
        return { ...data, results, truncated: true, guidance: `${LEFT_OUT} ${data.guidance}`, nextCursor };
      },
    }),
  ],
  otherwise: (data) => {
    const [first, ...rest] = data.results;
    if (first === undefined) return null;
    const sourceUrl = `${new URL(first.sourceUrl).origin}/`;
    if (sourceUrl !== first.sourceUrl && sourceUrl.length <= SHORTEST_TEXT) {
      const results = [{ ...first, sourceUrl }, ...rest];
      return {
        data: { ...data, results, guidance: `${ONLY_SITE} ${data.guidance}` },
        rules: truncation(cursorAfter, leftOut),
      };
    }
    const guidance = leftOut === 0 ? `${TOO_LARGE} ${data.guidance}` : data.guidance;
    return { data: { ...data, results: rest, truncated: true, guidance }, rules: truncation(cursorAfter, leftOut + 1) };
  },
});

export const searchAgenda = tool({
  name: 'search_agenda',
  title: 'Search agenda items',
  description: `Searches agenda items of local-government meetings in north-central Texas by words, and by jurisdiction, topic and date of the meeting; best matches
first. Read guidance: it says what an empty or truncated page means. Go on with nextCursor; read one result in full with get_agenda_item. A past meeting
that nothing shows to have been held still has the status scheduled. An empty result does not prove that nothing happened: get_coverage lists what is covered. Accounts that pay by the call pay for a call that finds something.`,
  effect: 'reads',
  access: 'paid',
  input,
  data,
  errors: SEARCH_TOOL_CODES,
  truncation: (cursorAfter) => truncation(cursorAfter, 0),
});
