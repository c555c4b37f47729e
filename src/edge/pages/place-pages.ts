import type { CoveredFamily } from '../../../domain/coverage.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { MeetingFacts } from '../../../queries/meetings/read-meetings.ts';
import type { Place, PlaceBody } from '../../../queries/meetings/read-place.ts';
import { bodyPath, calendarOf, feedOf, jurisdictionPath, withQuery } from './addresses.ts';
import { hitEntry, listOr, meetingEntry, nameOf, outsideLink, REUSE, sourceLine } from './fragments.ts';
import { fitting, type Html, html } from './html.ts';
import type { PageParts } from './page-layout.ts';
import { PageMoved } from './page-moved.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';

const [MEETINGS, LATEST] = [20, 10];
/** Maximum bytes, so that a page stays under 100,000. */
const [BODIES_SIZE, MEETINGS_SIZE, RECENT_SIZE] = [30_000, 20_000, 20_000];

/** Throws a `Rejection`. */
export async function placeOf(reads: PageReads, slug: string): Promise<Place> {
  const place = await reads.place(slug);
  if (place === null) throw new Rejection('not_found', 'there is no such jurisdiction');
  return place;
}

/** Throws a `Rejection`, and `PageMoved` for a slug that the body had before: `pathOf` is the address of the page of a body. */
export function bodyOf({ slug, bodies }: Place, bodySlug: string, pathOf: typeof bodyPath): PlaceBody {
  const body = bodies.find((each) => each.slug === bodySlug);
  if (body !== undefined) return body;
  const moved = bodies.find(({ slugs }) => slugs.includes(bodySlug));
  if (moved === undefined) throw new Rejection('not_found', 'there is no such body in this jurisdiction');
  throw new PageMoved(pathOf(slug, moved.slug));
}

export async function jurisdictionPage(
  reads: PageReads,
  { params, query: { start } }: PageRequest<'jurisdiction'>,
): Promise<PageParts> {
  const place = await placeOf(reads, params['slug']!);
  const { slug, bodies } = place;
  const name = nameOf(place.name);
  const bodyIds = bodies.map(({ bodyId }) => bodyId);
  const [meetings, hits, topics] = await Promise.all([
    reads.meetings.ofBodies({
      bodyIds,
      timezone: bodies[0]?.timezone ?? 'UTC',
      from: reads.now(),
      limit: MEETINGS + 1,
    }),
    reads.recentHits({ jurisdictionSlug: slug, limit: LATEST }),
    reads.coveredTopics(),
  ]);
  const { data, meta } = await reads.researchCoverage({ jurisdictionSlug: slug, includeInactive: true, limit: 1 });
  const feed = feedOf(jurisdictionPath(slug));
  const entries = fitting(bodies.slice(start), BODIES_SIZE, bodyEntry(slug));
  const end = start + entries.length;
  const main = html`<h1>${name}</h1>
<p><a href="/search?jurisdiction=${slug}">Search ${name}</a>, <a href="${feed}">Atom feed</a></p>
<section aria-labelledby="bodies"><h2 id="bodies">Bodies</h2>
${listOr(entries, bodies.length === 0 ? 'No body of this jurisdiction is covered.' : 'No body has this number.')}
${end < bodies.length && html`<p><a rel="next" href="${withQuery(jurisdictionPath(slug), { start: end })}">More bodies</a></p>`}
${bodies.length > 0 && REUSE}</section>
<section aria-labelledby="meetings"><h2 id="meetings">Upcoming meetings</h2>
${meetingList(meetings, 'No upcoming meeting is known.', 'the pages of the bodies list their own')}</section>
<section aria-labelledby="recent"><h2 id="recent">Recently added</h2>
${listOr(
  fitting(hits, RECENT_SIZE, (hit) => hitEntry(hit, topics)),
  'Nothing has been found.',
)}</section>
<section aria-labelledby="research"><h2 id="research">Where the records are</h2>
${data[0] === undefined ? html`<p>This jurisdiction is not in the catalogue.</p>` : research(data[0].families, meta.statusDefinitions)}
<p class="quiet">Research of ${meta.researchDate}. ${meta.scope.statement}</p></section>`;
  return { title: name, main, alternates: [{ type: 'application/atom+xml', href: feed, title: name }] };
}

/** Renders the first meetings, and a note if there are more. */
function meetingList(meetings: readonly MeetingFacts[], otherwise: string, more: string): Html {
  const entries = fitting(meetings.slice(0, MEETINGS), MEETINGS_SIZE, meetingEntry);
  return html`${listOr(entries, otherwise)}
${entries.length < meetings.length && html`<p class="quiet">Only ${entries.length} are listed; ${more}.</p>`}`;
}

const bodyEntry =
  (slug: string) =>
  ({ slug: bodySlug, name, covered, source }: PlaceBody): Html =>
    html`<li>
<a href="${bodyPath(slug, bodySlug)}">${nameOf(name)}</a>${!covered && html` <span class="tag">topics not shown</span>`}
${sourceLine(source)}
</li>`;

const research = (
  families: readonly CoveredFamily[],
  meanings: Readonly<Record<CoveredFamily['status'], string>>,
): Html =>
  html`<ul>${families.map(
    ({ family, status, officialSourceUrl }) => html`<li>${family.split('.')[1]!.replaceAll('_', ' ')}:
${officialSourceUrl === undefined ? meanings[status] : outsideLink(officialSourceUrl, meanings[status])}</li>`,
  )}</ul>`;

export async function bodyPage(reads: PageReads, { params }: PageRequest<'body'>): Promise<PageParts> {
  const place = await placeOf(reads, params['slug']!);
  const body = bodyOf(place, params['bodySlug']!, bodyPath);
  const now = reads.now();
  const of = { bodyIds: [body.bodyId], timezone: body.timezone };
  const [next, last] = await Promise.all([
    reads.meetings.ofBodies({ ...of, from: now, limit: MEETINGS + 1 }),
    reads.meetings.ofBodies({ ...of, before: now, limit: MEETINGS + 1 }),
  ]);
  const title = `${nameOf(place.name)}: ${nameOf(body.name)}`;
  const calendar = calendarOf(bodyPath(place.slug, body.slug));
  const main = html`<h1>${title}</h1>
<p><a href="${calendar}">Calendar of the meetings (iCalendar)</a></p>
<section aria-labelledby="next"><h2 id="next">Upcoming meetings</h2>
${meetingList(next, 'No upcoming meeting is known.', 'the calendar has more')}</section>
<section aria-labelledby="last"><h2 id="last">Past meetings</h2>
${meetingList(last, 'No past meeting is known.', 'the calendar has more')}</section>
${sourceLine(body.source)}
${REUSE}`;
  return {
    title,
    main,
    parents: [[jurisdictionPath(place.slug), place.name]],
    alternates: [{ type: 'text/calendar', href: calendar, title: `Meetings: ${body.name}` }],
  };
}
