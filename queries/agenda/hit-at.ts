import type { z } from 'zod';
import type { publicAgendaHit } from '../../contract/public-agenda-hit.ts';
import { localDay } from '../../domain/local-day.ts';

interface StatedHit {
  /** A public hit as JSON. */
  readonly text: string;
  /** Of its meeting, in milliseconds. */
  readonly startsAt: number;
  readonly timezone: string;
}

/**
 * A hit states what held when it was classified. From the local day after its meeting on it invites to that meeting no more, as if it were
 * classified then. A notice announces a later hearing: its invitation stays.
 */
export function hitAt(now: number, { text, startsAt, timezone }: StatedHit): string {
  if (localDay(startsAt, timezone) >= localDay(now, timezone)) return text;
  const hit = JSON.parse(text) as z.output<typeof publicAgendaHit>;
  const { proceduralContext } = hit;
  if (proceduralContext.actionKind === 'unknown' || proceduralContext.proceduralStage === 'notice') return text;
  return JSON.stringify({ ...hit, proceduralContext: { ...proceduralContext, actionKind: 'unknown', actionUrl: null } });
}
