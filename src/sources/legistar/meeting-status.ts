import { oneLine } from './clean-text.ts';
import { noticeIn, noticeInComment, noticeInLocation, noticeInStatusName, type Notice } from './notices.ts';
import type { EventItemRow, EventRow } from './rows.ts';

export type MeetingStatus = 'scheduled' | 'held' | 'cancelled' | 'postponed';

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

/**
 * The status of a meeting, from the status names, the comment, the location, or an agenda whose items all say so (page breaks do not
 * count). `held` needs final minutes or a published recording; a past date or the video status alone does not suffice.
 */
export function meetingStatus(event: EventRow, items: readonly EventItemRow[], day: string): MeetingStatus {
  const context = { bodyName: event.EventBodyName ?? '', day, sessions: false };
  const notice =
    noticeInStatusName(event.EventAgendaStatusName) ??
    noticeInStatusName(event.EventMinutesStatusName) ??
    noticeInComment(event.EventComment, context) ??
    noticeInLocation(event.EventLocation, context) ??
    itemNotice(event, items, day);
  if (notice !== null) return notice;
  const minutes = oneLine(event.EventMinutesStatusName)?.toLowerCase() ?? '';
  return FINAL_MINUTES.has(minutes) || recordingPublished(event) ? 'held' : 'scheduled';
}
