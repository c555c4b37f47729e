import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';

type Context = NormalizedContent<'agenda_hits'>['proceduralContext'];
type PublicAction = Pick<Context, 'actionKind' | 'actionUrl'>;

const REGISTRATION = /\b(?:register (?:to speak|online|by|at|for the)|registration (?:form|deadline|is required)|sign[- ]up to speak)\b/i;
const CONTACT = /\bcontact (?:the )?(?:[A-Z][\w.'’-]* ?){1,5}(?:at|by)\b|\b(?:questions|inquiries)\b.{0,60}\b(?:contact|call|e-?mail)\b/;
const ADDRESS = /\bhttps?:\/\/[^\s<>"”)]+[^\s<>"”).,;]/;

function statedUrl(text: string): string | null {
  const found = ADDRESS.exec(text)?.[0];
  if (found === undefined || !URL.canParse(found)) return null;
  const parsed = new URL(found);
  return parsed.username === '' && parsed.password === '' && parsed.hostname !== '' ? parsed.href : null;
}

/**
 * What a concerned person can do: register or ask where the texts say so, comment at a hearing, else attend the meeting. The address is
 * the one that the texts state, or the meeting's own page for a meeting or hearing that is still to come to a decision; decided items leave nothing to do.
 */
export function publicAction(
  { item, meeting }: ClassificationSubject,
  stage: Context['proceduralStage'],
  texts: readonly string[],
): PublicAction {
  const whole = texts.join('\n');
  const stated = statedUrl(whole);
  if (REGISTRATION.test(whole)) return { actionKind: 'registration', actionUrl: stated };
  if (CONTACT.test(whole)) return { actionKind: 'staff_contact', actionUrl: stated };
  if (stage === 'notice') return { actionKind: 'public_comment', actionUrl: stated };
  const open = (item.outcome === null || item.outcome === 'continued') && meeting.status === 'scheduled';
  if (!open) return { actionKind: 'unknown', actionUrl: null };
  return { actionKind: stage === 'public_hearing' ? 'public_comment' : 'meeting', actionUrl: stated ?? meeting.sourceUrl };
}
