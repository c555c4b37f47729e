import { type SearchAgendaData, searchAgenda } from '../../../contract/tools/search-agenda.ts';
import { issueText, PLAINLY } from '../../../domain/plain-issues.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { feedOf, itemPath, withQuery } from './addresses.ts';
import { LIST_SIZE, meetingStatus, nameOf, officialLink, outcomeTag, titleOf } from './fragments.ts';
import { clipped, fitting, type Html, html } from './html.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { Asked } from './page-routes.ts';
import { meetingTime, utcTime } from './times.ts';

type SearchQuery = Asked<'search'>['query'];
const RESULTS = 20;
const MAX_EXCERPT = 500;
const PATH = '/search';

/** The arguments of the tool, by its rules. Throws a `Rejection`. */
export function searchInput({ q, jurisdiction, topic, from, to, cursor }: SearchQuery) {
  const given = { query: q, jurisdictionSlug: jurisdiction, topicSlug: topic, fromDate: from, toDate: to, cursor, limit: RESULTS };
  const parsed = searchAgenda.input.safeParse(given, PLAINLY);
  if (parsed.success) return parsed.data;
  throw new Rejection('invalid_parameter', issueText(parsed.error.issues[0]!));
}

export async function searchPage(reads: PageReads, { query }: Asked<'search'>): Promise<PageParts> {
  const { q, cursor: _cursor, ...filters } = query;
  if (q === undefined) return { title: 'Search', main: html`${heading(query)}<p>${HELP}</p>` };
  const found = await reads.search(searchInput(query));
  const feed = withQuery(feedOf(PATH), { q, ...filters });
  const main = html`${heading(query)}<p><a href="${feed}">Atom feed of this search</a></p>${results(found, query)}`;
  const title = `${clipped(q, 80)}: search`;
  return { title, main, alternates: [{ type: 'application/atom+xml', href: feed, title }] };
}

const HELP = 'Give words of the title or the text. "Quoted words" stand together; a leading minus excludes.';
const heading = (query: SearchQuery): Html => html`<h1>Search</h1>
${searchForm(query)}
`;

/** Works without a script. */
export const searchForm = ({
  q,
  jurisdiction,
  topic,
  from,
  to,
}: SearchQuery): Html => html`<form role="search" action="${PATH}" method="get">
<label for="q">Search agenda items</label>
<p class="field"><input id="q" name="q" type="search" required maxlength="200" value="${q ?? ''}"><button type="submit">Search</button></p>
${Object.entries({ jurisdiction, topic, from, to }).map(
  ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
)}
</form>`;

function results({ results: rows, guidance, nextCursor }: SearchAgendaData, query: SearchQuery): Html {
  const entries = fitting(
    rows,
    LIST_SIZE,
    (row) => html`<li>
<p class="quiet">${nameOf(row.jurisdiction)}, ${nameOf(row.body)}, ${meetingTime({ ...row, startsAt: row.meetingAt, timezone: row.timezone ?? 'UTC' })} ${meetingStatus(row.status)}</p>
<p><a href="${itemPath(row.itemId)}">${titleOf(row.title)}</a>${outcomeTag(row.outcome)}</p>
<p>${clipped(row.excerpt, MAX_EXCERPT)}</p>
<p class="quiet">${officialLink(row.sourceUrl)}${
      row.freshness.lastSuccessfulCheckAt !== null && html`, source last checked ${utcTime(row.freshness.lastSuccessfulCheckAt)}`
    }</p>
</li>`,
  );
  const next = nextCursor === null ? null : withQuery(PATH, { ...query, cursor: nextCursor });
  return html`<section aria-labelledby="results"><h2 id="results">Results</h2>
<p class="quiet">${readerGuidance(guidance)}</p>
<ol class="entries">${entries}</ol>
${next !== null && html`<p><a rel="next" href="${next}">More results</a></p>`}</section>`;
}

/** The sentences of a search without those that name fields of the tool. */
const readerGuidance = (guidance: string): string =>
  guidance
    .split(/(?<=\.) /)
    .filter((sentence) => !/nextCursor|sourceUrl|get_coverage/.test(sentence))
    .join(' ');
