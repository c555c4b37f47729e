import type { ListedHit } from '../../../queries/agenda/agenda-hits.ts';
import type { FeedItemsInput } from '../../../queries/agenda/read-feed-items.ts';
import { feedOf, itemPath, jurisdictionPath, topicPath, withQuery } from './addresses.ts';
import { isLinked, publicHit, titleOf } from './fragments.ts';
import { clipped, fitting, type Html, html } from './html.ts';
import { SERVICE_NAME } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';
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
  /** Path of this page of the feed, and of the next one, with older entries. */
  readonly self: string;
  readonly next: (shownCount: number) => string | null;
  readonly entries: readonly Entry[];
}

const ITEMS = 50;
/** Maximum bytes, so that a feed stays under 100,000. */
const ENTRIES_SIZE = 85_000;
const NEVER = new Date(0).toISOString();

/** Renders an Atom feed (RFC 4287) in pages (RFC 5005). The escaping of HTML pages is valid XML too. */
function atomFeed({ title, path, self, pagePath, entries, next }: Feed, baseUrl: string): string {
  const fittingEntries = fitting(entries, ENTRIES_SIZE, (entry) => entryMarkup(entry, baseUrl));
  const updated = entries
    .map((entry) => entry.updated)
    .toSorted()
    .at(-1);
  const nextPath = next(fittingEntries.length);
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${baseUrl}${path}</id>
<title>${titleOf(title)}</title>
<updated>${updated ?? NEVER}</updated>
<author><name>${SERVICE_NAME}</name></author>
<link rel="self" type="application/atom+xml" href="${baseUrl}${self}"/>
<link rel="first" type="application/atom+xml" href="${baseUrl}${path}"/>
${nextPath !== null && html`<link rel="next" type="application/atom+xml" href="${baseUrl}${nextPath}"/>\n`}<link rel="alternate" type="text/html" href="${baseUrl}${pagePath}"/>
${fittingEntries}</feed>
`;
  return feed.toString();
}

const entryMarkup = (entry: Entry, baseUrl: string): Html => html`<entry>
<id>urn:uuid:${entry.id}</id>
<title>${titleOf(entry.title)}</title>
<updated>${entry.updated}</updated>
<link rel="alternate" type="text/html" href="${baseUrl}${entry.path}"/>
${isLinked(entry.sourceUrl) && html`<link rel="via" href="${entry.sourceUrl}"/>\n`}<summary>${clipped(entry.summary, 800)}</summary>
</entry>
`;

const summaryOf = ({ summary, evidenceQuote }: ReturnType<typeof publicHit>): string =>
  `${clipped(summary, 400)} “${clipped(evidenceQuote, 300)}”`;

/**
 * Returns the entry of an item. Its id is that of the hit that was published first, so that it stays when a hit is
 * classified again or another topic matches later.
 */
function itemEntry(hits: readonly ListedHit[], creations: ReadonlyMap<string, string>): Entry {
  const newest = hits.at(-1)!;
  const created = ({ hitId }: ListedHit): string => `${creations.get(hitId) ?? ''} ${hitId}`;
  const [first] = hits.toSorted((left, right) => (created(left) < created(right) ? -1 : 1));
  const oldest = first!;
  const { title, sourceUrl, jurisdictionName, bodyName, meetingAt } = publicHit(oldest);
  return {
    id: oldest.hitId,
    path: itemPath(oldest.itemId),
    title: `${jurisdictionName}, ${bodyName}, ${meetingDay({ startsAt: meetingAt, timezone: oldest.timezone })}: ${title}`,
    updated: new Date(newest.classifiedAt).toISOString(),
    summary: [...new Set(hits.map((hit) => summaryOf(publicHit(hit))))].join(' '),
    sourceUrl,
  };
}

async function itemFeed(
  reads: PageReads,
  { before, item }: PageRequest<'topicFeed'>['query'],
  filter: Pick<FeedItemsInput, 'topicSlug' | 'jurisdictionSlug'>,
): Promise<(about: Pick<Feed, 'title' | 'pagePath'>, baseUrl: string) => string> {
  const after = before === undefined || item === undefined ? null : { classifiedAt: before, itemId: item };
  const hits = await reads.feedItems({ ...filter, after, limit: ITEMS + 1 });
  const items = [...Map.groupBy(hits, ({ itemId }) => itemId).values()];
  const several = items.filter(({ length }) => length > 1).flatMap((group) => group.map(({ hitId }) => hitId));
  const creations = await reads.hitCreations(several);
  return ({ title, pagePath }, baseUrl) => {
    const path = feedOf(pagePath);
    const next = (shownCount: number): string | null => {
      if (shownCount >= items.length) return null;
      const { classifiedAt, itemId } = items[shownCount - 1]!.at(-1)!;
      return withQuery(path, { before: classifiedAt, item: itemId });
    };
    const entries = items.slice(0, ITEMS).map((group) => itemEntry(group, creations));
    return atomFeed({ title, path, pagePath, self: withQuery(path, { before, item }), entries, next }, baseUrl);
  };
}

export async function topicFeed(
  reads: PageReads,
  { params, query }: PageRequest<'topicFeed'>,
  baseUrl: string,
): Promise<string> {
  const { slug, label } = await topicOf(reads, params['topicSlug']!);
  const render = await itemFeed(reads, query, { topicSlug: slug });
  return render({ title: label, pagePath: topicPath(slug) }, baseUrl);
}

export async function jurisdictionFeed(
  reads: PageReads,
  { params, query }: PageRequest<'jurisdictionFeed'>,
  baseUrl: string,
): Promise<string> {
  const { slug, name } = await placeOf(reads, params['slug']!);
  const render = await itemFeed(reads, query, { jurisdictionSlug: slug });
  return render({ title: name, pagePath: jurisdictionPath(slug) }, baseUrl);
}

/** Renders the results of a search as a feed, ordered by the last change of each item. */
export async function searchFeed(
  reads: PageReads,
  { query, address }: PageRequest<'searchFeed'>,
  baseUrl: string,
): Promise<string> {
  const { results, nextCursor } = await reads.search(searchInput(query), address);
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
  const pageOf = (path: string, cursor: string | undefined): string => withQuery(path, { ...query, cursor });
  const feed = feedOf('/search');
  return atomFeed(
    {
      title,
      path: pageOf(feed, undefined),
      self: withQuery(feed, query),
      pagePath: withQuery('/search', query),
      entries: entries.toSorted((left, right) => right.updated.localeCompare(left.updated)),
      next: () => (nextCursor === null ? null : pageOf(feed, nextCursor)),
    },
    baseUrl,
  );
}
