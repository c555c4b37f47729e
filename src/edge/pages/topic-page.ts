import { Rejection } from '../../../domain/rejections.ts';
import type { CoveredTopic } from '../../../queries/agenda/list-covered-topics.ts';
import { feedOf, topicPath, withQuery } from './addresses.ts';
import { hitEntry, listOr, LIST_SIZE, nameOf, sourceTable } from './fragments.ts';
import { clipped, fitting, html } from './html.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';

const LATEST = 10;
const RECENT_SIZE = 20_000;
const MAX_DESCRIPTION = 600;

/** Throws a `Rejection`. */
export async function topicOf(reads: PageReads, topicSlug: string): Promise<CoveredTopic> {
  const topic = (await reads.coveredTopics()).find(({ slug }) => slug === topicSlug);
  if (topic === undefined) throw new Rejection('not_found', 'there is no such topic');
  return topic;
}

export async function topicPage(reads: PageReads, { params, query }: PageRequest<'topic'>): Promise<PageParts> {
  const topicSlug = params['topicSlug']!;
  const topic = await topicOf(reads, topicSlug);
  const { cursor } = query;
  const [upcoming, recent, sources] = await Promise.all([
    reads.upcomingHits({ topicSlug, count: true, ...(cursor === undefined ? {} : { cursor }) }),
    cursor === undefined ? reads.recentHits({ topicSlug, limit: LATEST }) : [],
    reads.coveredSources(),
  ]);
  const path = topicPath(topicSlug);
  const feed = feedOf(path);
  const main = html`<h1>${nameOf(topic.label)}</h1>
<p>${clipped(topic.description, MAX_DESCRIPTION)}</p>
<p><a href="${feed}">Atom feed of this topic</a></p>
<section aria-labelledby="upcoming"><h2 id="upcoming">Upcoming: ${upcoming.total}</h2>
${listOr(
  fitting(upcoming.hits, LIST_SIZE, (hit) => hitEntry(hit, null)),
  'No hit of an upcoming meeting is known now.',
)}
${upcoming.nextCursor !== null && html`<p><a rel="next" href="${withQuery(path, { cursor: upcoming.nextCursor })}">More upcoming hits</a></p>`}</section>
${
  cursor === undefined &&
  html`<section aria-labelledby="recent"><h2 id="recent">Recently added</h2>
${listOr(
  fitting(recent, RECENT_SIZE, (hit) => hitEntry(hit, null)),
  'Nothing has been found yet.',
)}</section>`
}
${sourceTable(sources)}`;
  return { title: topic.label, main, alternates: [{ type: 'application/atom+xml', href: feed, title: topic.label }] };
}
