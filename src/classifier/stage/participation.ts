import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import type { Standing } from './item-standing.ts';

type Context = NormalizedContent<'agenda_hits'>['proceduralContext'];
type Participation = Pick<Context, 'actionKind' | 'actionUrl'>;

const REGISTRATION =
  /\b(?:register (?:to speak|online|by|at|for the)|registration (?:form|deadline|is required)|sign[- ]up to speak)\b/i;
const CONTACT =
  /\bcontact (?:the )?(?:[A-Z][\w.'’-]* ?){1,5}(?:at|by)\b|\b(?:questions|inquiries)\b.{0,60}\b(?:contact|call|e-?mail)\b/;
const ADDRESS = /\bhttps?:\/\/[^\s<>"”)]+[^\s<>"”).,;]/;

function statedUrl(text: string): string | null {
  const url = URL.parse(ADDRESS.exec(text)?.[0] ?? '');
  return url?.username === '' && url.password === '' ? url.href : null;
}

/**
 * Returns how to take part while an item is open: register or ask if the texts say so, comment at a hearing, else
 * attend. After a carried call for a hearing, invites to the hearing until its day is over.
 */
export function participationOf(
  { meeting, today = '' }: ClassificationSubject,
  texts: readonly string[],
  { standing, stage, hearing }: { standing: Standing; stage: Context['proceduralStage']; hearing: string | null },
): Participation {
  const isCalled = stage === 'notice' && standing.kind === 'approved' && (hearing === null || hearing >= today);
  if (standing.kind !== 'open' && !isCalled) return { actionKind: 'unknown', actionUrl: null };
  const whole = texts.join('\n');
  const url = statedUrl(whole);
  if (REGISTRATION.test(whole)) return { actionKind: 'registration', actionUrl: url };
  if (CONTACT.test(whole)) return { actionKind: 'staff_contact', actionUrl: url };
  if (stage === 'notice') return { actionKind: 'public_comment', actionUrl: url };
  return { actionKind: stage === 'public_hearing' ? 'public_comment' : 'meeting', actionUrl: url ?? meeting.sourceUrl };
}
