import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { anyPhrase, wordIn } from '../../../domain/text/patterns.ts';
import type { Standing } from './item-standing.ts';

type Context = NormalizedContent<'agenda_hits'>['proceduralContext'];
type Participation = Pick<Context, 'actionKind' | 'actionUrl'>;

const REGISTRATION = wordIn(
  anyPhrase('register to speak, register online, registration form, registration is required, sign[- ]up to speak'),
);
const ADDRESS = /\bhttps?:\/\/[^\s<>"”)]+[^\s<>"”).,;]/;

function statedUrl(text: string): string | null {
  const url = URL.parse(ADDRESS.exec(text)?.[0] ?? '');
  return url?.username === '' && url.password === '' ? url.href : null;
}

/**
 * Returns how to take part while an item is open: register if the texts say so, comment at a hearing, else
 * attend. Invites to the hearing until its day is over if its call carried.
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
  if (stage === 'notice') return { actionKind: 'public_comment', actionUrl: url };
  return { actionKind: stage === 'public_hearing' ? 'public_comment' : 'meeting', actionUrl: url ?? meeting.sourceUrl };
}
