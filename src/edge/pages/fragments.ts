import type { z } from 'zod';
import type { publicAgendaHit } from '../../../contract/public-agenda-hit.ts';
import { isPublicAddress } from '../../../domain/source-url.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { ListedHit } from '../../../queries/agenda/agenda-hits.ts';
import type { CoveredTopic } from '../../../queries/agenda/list-covered-topics.ts';
import type { CoveredSource } from '../../../queries/coverage/list-public-source-statuses.ts';
import type { MeetingFacts } from '../../../queries/meetings/read-meetings.ts';
import type { SourceFacts } from '../../../queries/meetings/source-facts.ts';
import { bodyPath, itemPath, jurisdictionPath, meetingPath, topicPath } from './addresses.ts';
import { bytesOf, clipped, type Content, fitting, type Html, html } from './html.ts';
import { hitTexts } from './quote-texts.ts';
import { meetingTime, utcTime } from './times.ts';

/** Maximum bytes of a list on one page, so that a page stays under 100,000 bytes. */
export const LIST_SIZE = 50_000;
const SOURCES_SIZE = 10_000;
/** Maximum bytes of an address as markup. */
const MAX_ADDRESS = 2_000;
const MAX_TITLE = 300;
/** Maximum characters of a title in a list. */
export const MAX_HEADING = 200;
const MAX_COMMENT = 1_000;
const MAX_NAME = 120;
/** Maximum characters of a title in the name of a link. */
export const MAX_OF = 80;
const MAX_SUMMARY = 400;

export const titleOf = (text: string): string => clipped(text, MAX_TITLE);
/** Clips the source's comment on a meeting. */
export const commentOf = (text: string): string => clipped(text, MAX_COMMENT);
export const nameOf = (text: string): string => clipped(text, MAX_NAME);

type PublicHit = z.output<typeof publicAgendaHit>;
export const publicHit = ({ text }: ListedHit): PublicHit => JSON.parse(text) as PublicHit;

/** Words for statuses, except `scheduled`: a past meeting without evidence that it took place has that status too. */
const MEETING_STATUSES: Readonly<Partial<Record<RecordData<'meetings'>['status'], string>>> = {
  held: 'held',
  cancelled: 'cancelled',
  postponed: 'postponed',
};
const OUTCOMES: Readonly<Record<NonNullable<RecordData<'agenda_items'>['outcome']>, string>> = {
  approved: 'approved',
  denied: 'denied',
  continued: 'continued',
  withdrawn: 'withdrawn',
  no_action: 'no action',
};

const SOURCE_STATUSES: Readonly<Record<SourceFacts['status'], string>> = {
  healthy: 'read within the last two days',
  stale: 'not read for more than two days',
  failing: 'cannot be read now',
  unsupported: 'cannot be read by this service',
  unknown: 'not read yet',
};

export const meetingStatus = (status: RecordData<'meetings'>['status']): Content =>
  MEETING_STATUSES[status] !== undefined && html`<span class="tag ${status}">${MEETING_STATUSES[status]}</span>`;
export const outcomeTag = (outcome: RecordData<'agenda_items'>['outcome'] | undefined): Content =>
  outcome != null && html` <span class="tag">${OUTCOMES[outcome]}</span>`;

/** Renders a link to the topic, or its name if it has no page. */
export function topicLink(slug: string, topics: readonly CoveredTopic[]): Html {
  const topic = topics.find((each) => each.slug === slug);
  if (topic === undefined) return html`<span class="topic">${slug}</span>`;
  return html`<a class="topic" href="${topicPath(slug)}">${nameOf(topic.label)}</a>`;
}

/** Renders a hit of a list: place and time, item, summary, and a link to the official record. */
export function hitEntry(listed: ListedHit, topics: readonly CoveredTopic[] | null): Html {
  const hit = publicHit(listed);
  const { title, summary, quote } = hitTexts(hit, { title: MAX_HEADING, summary: MAX_SUMMARY });
  return html`<li>
<p class="quiet">${topics !== null && topicLink(hit.topicSlug, topics)} <a href="${jurisdictionPath(hit.jurisdictionSlug)}">${nameOf(hit.jurisdictionName)}</a>, ${nameOf(hit.bodyName)}, <a href="${meetingPath(listed.meetingId)}">${meetingTime({ ...hit, startsAt: hit.meetingAt, timezone: listed.timezone })}</a></p>
<p><a href="${itemPath(listed.itemId)}">${title}</a></p>
${quote && html`<blockquote>${quote}</blockquote>`}
${summary && html`<p>${summary}</p>`}
<p class="quiet">${officialLink(hit.sourceUrl, hit.title)}</p>
</li>`;
}

/** Returns true if pages link to an address: its host is public, and it is short enough. */
export const isLinked = (url: string): boolean => isPublicAddress(url) && bytesOf(html`${url}`) <= MAX_ADDRESS;
/**
 * Renders a link to another site, or the label if pages do not link to the address. `of` names what the link belongs to, for readers of a list
 * of links in which a label occurs more than once.
 */
export function outsideLink(url: string, label: string, of?: string): Html {
  if (!isLinked(url)) return html`${label}`;
  const name = of !== undefined && html` aria-label="${label}: ${clipped(of, MAX_OF)}"`;
  return html`<a rel="nofollow" href="${url}"${name}>${label}</a>`;
}

export const officialLink = (url: string, of?: string): Html => outsideLink(url, 'Official record', of);

/** Renders a meeting of a list. */
export const meetingEntry = ({ meeting, body, jurisdiction }: MeetingFacts): Html => html`<li>
<a href="${meetingPath(meeting.id)}">${meetingTime(meeting)}</a> ${meetingStatus(meeting.status)}
<span class="quiet"><a href="${bodyPath(jurisdiction.slug, body.slug)}">${nameOf(jurisdiction.name)}: ${nameOf(body.name)}</a></span>
</li>`;

/** Renders the source of the records of a page, with the time of the last check. */
export const sourceLine = ({ label, officialUrl, status, lastSuccessfulCheckAt }: SourceFacts): Html =>
  html`<p class="source">Source: ${
    officialUrl === null ? nameOf(label ?? 'unknown') : outsideLink(officialUrl, nameOf(label ?? officialUrl))
  }, ${SOURCE_STATUSES[status]}. ${lastSeen(lastSuccessfulCheckAt)}</p>`;

/** The catalogue records no terms of any source. */
export const REUSE = html`<p class="source">Terms of reuse are not known to this service: the publisher of a source states them.</p>`;

const lastSeen = (at: string | null): Html =>
  at === null ? html`No check has succeeded.` : html`Last successful check: ${utcTime(at)}.`;

/** The sources behind public hits. */
export function sourceTable(sources: readonly CoveredSource[]): Html {
  const entries = fitting(sources, SOURCES_SIZE, sourceEntry);
  return html`<section aria-labelledby="sources">
<h2 id="sources">Sources</h2>
<ul>${entries}</ul>
${entries.length < sources.length && html`<p>The pages of the jurisdictions name ${sources.length - entries.length} more.</p>`}
${REUSE}
</section>`;
}

const sourceEntry = ({
  jurisdictionSlug,
  status: { jurisdictionName, publicBodyName, ...source },
}: CoveredSource): Html => html`<li>
<a href="${jurisdictionPath(jurisdictionSlug)}">${nameOf(jurisdictionName)}</a>, ${nameOf(publicBodyName)}:
${sourceLine({ ...source, label: source.sourceTypeLabel, officialUrl: source.officialSourceUrl ?? null })}</li>`;

/** Renders a list, or a sentence if it is empty. */
export const listOr = (entries: readonly Html[], otherwise: string): Html =>
  entries.length === 0 ? html`<p>${otherwise}</p>` : html`<ul class="entries">${entries}</ul>`;
