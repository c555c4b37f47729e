import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import { plainText } from '../../../domain/plain-text.ts';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { upsert } from '../source.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import { instantOf, localDate, mediaTypeOf, minutesOfDay, oneLine, paragraphs, publicUrl, type Text, utcStamp } from './values.ts';
import type { BodyPlace } from './bodies.ts';
import { mapItems } from './map-items.ts';
import { agendaId, fileId, meetingId } from './own-records.ts';
import type { EventItemRow, EventRow } from './rows.ts';
import { type Notice, noticeIn, noticeInComment, noticeInLocation, noticeInStatusName } from './notices.ts';

export interface EventPlace {
  readonly client: string;
  readonly timezone: string;
  readonly body: BodyPlace;
  /** The meeting as it is published now; null when it is not. */
  readonly known: Start | null;
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

/** Characters of a comment that are published, so that a long one does not make the record too large. */
const MAX_COMMENT = 100_000;

type Start = Pick<RecordData<'meetings'>, 'startsAt' | 'startTime'>;

/**
 * The day and start of an event, or why it has none. Without a readable time, a published start of the same day that was stated stays; else
 * the meeting begins with its local day.
 */
function startOf(event: EventRow, place: EventPlace): (Start & { readonly day: string }) | string {
  const { known, timezone } = place;
  const day = localDate(event.EventDate);
  if (day === null) return `has no readable date (${JSON.stringify(event.EventDate)})`;
  const sourceText = oneLine(event.EventTime);
  const minutes = minutesOfDay(event.EventTime);
  if (minutes !== null) {
    const startsAt = instantOf(day, minutes, timezone);
    // A record of before the field stays without it, so that it does not change.
    return known !== null && known.startTime === undefined
      ? { day, startsAt }
      : { day, startsAt, startTime: { status: 'stated', sourceText } };
  }
  if (known !== null && known.startTime?.status !== 'not_stated' && dateOfDay(localDay(Date.parse(known.startsAt), timezone)) === day) {
    return { day, startsAt: known.startsAt, startTime: known.startTime };
  }
  return { day, startsAt: instantOf(day, 0, timezone), startTime: { status: 'not_stated', sourceText } };
}

export function mapEvent(event: EventRow, rows: readonly EventItemRow[], place: EventPlace) {
  const { client, timezone, body } = place;
  const eventId = String(event.EventId);
  const skip = (reason: string) => ({ kind: 'skipped', skipped: { what: 'event', id: eventId, reason } }) as const;
  const start = startOf(event, place);
  if (typeof start === 'string') return skip(start);
  const sourceUrl = publicUrl(event.EventInSiteURL);
  if (sourceUrl === null) return skip('has no usable public address');

  const meeting = meetingId(client, eventId);
  const agenda = agendaId(client, eventId);
  const meetingTitle = oneLine(event.EventTitle) ?? body.name;
  const status = meetingStatus(event, rows, start.day);
  const { items, documents, documentsUncertain, skipped } = mapItems(rows, { client, meetingId: meeting, agendaId: agenda, sourceUrl });
  const file = (kind: 'agenda' | 'minutes', address: Text): RecordChange[] => {
    if (oneLine(address) === null) return [];
    const url = publicUrl(address);
    if (url === null) {
      skipped.push({ what: 'document', id: `${eventId} ${kind}`, reason: 'has no usable public address' });
      return [];
    }
    const title = `${meetingTitle} ${kind}, ${start.day}`;
    const mediaType = mediaTypeOf(new URL(url).pathname);
    return [upsert('documents', fileId(client, eventId, kind), { meetingId: meeting, kind, title, url, mediaType })];
  };
  const agendaFile = file('agenda', event.EventAgendaFile);
  const minutesFile = file('minutes', event.EventMinutesFile);
  const publishedAt = utcStamp(event.EventAgendaLastPublishedUTC);
  const hasAgenda = items.length > 0 || agendaFile.length > 0 || publishedAt !== null;

  const changes: readonly RecordChange[] = [
    upsert('meetings', meeting, {
      publicBodyId: body.publicBodyId,
      sourceId: body.sourceId,
      sourceRecordId: eventId,
      title: meetingTitle,
      startsAt: start.startsAt,
      startTime: start.startTime,
      timezone,
      location: oneLine(event.EventLocation),
      comment: paragraphs(plainText(event.EventComment ?? '').slice(0, MAX_COMMENT)) ?? undefined,
      status,
      sourceUrl,
    }),
    ...(hasAgenda
      ? [
          upsert('agendas', agenda, {
            meetingId: meeting,
            documentId: agendaFile[0]?.id ?? null,
            stage: STAGES[oneLine(event.EventAgendaStatusName)?.toLowerCase() ?? ''] ?? 'posted',
            publishedAt,
            itemCount: items.length,
            sourceUrl,
          }),
        ]
      : []),
    ...agendaFile,
    ...minutesFile,
    ...items,
    ...documents,
  ];
  return { kind: 'mapped', changes, documentsUncertain, skipped, startTime: start.startTime } as const;
}

/** Status names of final minutes, which prove that the meeting took place. */
const FINAL_MINUTES = new Set(['final', 'final-addendum', 'final-revised', 'approved', 'adopted']);
const PAGE_BREAK = /^page break$/i;

function itemNotice(event: EventRow, items: readonly EventItemRow[], day: string): Notice | null {
  const titles = items.map((item) => ({ title: oneLine(item.EventItemTitle), onAgenda: typeof item.EventItemAgendaSequence === 'number' }));
  const stated = titles.filter((row) => row.title !== null && !PAGE_BREAK.test(row.title));
  const onAgenda = stated.filter((row) => row.onAgenda);
  const alone = onAgenda.length > 0 ? onAgenda : stated;
  const notices = alone.map((row) => noticeIn(row.title ?? '', { bodyName: event.EventBodyName ?? '', day, sessions: true }));
  return notices.every((notice) => notice !== null) ? (notices[0] ?? null) : null;
}

const recordingPublished = (event: EventRow): boolean =>
  oneLine(event.EventVideoStatus)?.toLowerCase() === 'public' &&
  (oneLine(event.EventVideoPath) ?? oneLine(event.EventMedia?.toString())) !== null;

/** Of an agenda, "Deferred" is said of the meeting; of minutes, it may be said of the minutes. */
const agendaNotice = (name: Text): Notice | null => (oneLine(name)?.toLowerCase() === 'deferred' ? 'postponed' : noticeInStatusName(name));

/** From status names, comment, name, location, time, or an agenda whose items all say so. `held` needs final minutes or a published recording. */
export function meetingStatus(event: EventRow, items: readonly EventItemRow[], day: string) {
  const context = { bodyName: event.EventBodyName ?? '', day, sessions: false };
  const notice =
    agendaNotice(event.EventAgendaStatusName) ??
    noticeInStatusName(event.EventMinutesStatusName) ??
    noticeInComment(event.EventComment, context) ??
    noticeInComment(event.EventName, context) ??
    noticeInLocation(event.EventLocation, context) ??
    noticeInLocation(event.EventTime, context) ??
    itemNotice(event, items, day);
  if (notice !== null) return notice;
  const minutes = oneLine(event.EventMinutesStatusName)?.toLowerCase() ?? '';
  return FINAL_MINUTES.has(minutes) || recordingPublished(event) ? 'held' : 'scheduled';
}
