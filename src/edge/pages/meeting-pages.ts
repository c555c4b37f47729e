import { doneIn } from '../../../domain/decision-words.ts';
import type { MeetingFacts } from '../../../queries/meetings/read-meetings.ts';
import type { MeetingItem } from '../../../queries/meetings/read-meeting-items.ts';
import type { CoveredTopic } from '../../../queries/agenda/list-covered-topics.ts';
import { uuid } from '../../../domain/records/fields.ts';
import { cutAfter } from '../../../domain/words.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { bodyPath, itemPath, jurisdictionPath, meetingPath, withQuery } from './addresses.ts';
import {
  commentOf,
  LIST_SIZE,
  MAX_HEADING,
  meetingStatus,
  nameOf,
  officialLink,
  outcomeTag,
  outsideLink,
  REUSE,
  sourceLine,
  titleOf,
  topicLink,
} from './fragments.ts';
import { clipped, fitting, type Html, html } from './html.ts';
import { AROUND, markedText, quoteInText } from './marked-text.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { Asked } from './page-routes.ts';
import { beyondHeading, hasName, headingOf, quoteBeyond, summaryAfterTitle, wordsOfQuote } from './said-once.ts';
import { meetingDay, meetingTime, utcTime } from './times.ts';

const ITEMS = 100;
/** Characters of a long title and a text together. */
const MAX_TEXT = 10_000;
const [MAX_LONG_TITLE, MAX_ACTION, MAX_HITS, MAX_ITEM_HITS, MAX_DOCUMENTS] = [5_000, 300, 3, 8, 20];
/** Bytes. */
const [HITS_SIZE, DOCUMENTS_SIZE] = [15_000, 8_000];

/** Throws a `Rejection` where it is no uuid. */
function idOf(text: string, what: string): string {
  const parsed = uuid.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new Rejection('not_found', `there is no such ${what}`);
}

const parentsOf = ({ jurisdiction, body }: MeetingFacts): readonly (readonly [string, string])[] => [
  [jurisdictionPath(jurisdiction.slug), jurisdiction.name],
  [bodyPath(jurisdiction.slug, body.slug), body.name],
];

/** Hits that public operations show: of a covered topic and a publicly covered body. */
const publicOf = <Hit extends { readonly topicSlug: string }>(
  hits: readonly Hit[],
  { covered }: MeetingFacts,
  topics: readonly CoveredTopic[],
): readonly Hit[] => (covered ? hits.filter(({ topicSlug }) => topics.some(({ slug }) => slug === topicSlug)) : []);

export async function meetingPage(reads: PageReads, { params, query }: Asked<'meeting'>): Promise<PageParts> {
  const meetingId = idOf(params['meetingId']!, 'meeting');
  const { start } = query;
  const [facts, { items, total }, documents, topics] = await Promise.all([
    reads.meetings.byId(meetingId),
    reads.meetingItems(meetingId, { offset: start, limit: ITEMS, around: AROUND + 1 }),
    reads.meetingDocuments(meetingId),
    reads.coveredTopics(),
  ]);
  if (facts === null) throw new Rejection('not_found', 'there is no such meeting');
  const { meeting, body, jurisdiction, changedAt, source } = facts;
  const entries = fitting(items, LIST_SIZE, (item) => itemEntry({ ...item, topics: publicOf(item.topics, facts, topics) }, topics));
  const end = start + entries.length;
  const next = end < total ? withQuery(meetingPath(meetingId), { start: end }) : null;
  const main = html`<h1>${nameOfMeeting(facts, titleOf(meeting.title))}</h1>
<dl>
<dt>Body</dt><dd>${nameOf(jurisdiction.name)}, ${nameOf(body.name)}</dd>
<dt>Time</dt><dd>${meetingTime(meeting)} ${meetingStatus(meeting.status)}</dd>
${meeting.location != null && html`<dt>Place</dt><dd>${titleOf(meeting.location)}</dd>`}
${meeting.comment !== undefined && html`<dt>Comment</dt><dd>${commentOf(meeting.comment)}</dd>`}
</dl>
<p>${officialLink(meeting.sourceUrl)}</p>
${documentList(documents)}
<section aria-labelledby="agenda"><h2 id="agenda">Agenda</h2>
${entries.length === 0 ? noItems(meetingId, start) : html`<ol class="entries" start="${start + 1}">${entries}</ol>`}
${entries.length < total && html`<p>Items ${start + 1} to ${end} of ${total}.${next !== null && html` <a rel="next" href="${next}">More items</a>`}</p>`}</section>
${sourceLine(source)}
<p class="source">This record last changed: ${utcTime(changedAt)}.</p>
${REUSE}`;
  return { title: `${nameOfMeeting(facts, nameOf(meeting.title))}, ${nameOf(jurisdiction.name)}`, main, parents: parentsOf(facts) };
}

/** Body, title and local day; the title alone where it names the body. */
const nameOfMeeting = ({ meeting, body }: MeetingFacts, shownTitle: string): string =>
  `${hasName(shownTitle, body.name) ? shownTitle : `${nameOf(body.name)}: ${shownTitle}`}, ${meetingDay(meeting)}`;

const noItems = (meetingId: string, start: number): Html =>
  start === 0
    ? html`<p>No agenda item of this meeting is known.</p>`
    : html`<p>The agenda has no item ${start + 1}. <a href="${meetingPath(meetingId)}">From the first item on</a></p>`;

function itemEntry(
  { itemId, title, agendaNumber, outcome, actionText, topics: hits, documents }: MeetingItem,
  topics: readonly CoveredTopic[],
): Html {
  const heading = headingOf(title, MAX_HEADING);
  const quotes = quotesOf(hits.slice(0, MAX_HITS)).map((each) => ({
    ...each,
    ...beyondHeading(heading, wordsOfQuote(each.evidenceQuote)),
  }));
  return html`<li>
<p>${agendaNumber !== null && `${clipped(agendaNumber, 80)} `}<a href="${itemPath(itemId)}">${markedText(
    heading,
    quotes.map(({ said }) => said),
  )}</a>${outcomeTag(outcome)}</p>
${outcome == null && actionText !== null && html`<p class="quiet">${actionLabel(actionText)}: ${clipped(actionText, MAX_ACTION)}</p>`}
${quotes.map(
  ({ topicSlugs, evidenceQuote, quotedText, said, rest }) =>
    html`<p>${topicSlugs.map((slug) => html`${topicLink(slug, topics)} `)}</p>${
      rest !== '' &&
      html`<blockquote>${said === '' && quotedText !== null ? quoteInText(quotedText, evidenceQuote) : quoteBeyond({ said, rest }, evidenceQuote)}</blockquote>`
    }`,
)}
${documentList(documents, agendaNumber === null ? title : `${agendaNumber} ${title}`)}
</li>`;
}

/** Sources put what is proposed into the field of what was done, and leave it there when the meeting is over. */
const actionLabel = (text: string, outcome: MeetingItem['outcome'] = null): string =>
  outcome === null && doneIn(text) === null ? 'Action, proposed or taken' : 'Action';

/** The quotes of an item, each once with its topics; one that is part of another is not shown apart. */
function quotesOf(hits: MeetingItem['topics']) {
  const words = hits.map(({ evidenceQuote }) => wordsOfQuote(evidenceQuote));
  const longest = (quote: string): string =>
    words.filter((other) => other.includes(quote)).reduce((one, other) => (other.length > one.length ? other : one));
  return [...Map.groupBy(hits, ({ evidenceQuote }) => longest(wordsOfQuote(evidenceQuote)))].map(([quote, ofQuote]) => ({
    ...hits[words.indexOf(quote)]!,
    topicSlugs: ofQuote.map(({ topicSlug }) => topicSlug),
  }));
}

const documentList = (
  documents: readonly { readonly kind: string; readonly title: string; readonly url: string }[],
  of?: string,
): Html | null =>
  documents.length === 0
    ? null
    : html`<ul class="documents">${fitting(
        documents.slice(0, MAX_DOCUMENTS),
        DOCUMENTS_SIZE,
        ({ kind, title, url }) => html`<li>${outsideLink(url, nameOf(title), of)} <span class="quiet">${kind}</span></li>`,
      )}</ul>`;

const longText = (id: string, heading: string, text: string, max: number, quotes: readonly string[]): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>
<div class="text">${markedText(cutAfter(text, max).toWellFormed(), quotes)}${text.length > max && html`… <em>The official record has the whole text.</em>`}</div></section>`;

export async function itemPage(reads: PageReads, { params }: Asked<'item'>): Promise<PageParts> {
  const itemId = idOf(params['itemId']!, 'agenda item');
  const [item, facts, topics] = await Promise.all([reads.item(itemId), reads.meetings.ofItem(itemId), reads.coveredTopics()]);
  if (item === null || facts === null) throw new Rejection('not_found', 'there is no such agenda item');
  const { meeting, body, jurisdiction, source } = facts;
  const hits = publicOf(item.topics, facts, topics);
  const quotes = hits.map(({ evidenceQuote }) => wordsOfQuote(evidenceQuote));
  const { title, text } = item;
  /** A title that the heading cuts, where the text does not have it. */
  const longTitle = titleOf(title) === clipped(title, MAX_LONG_TITLE) || text?.includes(title) === true ? '' : title;
  const main = html`<h1>${markedText(titleOf(item.title), quotes)}</h1>
<dl>
<dt>Meeting</dt><dd><a href="${meetingPath(meeting.id)}">${nameOf(jurisdiction.name)}, ${nameOf(body.name)}, ${meetingTime(meeting)}</a> ${meetingStatus(meeting.status)}</dd>
${item.agendaNumber !== undefined && html`<dt>Number</dt><dd>${clipped(item.agendaNumber, 80)}</dd>`}
${item.matterFile !== undefined && html`<dt>File</dt><dd>${clipped(item.matterFile, 80)}</dd>`}
${item.matterType !== undefined && html`<dt>Type</dt><dd>${clipped(item.matterType, 80)}</dd>`}
${item.matterStatus !== undefined && html`<dt>Status of the file</dt><dd>${clipped(item.matterStatus, MAX_ACTION)}</dd>`}
${item.actionText !== undefined && html`<dt>${actionLabel(item.actionText, item.outcome)}</dt><dd>${clipped(item.actionText, MAX_ACTION)}</dd>`}
${item.outcome !== undefined && html`<dt>Outcome</dt><dd>${outcomeTag(item.outcome)}</dd>`}
</dl>
<p>${officialLink(item.sourceUrl)}</p>
${fitting(hits.slice(0, MAX_ITEM_HITS), HITS_SIZE, ({ topicSlug, summary, evidenceQuote, confidence }) => {
  const further = summaryAfterTitle(summary, titleOf(item.title));
  return html`<section class="hit">
<p>${topicLink(topicSlug, topics)} <span class="quiet">confidence ${confidence} of 100</span></p>
${further !== '' && html`<p>${clipped(further, 600)}</p>`}
${![title, text].some((part) => part?.includes(wordsOfQuote(evidenceQuote))) && html`<blockquote>${quoteInText(null, evidenceQuote)}</blockquote>`}
</section>`;
})}
${documentList(item.documents)}
${longTitle !== '' && longText('title', 'Whole title', longTitle, MAX_LONG_TITLE, quotes)}
${text !== undefined && longText('text', 'Text of the item', text, MAX_TEXT - Math.min(longTitle.length, MAX_LONG_TITLE), quotes)}
${sourceLine(source)}
${REUSE}`;
  return {
    title: `${clipped(item.title, 120)}, ${jurisdiction.name}`,
    main,
    parents: [...parentsOf(facts), [meetingPath(meeting.id), 'Meeting']],
  };
}
