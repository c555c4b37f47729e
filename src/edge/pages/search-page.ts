import { type SearchAgendaData, searchAgenda } from '../../../contract/tools/search-agenda.ts';
import { issueText, PLAINLY } from '../../../domain/text/plain-issues.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { MeetingFacts } from '../../../queries/meetings/read-meetings.ts';
import { feedOf, itemPath, meetingPath, withQuery } from './addresses.ts';
import { factLine } from './fact-table.ts';
import { LIST_SIZE, MAX_HEADING, meetingStatus, nameOf, officialLink, outcomeTag } from './fragments.ts';
import { clipped, type Content, CUT, fitting, type Html, html } from './html.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';
import { beyondHeading, headingOf, wordsOfQuote } from './quote-texts.ts';
import { SEARCH_PATH, searchForm, type SearchQuery } from './search-form.ts';
import { meetingTime, utcTime } from './times.ts';

const RESULTS = 20;
const MAX_EXCERPT = 500;

/** Parameter of the page for each argument of the tool. */
const PARAMETERS = {
  query: 'q',
  jurisdictionSlug: 'jurisdiction',
  topicSlug: 'topic',
  fromDate: 'from',
  toDate: 'to',
  cursor: 'cursor',
} as const;
const ARGUMENT = new RegExp(`\\b(?:${Object.keys(PARAMETERS).join('|')})\\b`, 'g');

/** Returns the words of a request with its amounts before them, which the search reads as a filter. */
function withAmounts({ q, min, max }: SearchQuery): string | undefined {
  if (q === undefined || (min === undefined && max === undefined)) return q;
  if (max === undefined) return `at least $${min} ${q}`;
  return min === undefined ? `at most $${max} ${q}` : `between $${min} and $${max} ${q}`;
}

/** Returns the arguments of the tool, checked by its rules. Throws a `Rejection`. */
export function searchInput(request: SearchQuery) {
  const parameters = Object.fromEntries(
    Object.entries(PARAMETERS).map(([argument, parameter]) => [argument, request[parameter]]),
  );
  const query = withAmounts(request);
  const parsed = searchAgenda.input.safeParse({ ...parameters, query, limit: RESULTS }, PLAINLY);
  if (parsed.success) return parsed.data;
  const text = issueText(parsed.error.issues[0]!);
  throw new Rejection(
    'invalid_parameter',
    text.replaceAll(ARGUMENT, (argument) => `"${PARAMETERS[argument as keyof typeof PARAMETERS]}"`),
  );
}

export async function searchPage(reads: PageReads, { query, address }: PageRequest<'search'>): Promise<PageParts> {
  const { q, cursor, ...filters } = query;
  // Filters without words are checked too.
  const input = searchInput({ ...query, q: q ?? 'x' });
  const choices = await reads.searchChoices();
  const heading = html`<h1>Search</h1>
${searchForm(query, choices)}
`;
  if (q === undefined) return { title: 'Search', main: html`${heading}<p>${HELP}</p>` };
  const page = await reads.search(input, address);
  const documents =
    cursor === undefined && [query.topic, query.min, query.max].every((filter) => filter === undefined)
      ? await readDocuments(reads, input, address)
      : [];
  const feed = withQuery(feedOf(SEARCH_PATH), { q, ...filters });
  const main = html`${heading}<p><a href="${feed}">Atom feed of this search</a></p>${results(page, query)}${documentResults(documents)}`;
  const title = `${clipped(q, 80)}: search`;
  return { title, main, alternates: [{ type: 'application/atom+xml', href: feed, title }] };
}

type Documents = readonly { readonly meeting: MeetingFacts; readonly excerpt: string }[];

async function readDocuments(reads: PageReads, input: ReturnType<typeof searchInput>, address: string) {
  const excerpts = await reads.searchDocuments(input, address);
  const meetings = await Promise.all(excerpts.map(({ meetingId }) => reads.meetings.byId(meetingId)));
  return excerpts.flatMap(({ excerpt }, index): Documents => {
    const meeting = meetings[index] ?? null;
    return meeting === null ? [] : [{ meeting, excerpt }];
  });
}

const documentResults = (documents: Documents): Content =>
  documents.length > 0 &&
  html`<section aria-labelledby="documents"><h2 id="documents">In the text of agendas</h2>
<ol class="entries">${fitting(documents, LIST_SIZE, documentEntry)}</ol></section>`;

const documentEntry = ({ meeting: { meeting, body, jurisdiction }, excerpt }: Documents[number]): Html => html`<li>
<p class="quiet">${nameOf(jurisdiction.name)}, ${nameOf(body.name)}, ${meetingTime(meeting)} ${meetingStatus(meeting.status)}</p>
<p><a href="${meetingPath(meeting.id)}">${clipped(meeting.title, MAX_HEADING)}</a></p>
<p>${clipped(excerpt, MAX_EXCERPT)}</p>
</li>`;

const HELP = 'Give words of the title or the text. "Quoted words" stand together; a leading minus excludes.';

function results({ results: rows, guidance, nextCursor }: SearchAgendaData, query: SearchQuery): Html {
  const entries = fitting(rows, LIST_SIZE, resultEntry);
  const advice = readerGuidance(guidance);
  const next = nextCursor === null ? null : withQuery(SEARCH_PATH, { ...query, cursor: nextCursor });
  return html`<section aria-labelledby="results"><h2 id="results">Results</h2>
${advice !== '' && html`<p class="quiet">${advice}</p>`}
<ol class="entries">${entries}</ol>
${next !== null && html`<p><a rel="next" href="${next}">More results</a></p>`}</section>`;
}

function resultEntry(row: SearchAgendaData['results'][number]): Html {
  const heading = headingOf(row.title, MAX_HEADING);
  const { overlap, rest } = beyondHeading(heading, wordsOfQuote(row.excerpt));
  const excerpt = overlap === '' ? row.excerpt : `… ${rest}${row.excerpt.endsWith(CUT) ? CUT : ''}`;
  return html`<li>
<p class="quiet">${nameOf(row.jurisdiction)}, ${nameOf(row.body)}, ${meetingTime({ ...row, startsAt: row.meetingAt, timezone: row.timezone ?? 'UTC' })} ${meetingStatus(row.status)}</p>
<p><a href="${itemPath(row.itemId)}">${heading}</a>${outcomeTag(row.outcome)}</p>
${factLine(row)}
${rest !== '' && html`<p>${clipped(excerpt, MAX_EXCERPT)}</p>`}
<p class="quiet">${officialLink(row.sourceUrl, row.title)}${
    row.freshness.lastSuccessfulCheckAt !== null &&
    html`, source last checked ${utcTime(row.freshness.lastSuccessfulCheckAt)}`
  }</p>
</li>`;
}

/** Removes sentences that name fields of the tool, and remarks about other tools, from the guidance of a search. */
const readerGuidance = (guidance: string): string =>
  guidance
    .split(/(?<=\.) /)
    .filter((sentence) => !/nextCursor|sourceUrl/.test(sentence))
    .map((sentence) => sentence.replace(/[:;] get_coverage .*/, '.'))
    .join(' ')
    .replaceAll(/ with this \w+Slug is known/g, ' of this name is known');
