import type { AgendaItem } from '../../../contract/tools/get-agenda-item.ts';
import { extractDecision } from '../../../domain/decisions/decision-words.ts';
import type { MeetingFacts } from '../../../queries/meetings/read-meetings.ts';
import type { MeetingItem } from '../../../queries/meetings/read-meeting-items.ts';
import type { CoveredTopic } from '../../../queries/agenda/list-covered-topics.ts';
import { uuid } from '../../../domain/records/fields.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import { cutAfter } from '../../../domain/text/words.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { bodyPath, itemPath, jurisdictionPath, meetingPath, withQuery } from './addresses.ts';
import { factTable } from './fact-table.ts';
import {
  commentOf,
  LIST_SIZE,
  MAX_HEADING,
  MAX_OF,
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
import { clipped, type Content, fitting, type Html, html } from './html.ts';
import { AROUND, markedText, quoteInText } from './marked-text.ts';
import type { PageParts } from './page-layout.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';
import { beyondHeading, hasName, headingOf, quoteBeyond, summaryAfterTitle, wordsOfQuote } from './quote-texts.ts';
import { meetingDay, meetingTime, utcTime } from './times.ts';

const ITEMS = 100;
/** Maximum characters of a long title and a text together. */
const MAX_TEXT = 10_000;
const [MAX_LONG_TITLE, MAX_ACTION, MAX_HITS, MAX_ITEM_HITS, MAX_DOCUMENTS] = [5_000, 300, 3, 8, 20];
/** Bytes. */
const [HITS_SIZE, DOCUMENTS_SIZE, MEMBERS_SIZE, APPEARANCES_SIZE, ACTIONS_SIZE] = [15_000, 8_000, 8_000, 8_000, 4_000];
/** Id of the list on the page of an item. */
const APPEARANCES = 'appearances';

/** Throws a `Rejection` if it is not a uuid. */
function idOf(text: string, what: string): string {
  const parsed = uuid.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new Rejection('not_found', `there is no such ${what}`);
}

const parentsOf = ({ jurisdiction, body }: MeetingFacts): readonly (readonly [string, string])[] => [
  [jurisdictionPath(jurisdiction.slug), jurisdiction.name],
  [bodyPath(jurisdiction.slug, body.slug), body.name],
];

/** Returns the hits that public operations show: of a covered topic and a publicly covered body. */
const publicOf = <Hit extends { readonly topicSlug: string }>(
  hits: readonly Hit[],
  { covered }: MeetingFacts,
  topics: readonly CoveredTopic[],
): readonly Hit[] => (covered ? hits.filter(({ topicSlug }) => topics.some(({ slug }) => slug === topicSlug)) : []);

export async function meetingPage(reads: PageReads, { params, query }: PageRequest<'meeting'>): Promise<PageParts> {
  const meetingId = idOf(params['meetingId']!, 'meeting');
  const { start } = query;
  const [facts, { items, total, itemCount, itemsBefore }, documents, topics] = await Promise.all([
    reads.meetings.byId(meetingId),
    reads.meetingItems(meetingId, { offset: start, limit: ITEMS, around: AROUND + 1 }),
    reads.meetingDocuments(meetingId),
    reads.coveredTopics(),
  ]);
  if (facts === null) throw new Rejection('not_found', 'there is no such meeting');
  const { meeting, body, jurisdiction, changedAt, source } = facts;
  const entries = agendaEntries(
    items.map((item) => ({ ...item, topics: publicOf(item.topics, facts, topics) })),
    topics,
  );
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
${entries.length === 0 ? noItems(meetingId, start, awaitsAgenda(meeting, documents, reads.now())) : html`<ul class="entries">${entries}</ul>`}
${entries.length < total && html`<p>${itemsShown(items.slice(0, entries.length), itemsBefore, itemCount)}${next !== null && html` <a rel="next" href="${next}">More items</a>`}</p>`}</section>
${sourceLine(source)}
<p class="source">This record last changed: ${utcTime(changedAt)}.</p>
${REUSE}`;
  return {
    title: `${nameOfMeeting(facts, nameOf(meeting.title))}, ${nameOf(jurisdiction.name)}`,
    main,
    parents: parentsOf(facts),
  };
}

function itemsShown(rows: readonly MeetingItem[], before: number, itemCount: number): string {
  const count = rows.filter(({ kind }) => kind === 'item').length;
  return count === 0 ? `${itemCount} items.` : `Items ${before + 1} to ${before + count} of ${itemCount}.`;
}

/** Returns body, title and local day, without the body if the title names it. */
const nameOfMeeting = ({ meeting, body }: MeetingFacts, shownTitle: string): string =>
  `${hasName(shownTitle, body.name) ? shownTitle : `${nameOf(body.name)}: ${shownTitle}`}, ${meetingDay(meeting)}`;

/** Returns true for an upcoming meeting without an agenda file. */
const awaitsAgenda = (
  { status, startsAt }: MeetingFacts['meeting'],
  documents: readonly Pick<RecordData<'documents'>, 'kind'>[],
  now: number,
): boolean => status === 'scheduled' && Date.parse(startsAt) > now && documents.every(({ kind }) => kind !== 'agenda');

const noItems = (meetingId: string, start: number, isAwaited: boolean): Html =>
  start === 0
    ? html`<p>${isAwaited ? 'Agenda not published yet.' : 'No agenda item of this meeting is known.'}</p>`
    : html`<p>The agenda has no item ${start + 1}. <a href="${meetingPath(meetingId)}">From the first item on</a></p>`;

/**
 * Renders the rows of an agenda under their headings, as many as fit a page. A section without its own row is named
 * above its first item.
 */
function agendaEntries(rows: readonly MeetingItem[], topics: readonly CoveredTopic[]): readonly Html[] {
  let section: string | null = null;
  return fitting(rows, LIST_SIZE, (row) => {
    if (row.kind === 'heading') {
      section = row.title;
      return headingEntry(row);
    }
    const sectionName = row.section !== null && !hasName(section ?? '', row.section) && sectionHeading(row.section);
    section = row.section;
    return html`${sectionName}${itemEntry(row, topics)}`;
  });
}

const sectionHeading = (title: string): Html => html`<li class="heading"><h3>${clipped(title, MAX_HEADING)}</h3></li>`;

const headingEntry = ({ title, agendaNumber, outcome }: MeetingItem): Html =>
  html`<li class="heading"><h3>${agendaNumber !== null && `${clipped(agendaNumber, 80)} `}${headingOf(title, MAX_HEADING)}${outcomeTag(outcome)}</h3></li>`;

function itemEntry(
  { itemId, kind, title, agendaNumber, outcome, actionText, topics: hits, documents, isOnOtherAgendas }: MeetingItem,
  topics: readonly CoveredTopic[],
): Html {
  const heading = headingOf(title, MAX_HEADING);
  const quotes = quotesOf(hits.slice(0, MAX_HITS)).map((each) => ({
    ...each,
    ...beyondHeading(heading, wordsOfQuote(each.evidenceQuote)),
  }));
  return html`<li${kind !== 'item' && html` class="quiet"`}>
<p>${agendaNumber !== null && `${clipped(agendaNumber, 80)} `}<a href="${itemPath(itemId)}">${markedText(
    heading,
    quotes.map(({ overlap }) => overlap),
  )}</a>${outcomeTag(outcome)}</p>
${outcome == null && actionText !== null && html`<p class="quiet">${actionLabel(actionText)}: ${clipped(actionText, MAX_ACTION)}</p>`}
${isOnOtherAgendas && html`<p><a href="${itemPath(itemId)}#${APPEARANCES}" aria-label="Other agendas with this file: ${clipped(title, MAX_OF)}">Other agendas with this file</a></p>`}
${quotes.map(
  ({ topicSlugs, evidenceQuote, quotedText, overlap, rest }) =>
    html`<p>${topicSlugs.map((slug) => html`${topicLink(slug, topics)} `)}</p>${
      rest !== '' &&
      html`<blockquote>${overlap === '' && quotedText !== null ? quoteInText(quotedText, evidenceQuote) : quoteBeyond({ overlap, rest }, evidenceQuote)}</blockquote>`
    }`,
)}
${documentList(documents, agendaNumber === null ? title : `${agendaNumber} ${title}`)}
</li>`;
}

/** Sources put the proposed action into the field of the decision, and leave it there after the meeting. */
const actionLabel = (text: string, outcome: MeetingItem['outcome'] = null): string =>
  outcome === null && extractDecision(text) === null ? 'Action, proposed or taken' : 'Action';

/** Renders the quotes of an item, each once with its topics. A quote inside another one is not repeated. */
function quotesOf(hits: MeetingItem['topics']) {
  const words = hits.map(({ evidenceQuote }) => wordsOfQuote(evidenceQuote));
  const longest = (quote: string): string =>
    words.filter((other) => other.includes(quote)).reduce((one, other) => (other.length > one.length ? other : one));
  return [...Map.groupBy(hits, ({ evidenceQuote }) => longest(wordsOfQuote(evidenceQuote)))].map(
    ([quote, ofQuote]) => ({
      ...hits[words.indexOf(quote)]!,
      topicSlugs: ofQuote.map(({ topicSlug }) => topicSlug),
    }),
  );
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
        ({ kind, title, url }) =>
          html`<li>${outsideLink(url, nameOf(title), of)} <span class="quiet">${kind}</span></li>`,
      )}</ul>`;

const longText = (id: string, heading: string, text: string, max: number, quotes: readonly string[]): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>
<div class="text">${markedText(cutAfter(text, max).toWellFormed(), quotes)}${text.length > max && html`… <em>The official record has the whole text.</em>`}</div></section>`;

/** Lists all actions if the source records several; the last one is shown above. */
const actionList = (actions: NonNullable<AgendaItem['actions']>): Content =>
  actions.length > 1 &&
  html`<section aria-labelledby="actions"><h2 id="actions">All actions, in the words of the source</h2>
<ol class="entries">${fitting(actions, ACTIONS_SIZE, ({ text, outcome }) => html`<li>${clipped(text ?? '', MAX_ACTION)}${outcomeTag(outcome)}</li>`)}</ol></section>`;

function memberVotes(members: NonNullable<AgendaItem['votes']>['members']): Content {
  if (members.length === 0) return null;
  const rows = fitting(
    members,
    MEMBERS_SIZE,
    ({ name, vote }) => html`<tr><th scope="row">${nameOf(name)}</th><td>${nameOf(vote)}</td></tr>`,
  );
  return html`<section aria-labelledby="votes"><h2 id="votes">Votes by member</h2>
<table class="votes"><tr><th scope="col">Member</th><th scope="col">Vote</th></tr>${rows}</table>
${rows.length < members.length && html`<p>The official record has ${members.length - rows.length} more.</p>`}</section>`;
}

function appearanceList({ matterFile, appearances, appearanceCount }: AgendaItem): Content {
  if (appearances.length === 0) return null;
  const entries = fitting(appearances, APPEARANCES_SIZE, appearanceEntry);
  return html`<section aria-labelledby="${APPEARANCES}"><h2 id="${APPEARANCES}">Other agendas with file ${clipped(matterFile ?? '', 80)}</h2>
<ul class="entries">${entries}</ul>
${entries.length < appearanceCount && html`<p>These are ${entries.length} of ${appearanceCount}, those nearest to this meeting.</p>`}</section>`;
}

function appearanceEntry(appearance: AgendaItem['appearances'][number]): Html {
  const { itemId, title, body, meetingDate, meetingStatus: status, outcome, actionText } = appearance;
  const day = meetingDay({ startsAt: `${meetingDate}T00:00:00Z`, timezone: 'UTC' });
  return html`<li>
<p><a href="${itemPath(itemId)}">${day}</a> <span class="quiet">${nameOf(body)}</span> ${meetingStatus(status)}${outcomeTag(outcome)}</p>
<p>${clipped(title, MAX_HEADING)}</p>
${outcome === undefined && actionText !== undefined && html`<p class="quiet">${actionLabel(actionText)}: ${clipped(actionText, MAX_ACTION)}</p>`}
</li>`;
}

const KINDS: Readonly<Record<Exclude<MeetingItem['kind'], 'item'>, string>> = {
  heading: 'heading of a section',
  procedural: 'procedural step',
};

export async function itemPage(reads: PageReads, { params }: PageRequest<'item'>): Promise<PageParts> {
  const itemId = idOf(params['itemId']!, 'agenda item');
  const [item, facts, topics] = await Promise.all([
    reads.item(itemId),
    reads.meetings.ofItem(itemId),
    reads.coveredTopics(),
  ]);
  if (item === null || facts === null) throw new Rejection('not_found', 'there is no such agenda item');
  const { meeting, body, jurisdiction, source } = facts;
  const hits = publicOf(item.topics, facts, topics);
  const quotes = hits.map(({ evidenceQuote }) => wordsOfQuote(evidenceQuote));
  const { title, text } = item;
  /** The full title if the heading cuts it and the text does not contain it. */
  const longTitle = titleOf(title) === clipped(title, MAX_LONG_TITLE) || text?.includes(title) === true ? '' : title;
  const main = html`<h1>${markedText(titleOf(item.title), quotes)}</h1>
<dl>
<dt>Meeting</dt><dd><a href="${meetingPath(meeting.id)}">${nameOf(jurisdiction.name)}, ${nameOf(body.name)}, ${meetingTime(meeting)}</a> ${meetingStatus(meeting.status)}</dd>
${item.agendaNumber !== undefined && html`<dt>Number</dt><dd>${clipped(item.agendaNumber, 80)}</dd>`}
${item.matterFile !== undefined && html`<dt>File</dt><dd>${clipped(item.matterFile, 80)}</dd>`}
${item.kind !== undefined && item.kind !== 'item' && html`<dt>Kind</dt><dd>${KINDS[item.kind]}</dd>`}
${item.section !== undefined && html`<dt>Section</dt><dd>${clipped(item.section, MAX_HEADING)}</dd>`}
${item.matterType !== undefined && html`<dt>Type</dt><dd>${clipped(item.matterType, 80)}</dd>`}
${item.matterStatus !== undefined && html`<dt>Status of the file</dt><dd>${clipped(item.matterStatus, MAX_ACTION)}</dd>`}
${item.actionText !== undefined && html`<dt>${actionLabel(item.actionText, item.outcome)}</dt><dd>${clipped(item.actionText, MAX_ACTION)}</dd>`}
${item.outcome !== undefined && html`<dt>Outcome</dt><dd>${outcomeTag(item.outcome)}</dd>`}
${item.votes?.mover != null && html`<dt>Moved by</dt><dd>${nameOf(item.votes.mover)}</dd>`}
${item.votes?.seconder != null && html`<dt>Seconded by</dt><dd>${nameOf(item.votes.seconder)}</dd>`}
${item.votes?.tally != null && html`<dt>Tally</dt><dd>${nameOf(item.votes.tally)}</dd>`}
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
${factTable(item)}
${documentList(item.documents)}
${actionList(item.actions ?? [])}
${memberVotes(item.votes?.members ?? [])}
${appearanceList(item)}
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
