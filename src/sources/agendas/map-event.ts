import { isLayoutMark } from '../../../domain/agenda/notices.ts';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { upsert } from '../source.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import { runAtOnce } from '../../../domain/text/steps.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import {
  instantOf,
  localDate,
  mediaTypeOf,
  meetingTitle,
  minutesOfDay,
  oneLine,
  paragraphs,
  publicUrl,
  shortLine,
  type Text,
} from './values.ts';
import type { BodyPlace } from './bodies.ts';
import type { EventFile } from './files/read-file.ts';
import { mapItemsInSteps } from './map-items.ts';
import { agendaId, fileId, meetingId, twinFileId } from './own-records.ts';
import { areMinutesHidden, isAgendaPublished, publicationTime } from './publication.ts';
import type { EventItemRow, EventRow, Skipped } from './rows.ts';
import type { Votes } from './votes.ts';
import { type Notice, noticeIn, noticeInComment, noticeInLocation, noticeInStatusName } from './notices/notices.ts';

/** A file of another event that is the same meeting. */
export interface TwinFile {
  readonly kind: 'agenda' | 'minutes';
  readonly url: string;
  readonly eventId: number;
}

export interface EventPlace {
  readonly client: string;
  readonly timezone: string;
  readonly body: BodyPlace;
  /** The meeting as it is published now; null when it is not. */
  readonly known: (Start & Partial<Pick<RecordData<'meetings'>, 'sourceUrl' | 'status'>>) | null;
  /** Address of an event that has none of its own; null if the platform has no such page. */
  readonly calendarUrl?: string | null;
  /** Votes on its items, by the id of the item's head row; absent if none are read. */
  readonly votes?: ReadonlyMap<number, Votes>;
  /** Files and status of other events that are the same meeting. */
  /** The agenda that was read from a file; absent if none was. */
  readonly file?: Pick<EventFile, 'kind' | 'facts' | 'isKept' | 'flaws'>;
  readonly twins?: { readonly files: readonly TwinFile[]; readonly isHeld: boolean };
}

/** Agenda stages by the source's own status names; any other name of a published agenda is `posted`. */
const STAGES: Readonly<Record<string, RecordContent<'agendas'>['stage']>> = {
  draft: 'draft',
  tentative: 'draft',
  final: 'final',
  'final-revised': 'final',
  'final-addendum': 'addendum',
  addendum: 'addendum',
};

type Start = Pick<RecordData<'meetings'>, 'startsAt' | 'startTime'>;

const isOn = ({ startsAt }: Start, day: string, timezone: string): boolean =>
  dateOfDay(localDay(Date.parse(startsAt), timezone)) === day;

/**
 * Returns the day and start of an event, or why it has none. A meeting without a readable time begins with its local
 * day.
 */
function startOf(event: EventRow, { known, timezone, file }: EventPlace): (Start & { readonly day: string }) | string {
  const day = localDate(event.EventDate);
  if (day === null) return `has no readable date (${JSON.stringify(event.EventDate)})`;
  const sourceText = oneLine(event.EventTime);
  const minutes = minutesOfDay(event.EventTime, { day, timezone });
  if (minutes === null && file?.isKept === true && known?.startTime?.status === 'stated' && isOn(known, day, timezone))
    return { day, startsAt: known.startsAt, startTime: known.startTime };
  if (minutes === null)
    return { day, startsAt: instantOf(day, 0, timezone), startTime: { status: 'not_stated', sourceText } };
  const startsAt = instantOf(day, minutes, timezone);
  // A record that is older than the field stays without it, so that it does not change.
  return known !== null && known.startTime === undefined
    ? { day, startsAt }
    : { day, startsAt, startTime: { status: 'stated', sourceText } };
}

export const mapEvent = (...args: Parameters<typeof mapEventInSteps>) => runAtOnce(mapEventInSteps(...args));

/** The parts of an event that its records share. */
interface MeetingFacts {
  readonly eventId: string;
  readonly meetingId: string;
  readonly agendaId: string;
  readonly title: string;
  readonly start: Start & { readonly day: string };
  readonly sourceUrl: string;
  /** True if the source has published the agenda. */
  readonly isAgendaPublished: boolean;
}

/** Maps an event and its agenda rows to record changes, or returns why the event is skipped. */
export function* mapEventInSteps(event: EventRow, rows: readonly EventItemRow[], place: EventPlace) {
  const facts = meetingFacts(event, place);
  if (typeof facts === 'string') {
    const skipped: Skipped = { what: 'event', id: String(event.EventId), reason: facts };
    return { kind: 'skipped', skipped } as const;
  }
  const shownRows = facts.isAgendaPublished ? rows : [];
  const status = keptStatus(statusWithTwins(meetingStatus(event, shownRows, facts.start.day), place), place);
  const { client, votes = new Map<number, Votes>() } = place;
  const mapped = yield* mapItemsInSteps(shownRows, { ...facts, client, votes });
  const { files, agendaFile, skipped } = mapFiles(event, rows, facts, place);
  const publishedAt = publicationTime(event.EventAgendaLastPublishedUTC);
  const hasAgenda = mapped.items.length > 0 || agendaFile !== null || publishedAt !== null;
  const textEvidence = place.file?.facts?.textEvidence;
  const agenda = { documentId: agendaFile, publishedAt, itemCount: mapped.itemCount, textEvidence };
  const isKept = place.file?.isKept === true;
  const changes: readonly RecordChange[] = [
    meetingChange(event, facts, status, place),
    ...(hasAgenda && !isKept ? [agendaChange(event, facts, agenda)] : []),
    ...files,
    ...mapped.items,
    ...mapped.documents,
  ];
  // The agenda of a canceled meeting might consist of the notice.
  const lacksItems =
    mapped.isWithoutItems || (facts.isAgendaPublished && rows.length === 0 && event.EventAgendaHasText === true);
  const itemless = lacksItems && !UNHELD.has(status) ? ['the agenda has text but no item was recognized'] : [];
  return {
    kind: 'mapped',
    changes,
    documentsUncertain: mapped.documentsUncertain,
    skipped: [...mapped.skipped, ...skipped],
    degraded: [...flaws(event, rows, facts.start), ...itemless, ...(place.file?.flaws ?? [])],
  } as const;
}

/** Returns why the event cannot be published if it lacks a date or an address. */
function meetingFacts(event: EventRow, place: EventPlace): MeetingFacts | string {
  const start = startOf(event, place);
  if (typeof start === 'string') return start;
  const sourceUrl = publicUrl(event.EventInSiteURL) ?? place.known?.sourceUrl ?? place.calendarUrl ?? null;
  if (sourceUrl === null) return 'has no usable public address';
  const eventId = String(event.EventId);
  return {
    eventId,
    meetingId: meetingId(place.client, eventId),
    agendaId: agendaId(place.client, eventId),
    title: meetingTitle(event.EventTitle, place.body.name),
    start,
    sourceUrl,
    isAgendaPublished: isAgendaPublished(event),
  };
}

type Status = RecordContent<'meetings'>['status'];

const statusWithTwins = (own: Status, { twins }: EventPlace): Status =>
  own === 'scheduled' && twins?.isHeld ? 'held' : own;

/** A notice in a paper stays published while the paper cannot be read. */
const keptStatus = (own: Status, { file, known }: EventPlace): Status =>
  own === 'scheduled' && file?.isKept === true ? (known?.status ?? own) : own;

const meetingChange = (
  event: EventRow,
  { meetingId: id, eventId, title, start, sourceUrl }: MeetingFacts,
  status: Status,
  { body, timezone }: EventPlace,
): RecordChange =>
  upsert('meetings', id, {
    publicBodyId: body.publicBodyId,
    sourceId: body.sourceId,
    sourceRecordId: eventId,
    title,
    startsAt: start.startsAt,
    startTime: start.startTime,
    timezone,
    location: shortLine(event.EventLocation),
    comment: paragraphs(event.EventComment) ?? undefined,
    status,
    sourceUrl,
  });

const agendaChange = (
  event: EventRow,
  { meetingId: meeting, agendaId: id, sourceUrl }: MeetingFacts,
  content: Pick<RecordContent<'agendas'>, 'documentId' | 'publishedAt' | 'itemCount' | 'textEvidence'>,
): RecordChange =>
  upsert('agendas', id, {
    meetingId: meeting,
    stage: STAGES[oneLine(event.EventAgendaStatusName)?.toLowerCase() ?? ''] ?? 'posted',
    sourceUrl,
    ...content,
  });

type FileKind = 'agenda' | 'packet' | 'minutes' | 'other';

/** Maps the public files of an event and of its twins. `agendaFile` is the id of the agenda's document. */
function mapFiles(event: EventRow, rows: readonly EventItemRow[], facts: MeetingFacts, place: EventPlace) {
  const { eventId } = facts;
  const skipped: Skipped[] = [];
  const file = (kind: FileKind, address: Text): RecordChange[] => {
    if (oneLine(address) === null) return [];
    const url = publicUrl(address);
    if (url !== null) return [fileChange(fileId(place.client, eventId, kind), { kind, url }, facts, place)];
    skipped.push({ what: 'document', id: `${eventId} ${kind}`, reason: 'has no usable public address' });
    return [];
  };
  const withhold = (exists: boolean, reason: string): RecordChange[] => {
    if (exists) skipped.push({ what: 'event', id: eventId, reason, isIntended: true });
    return [];
  };
  const agenda = facts.isAgendaPublished
    ? file('agenda', event.EventAgendaFile)
    : withhold(rows.length > 0 || oneLine(event.EventAgendaFile) !== null, 'the source has not published its agenda');
  const packet = facts.isAgendaPublished ? file('packet', event.EventPacketFile) : [];
  const minutes = areMinutesHidden(event)
    ? withhold(oneLine(event.EventMinutesFile) !== null, 'its minutes are not public')
    : file('minutes', event.EventMinutesFile);
  const ofTwins = (place.twins?.files ?? []).map(({ kind, url, eventId: twinId }) =>
    fileChange(twinFileId(place.client, eventId, kind, url), { kind, url, suffix: ` (event ${twinId})` }, facts),
  );
  const others = (event.EventOtherFiles ?? []).flatMap((address) => {
    const url = publicUrl(address);
    return url === null
      ? []
      : [fileChange(twinFileId(place.client, eventId, 'other', url), { kind: 'other', url }, facts)];
  });
  return {
    files: [...agenda, ...packet, ...minutes, ...others, ...ofTwins],
    agendaFile: (agenda[0] ?? (place.file?.kind === 'packet' ? packet[0] : undefined))?.id ?? null,
    skipped,
  };
}

function fileChange(
  id: string,
  { kind, url, suffix = '' }: { readonly kind: FileKind; readonly url: string; readonly suffix?: string },
  facts: MeetingFacts,
  { file }: Pick<EventPlace, 'file'> = {},
): RecordChange {
  const title = `${facts.title} ${kind === 'other' ? 'further paper' : kind}, ${facts.start.day}${suffix}`;
  const mediaType = mediaTypeOf(new URL(url).pathname);
  const fileFacts = kind === file?.kind ? file.facts : null;
  return upsert('documents', id, { meetingId: facts.meetingId, kind, title, url, mediaType, ...fileFacts });
}

const withoutTime = (sourceText: string | null): string =>
  sourceText === null ? 'states no time' : `states no time that can be read (${JSON.stringify(sourceText)})`;

/** Reasons why an event is published incompletely. */
function flaws(event: EventRow, rows: readonly EventItemRow[], { startTime }: Start): readonly string[] {
  const cut = (texts: readonly string[] | undefined, row: string) =>
    (texts ?? []).map((name) => `${name}${row} is longer than a published text and was cut`);
  return [
    ...(startTime?.status === 'not_stated' ? [withoutTime(startTime.sourceText)] : []),
    ...cut(event.cutTexts, ''),
    ...rows.flatMap(({ cutTexts, EventItemId }) => cut(cutTexts, ` of item ${EventItemId}`)),
  ];
}

const UNHELD: ReadonlySet<Status> = new Set(['cancelled', 'postponed']);

/** Status names of final minutes, which prove that the meeting took place. */
const FINAL_MINUTES = new Set(['final', 'final-addendum', 'final-revised', 'approved', 'adopted']);
const MAX_NOTICE_ROWS = 100;

function itemNotice(event: EventRow, items: readonly EventItemRow[], day: string): Notice | null {
  // An agenda of more rows has business: it is no notice.
  if (items.length > MAX_NOTICE_ROWS) return null;
  const titles = items.map((item) => ({
    title: oneLine(item.EventItemTitle),
    onAgenda: typeof item.EventItemAgendaSequence === 'number',
  }));
  const titled = titles.filter((row) => row.title !== null && !isLayoutMark(row.title));
  const onAgenda = titled.filter((row) => row.onAgenda);
  const alone = onAgenda.length > 0 ? onAgenda : titled;
  const notices = alone.map((row) =>
    noticeIn(row.title ?? '', { bodyName: event.EventBodyName ?? '', day, sessions: true }),
  );
  return notices.every((notice) => notice !== null) ? (notices[0] ?? null) : null;
}

const recordingPublished = (event: EventRow): boolean =>
  oneLine(event.EventVideoStatus)?.toLowerCase() === 'public' &&
  (oneLine(event.EventVideoPath) ?? oneLine(event.EventMedia?.toString())) !== null;

/**
 * The status "Deferred" of an agenda concerns the meeting. The same status of minutes might concern only the minutes.
 */
const agendaNotice = (name: Text): Notice | null =>
  oneLine(name)?.toLowerCase() === 'deferred' ? 'postponed' : noticeInStatusName(name);

/**
 * Reads the status from status names, comment, name, location, time, or an agenda that consists of the notice. `held`
 * needs final minutes or a published recording.
 */
export function meetingStatus(event: EventRow, items: readonly EventItemRow[], day: string): Status {
  const context = { bodyName: event.EventBodyName ?? '', title: event.EventTitle, day, sessions: false };
  const notice =
    agendaNotice(event.EventAgendaStatusName) ??
    noticeInStatusName(event.EventMinutesStatusName) ??
    noticeInComment(event.EventComment, context) ??
    noticeInComment(event.EventName, { ...context, isName: true }) ??
    noticeInLocation(event.EventLocation, context) ??
    noticeInLocation(event.EventTime, context) ??
    itemNotice(event, items, day);
  if (notice !== null) return notice;
  const minutes = oneLine(event.EventMinutesStatusName)?.toLowerCase() ?? '';
  return FINAL_MINUTES.has(minutes) || recordingPublished(event) ? 'held' : 'scheduled';
}
