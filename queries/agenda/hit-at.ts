import type { z } from 'zod';
import type { publicAgendaHit } from '../../contract/public-agenda-hit.ts';
import { dayOfDate, localDay } from '../../domain/local-day.ts';

interface StatedHit {
  /** Public hit as JSON. */
  readonly text: string;
  /** Start of the meeting in milliseconds. */
  readonly startsAt: number;
  readonly timezone: string;
}

/**
 * Returns a hit as if it were classified now: from the local day after its meeting it no longer invites to the meeting.
 * The invitation of a notice remains until the day of the hearing that it announces is over.
 */
export function hitAt(now: number, { text, startsAt, timezone }: StatedHit): string {
  const today = localDay(now, timezone);
  if (localDay(startsAt, timezone) >= today) return text;
  const hit = JSON.parse(text) as z.output<typeof publicAgendaHit>;
  const { proceduralContext } = hit;
  const { actionKind, proceduralStage, nextMeetingDate } = proceduralContext;
  const isAnnounced = proceduralStage === 'notice' && (nextMeetingDate === null || dayOfDate(nextMeetingDate) >= today);
  if (actionKind === 'unknown' || isAnnounced) return text;
  return JSON.stringify({
    ...hit,
    proceduralContext: { ...proceduralContext, actionKind: 'unknown', actionUrl: null },
  });
}
