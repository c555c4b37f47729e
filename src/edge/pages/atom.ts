import type { ListedHit } from '../../../queries/agenda/agenda-hits.ts';
import { feedOf, itemPath, jurisdictionPath, topicPath, withQuery } from './addresses.ts';
import { isLinked, publicHit, titleOf } from './fragments.ts';
import { clipped, fitting, html } from './html.ts';
import { SERVICE_NAME } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { Asked } from './page-routes.ts';
import { placeOf } from './place-pages.ts';
import { searchInput } from './search-page.ts';
import { meetingDay } from './times.ts';
import { topicOf } from './topic-page.ts';

interface Entry {
  /** A uuid. */
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly updated: string;
  readonly summary: string;
  readonly sourceUrl: string;
}

interface Feed {
  readonly title: string;
  readonly path: string;
  readonly pagePath: string;
  readonly entries: readonly Entry[];
}

const HITS = 50;
/** Bytes; a feed is under 100,000. */
const ENTRIES_SIZE = 85_000;
const NEVER = new Date(0).toISOString();

/** RFC 4287, the newest entry first. The escaping of pages is that of XML too. */
function atomFeed({ title, path, pagePath, entries }: Feed, baseUrl: string): string {
  const newest = entries.toSorted((left, right) => right.updated.localeCompare(left.updated));
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${baseUrl}${path}</id>
<title>${titleOf(title)}</title>
<updated>${newest[0]?.updated ?? NEVER}</updated>
<author><name>${SERVICE_NAME}</name></author>
<link rel="self" type="application/atom+xml" href="${baseUrl}${path}"/>
<link rel="alternate" type="text/html" href="${baseUrl}${pagePath}"/>
${fitting(
  newest,
  ENTRIES_SIZE,
  (entry) => html`<entry>
<id>urn:uuid:${entry.id}</id>
<title>${titleOf(entry.title)}</title>
<updated>${entry.updated}</updated>
<link rel="alternate" type="text/html" href="${baseUrl}${entry.path}"/>
${isLinked(entry.sourceUrl) && html`<link rel="via" href="${entry.sourceUrl}"/>\n`}<summary>${clipped(entry.summary, 800)}</summary>
</entry>
`,
)}</feed>
`;
  return feed.toString();
}

function hitEntry(listed: ListedHit): Entry {
  const { title, summary, evidenceQuote, sourceUrl, jurisdictionName, bodyName, meetingAt } = publicHit(listed);
  return {
    id: listed.hitId,
    path: itemPath(listed.itemId),
    title: `${jurisdictionName}, ${bodyName}, ${meetingDay({ startsAt: meetingAt, timezone: listed.timezone })}: ${title}`,
    updated: new Date(listed.classifiedAt).toISOString(),
    summary: `${clipped(summary, 400)} “${clipped(evidenceQuote, 300)}”`,
    sourceUrl,
  };
}

export async function topicFeed(reads: PageReads, { params }: Asked<'topicFeed'>, baseUrl: string): Promise<string> {
  const { slug, label } = await topicOf(reads, params['topicSlug']!);
  const entries = (await reads.recentHits({ topicSlug: slug, limit: HITS })).map(hitEntry);
  return atomFeed({ title: label, path: feedOf(topicPath(slug)), pagePath: topicPath(slug), entries }, baseUrl);
}

export async function jurisdictionFeed(reads: PageReads, { params }: Asked<'jurisdictionFeed'>, baseUrl: string): Promise<string> {
  const { slug, name } = await placeOf(reads, params['slug']!);
  const entries = (await reads.recentHits({ jurisdictionSlug: slug, limit: HITS })).map(hitEntry);
  return atomFeed({ title: name, path: feedOf(jurisdictionPath(slug)), pagePath: jurisdictionPath(slug), entries }, baseUrl);
}

/** What a search finds, by the time of the last change of each item. */
export async function searchFeed(reads: PageReads, { query, address }: Asked<'searchFeed'>, baseUrl: string): Promise<string> {
  const { results } = await reads.search(searchInput(query), address);
  const changes = await reads.itemChanges(results.map(({ itemId }) => itemId));
  const entries = results.map(
    ({ itemId, title, jurisdiction, body, excerpt, sourceUrl, meetingAt, timezone = 'UTC' }): Entry => ({
      id: itemId,
      path: itemPath(itemId),
      title: `${jurisdiction}, ${body}, ${meetingDay({ startsAt: meetingAt, timezone })}: ${title}`,
      updated: changes.get(itemId) ?? meetingAt,
      summary: excerpt,
      sourceUrl,
    }),
  );
  const title = `Search: ${clipped(query.q ?? '', 80)}`;
  return atomFeed({ title, path: withQuery(feedOf('/search'), query), pagePath: withQuery('/search', query), entries }, baseUrl);
}
