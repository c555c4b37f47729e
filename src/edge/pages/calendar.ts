import { ICalCalendar, ICalEventStatus } from 'ical-generator';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { MeetingFacts } from '../../../queries/meetings/read-meetings.ts';
import { bodyPath, calendarOf, meetingPath } from './addresses.ts';
import { commentOf, isLinked, titleOf } from './fragments.ts';
import { printable } from './html.ts';
import type { PageReads } from './page-reads.ts';
import type { PageRequest } from './page-routes.ts';
import { bodyOf, placeOf } from './place-pages.ts';
import { quotedTime } from './times.ts';

const [PAST, UPCOMING] = [50, 200];

const STATUSES: Readonly<Record<MeetingFacts['meeting']['status'], ICalEventStatus>> = {
  scheduled: ICalEventStatus.CONFIRMED,
  held: ICalEventStatus.CONFIRMED,
  cancelled: ICalEventStatus.CANCELLED,
  postponed: ICalEventStatus.TENTATIVE,
};
const MARKS: Partial<Readonly<Record<MeetingFacts['meeting']['status'], string>>> = {
  cancelled: 'Cancelled: ',
  postponed: 'Postponed: ',
};

/** Returns the day without a time if the source has no time. */
export const startOf = ({ startsAt, startTime, timezone }: MeetingFacts['meeting']) =>
  startTime?.status === 'not_stated'
    ? { start: new Date(`${dateOfDay(localDay(Date.parse(startsAt), timezone))}T00:00:00Z`), allDay: true }
    : { start: new Date(startsAt) };

/** Returns the description of an entry: a note if the time is unknown, the comment of the source and the address of the record. */
export function descriptionOf({ startTime, comment, sourceUrl }: MeetingFacts['meeting']): string {
  const lines = [
    ...(startTime?.status === 'not_stated' ? [`Time not stated${quotedTime(startTime.sourceText)}`] : []),
    ...(comment === undefined ? [] : [commentOf(comment)]),
    ...(isLinked(sourceUrl) ? [`Official record: ${sourceUrl}`] : []),
  ];
  return printable(lines.join('\n'));
}

/** Renders the meetings of a body with times in UTC (RFC 5545). Keeps a canceled meeting, marked, so that calendars remove it. */
export async function bodyCalendar(
  reads: PageReads,
  { params }: PageRequest<'calendar'>,
  baseUrl: string,
): Promise<string> {
  const place = await placeOf(reads, params['slug']!);
  const body = bodyOf(place, params['bodySlug']!, (...slugs) => calendarOf(bodyPath(...slugs)));
  const now = reads.now();
  const of = { bodyIds: [body.bodyId], timezone: body.timezone };
  const [past, upcoming] = await Promise.all([
    reads.meetings.ofBodies({ ...of, before: now, limit: PAST }),
    reads.meetings.ofBodies({ ...of, from: now, limit: UPCOMING }),
  ]);
  const name = printable(`${place.name}: ${body.name}`);
  const path = bodyPath(place.slug, body.slug);
  const calendar = new ICalCalendar({
    name,
    prodId: { company: 'Civic Records', product: 'Meetings', language: 'EN' },
    url: `${baseUrl}${path}`,
    source: `${baseUrl}${calendarOf(path)}`,
  });
  for (const { meeting, version, changedAt } of [...past.toReversed(), ...upcoming]) {
    calendar.createEvent({
      id: meeting.id,
      ...startOf(meeting),
      // The time of the record, so that the answer stays the same until something changes.
      stamp: new Date(changedAt),
      lastModified: new Date(changedAt),
      sequence: version,
      summary: printable(`${MARKS[meeting.status] ?? ''}${titleOf(meeting.title)}`),
      ...(meeting.location == null ? {} : { location: printable(titleOf(meeting.location)) }),
      description: descriptionOf(meeting),
      url: `${baseUrl}${meetingPath(meeting.id)}`,
      status: STATUSES[meeting.status],
    });
  }
  return calendar.toString();
}
