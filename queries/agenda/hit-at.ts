import type { z } from 'zod';
import type { publicAgendaHit } from '../../contract/public-agenda-hit.ts';
import { dayOfDate, localDay } from '../../domain/local-day.ts';

interface StatedHit {
  /** A public hit as JSON. */
  readonly text: string;
  /** Of its meeting, in milliseconds. */
  readonly startsAt: number;
  readonly timezone: string;
}

/**
 * A hit states what held when it was classified. From the local day after its meeting on it invites to that meeting no more, as if it were
 * classified then. A notice announces a later hearing: its invitation stays until that day is over.
 */
export function hitAt(now: number, { text, startsAt, timezone }: StatedHit): string {
  const today = localDay(now, timezone);
  if (localDay(startsAt, timezone) >= today) return text;
  const hit = JSON.parse(text) as z.output<typeof publicAgendaHit>;
  const { proceduralContext } = hit;
  const { actionKind, proceduralStage, nextMeetingDate } = proceduralContext;
  const isAnnounced = proceduralStage === 'notice' && (nextMeetingDate === null || dayOfDate(nextMeetingDate) >= today);
  if (actionKind === 'unknown' || isAnnounced) return text;
  return JSON.stringify({ ...hit, proceduralContext: { ...proceduralContext, actionKind: 'unknown', actionUrl: null } });
}
