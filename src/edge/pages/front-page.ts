import { FIRST_SYNC } from './first-sync.ts';
import type { ListedHit } from '../../../queries/agenda/agenda-hits.ts';
import type { CoveredTopic } from '../../../queries/agenda/list-covered-topics.ts';
import type { CoveredSource } from '../../../queries/coverage/list-public-source-statuses.ts';
import { feedOf, jurisdictionPath, topicPath } from './addresses.ts';
import { countiesOf, countyList, countyMap } from './county-map.ts';
import { hitEntry, listOr, meetingEntry, nameOf, publicHit, sourceTable } from './fragments.ts';
import { fitting, type Html, html } from './html.ts';
import { type PageParts, SERVICE_NAME } from './page-layout.ts';
import type { PageReads, PeopleRead } from './page-reads.ts';
import { searchBox } from './search-form.ts';

const HITS_A_TOPIC = 2;
const LATEST = 8;
const ALL_JURISDICTIONS = { includeInactive: false, limit: 1_000 };
/** Maximum bytes, so that a page stays under 100,000. */
const [HITS_SIZE, RECENT_SIZE, CHANGED_SIZE, TOPICS_SIZE, FEEDS_SIZE] = [26_000, 10_000, 8_000, 5_000, 2_000];

export async function frontPage(reads: PageReads): Promise<PageParts> {
  const [topics, sources, next, recent, changed, people] = await Promise.all([
    reads.coveredTopics(),
    reads.coveredSources(),
    reads.nextHits(HITS_A_TOPIC),
    reads.recentHits({ limit: LATEST }),
    reads.meetings.recentlyChanged(LATEST),
    reads.peopleRead(),
  ]);
  const { data, meta } = await reads.researchCoverage(ALL_JURISDICTIONS);
  const counties = countiesOf(data);
  const isRead = ({ status }: (typeof sources)[number]): boolean => status.lastSuccessfulCheckAt !== null;
  const covered = new Set(data.map(({ jurisdictionSlug }) => jurisdictionSlug));
  const readPlaces = new Set(sources.filter(isRead).map(({ jurisdictionSlug }) => jurisdictionSlug)).intersection(
    covered,
  );
  const main = html`<h1>What local governments of ${meta.scope.region} decide</h1>
<p>This service reads agendas of city councils and county courts, finds what matters to people and businesses, and quotes the record.
Records can be searched here, read as feeds and calendars, and copied whole over an API.</p>
${searchBox()}
${!sources.some(isRead) && html`<p class="quiet">No covered source has been read yet. An operator reads the first one with</p><pre tabindex="0"><code>${FIRST_SYNC}</code></pre>`}
<section aria-labelledby="upcoming">
<h2 id="upcoming">Upcoming, by topic</h2>
${upcoming(next, topics)}
</section>
<section aria-labelledby="recent">
<h2 id="recent">Recently added</h2>
${listOr(
  fitting(recent, RECENT_SIZE, (hit) => hitEntry(hit, topics)),
  'Nothing has been found yet.',
)}
${feedLinks(sources)}
</section>
<section aria-labelledby="changed">
<h2 id="changed">Recently changed meetings</h2>
${listOr(fitting(changed, CHANGED_SIZE, meetingEntry), 'No meeting is known yet.')}
</section>
<section aria-labelledby="coverage">
<h2 id="coverage">What is covered, and what is not</h2>
<p>Of ${meta.scope.counties} counties and ${meta.scope.activeMunicipalities} municipalities, ${readPlaces.size === 0 ? 'none' : readPlaces.size} ${readPlaces.size > 1 ? 'have' : 'has'} a covered body of which a source has been read so far.
Other records can have been read or imported: the page of each place states what was read there, and what research located.</p>
${peopleRead(people)}
${countyMap(counties, readPlaces)}
${countyList(counties, readPlaces)}
</section>
<section aria-labelledby="more">
<h2 id="more">For programs and agents</h2>
<ul>
<li><a href="/reference">API reference</a>, <a href="/api/openapi.json">OpenAPI document</a>, <a href="/llms.txt">index for agents</a></li>
<li><a href="/docs/rest">Read records over REST</a>, <a href="/docs/replicate">keep a copy</a>, <a href="/docs/connect-an-agent">connect an agent</a></li>
<li><a href="/docs">All guides</a></li>
</ul>
</section>
${sourceTable(sources)}`;
  return { title: SERVICE_NAME, main };
}

/** States how many people live where sources were read; empty as long as none was. */
function peopleRead({ municipalities, counties }: PeopleRead): Html {
  const parts = [
    peopleIn(municipalities, 'municipality', 'municipalities'),
    peopleIn(counties, 'county', 'counties'),
  ].filter((part) => part !== null);
  return html`${parts.length > 0 && html`<p>Agenda sources have been read for ${parts.join(', and for ')}. People who live in a city also live in its county, so the two numbers overlap.</p>`}`;
}

function peopleIn({ placesRead, peopleRead, people, years }: PeopleRead['counties'], one: string, several: string) {
  if (placesRead === 0) return null;
  const share = Math.floor((peopleRead / people) * 100);
  const places = `${placesRead.toLocaleString('en-US')} ${placesRead === 1 ? one : several}`;
  return `${places} with ${peopleRead.toLocaleString('en-US')} people (${share}% of the people in all ${several} of the region; population figures of ${years.join(' and ')})`;
}

/** Links to the Atom feed of each covered place. */
function feedLinks(sources: readonly CoveredSource[]): Html {
  const places = new Map(sources.map(({ jurisdictionSlug, status }) => [jurisdictionSlug, status.jurisdictionName]));
  const links = fitting(
    [...places],
    FEEDS_SIZE,
    ([slug, name]) => html`<a href="${feedOf(jurisdictionPath(slug))}">${nameOf(name)}</a> `,
  );
  return html`${links.length > 0 && html`<p>Atom feeds: ${links}</p>`}`;
}

function upcoming(hits: readonly ListedHit[], topics: readonly CoveredTopic[]): Html {
  const byTopic = Map.groupBy(hits, (hit) => publicHit(hit).topicSlug);
  const sections = fitting([...byTopic], HITS_SIZE, ([slug, ofTopic]) => {
    const label = topics.find((topic) => topic.slug === slug)?.label ?? slug;
    return html`<h3><a href="${topicPath(slug)}">${nameOf(label)}</a></h3><ul class="entries">${ofTopic.map((hit) => hitEntry(hit, null))}</ul>`;
  });
  const withSection = new Set([...byTopic.keys()].slice(0, sections.length));
  const others = topics.filter(({ slug }) => !withSection.has(slug));
  const links = fitting(
    others,
    TOPICS_SIZE,
    ({ slug, label }) => html`<a class="topic" href="${topicPath(slug)}">${nameOf(label)}</a> `,
  );
  return html`${sections}${sections.length === 0 && html`<p>No hit of an upcoming meeting is known now.</p>`}
${links.length > 0 && html`<p>Other topics: ${links}</p>`}`;
}
