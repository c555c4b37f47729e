import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { type Meaning, meaningOfStanding, meetingDay, type Standing } from './item-standing.ts';
import { nextStepOf } from './next-step.ts';
import { participationOf } from './participation.ts';
import { type Stage, stageOfWords } from './stage-words.ts';

type Context = NormalizedContent<'agenda_hits'>['proceduralContext'];

/** These items reach no decision on the day of the agenda, so they have neither a stage nor a next step. */
const NOT_REACHED: ReadonlySet<Meaning> = new Set(['withdrawn', 'deleted', 'cancelled']);
/** A postponed item or meeting has no decision. */
const PUT_OFF: ReadonlySet<Meaning> = new Set(['deferred', 'referred', 'no_action', 'postponed']);
const DECIDED: ReadonlySet<Meaning> = new Set(['approved', 'denied']);
const DECIDING: ReadonlySet<Stage> = new Set(['final_action', 'final_reading']);

const HEARD = /\bhearing (?:held|on p-c item)\b/i;
const BRIEFING = /\bbriefing|\bwork ?(?:session|shop)|\binformal report\b/i;
/** A type of items that are voted on together. */
const CONSENT = /\bconsent\b/i;

/** "Payment Ordinance": the type of a list from which items are only read. */
const OTHER_PAPERS = /^\w+ (?:ordinance|resolution)$/i;

/** Returns the stage by the source's type of the matter and the kind of its meeting. */
function stageOfKind({ item, meeting }: ClassificationSubject): Stage | null {
  const type = item.matterType ?? '';
  if (/\bhearing/i.test(type)) return 'public_hearing';
  if (BRIEFING.test(type) || BRIEFING.test(meeting.title)) return 'briefing';
  const stage = CONSENT.test(type) ? 'final_action' : stageOfWords(type);
  return stage === 'final_action' && OTHER_PAPERS.test(type) ? null : stage;
}

/** Returns the stage that an item is listed for: by its words, then by its action, then by its kind at the source. */
function listedStage(subject: ClassificationSubject, proposed: string | null): Stage {
  const { item, body } = subject;
  const type = item.matterType ?? '';
  const actions = (item.actions ?? [{ text: item.actionText }]).flatMap(({ text }) => text ?? []);
  const isDecided = item.outcome === 'approved' || item.outcome === 'denied';
  if (/\bfinal adoption\b/i.test(type)) return 'final_reading';
  if (!isDecided && actions.some((text) => HEARD.test(text))) return 'public_hearing';
  const stated =
    stageOfWords(item.title) ?? (proposed === null ? null : stageOfWords(proposed)) ?? stageOfKind(subject);
  if (stated !== null && !DECIDING.has(stated) && stated !== 'unknown') return stated;
  // A body that only recommends takes no final action. Its outcome is a recommendation; the record says no more.
  if (body.actingBodyRole === 'recommending') return isDecided ? 'recommendation' : 'unknown';
  return stated ?? (isDecided && body.actingBodyRole === 'final_decision_maker' ? 'final_action' : 'unknown');
}

/** Returns the stage of the item as far as it was reached. */
function reachedStage(listed: Stage, standing: Standing, role: Context['actingBodyRole']): Stage {
  const meaning = meaningOfStanding(standing);
  if (NOT_REACHED.has(meaning) || (PUT_OFF.has(meaning) && DECIDING.has(listed))) return 'unknown';
  // A body with the power to decide has decided at the hearing, so the hearing is over. That a recommendation was
  // followed is a decision, either way.
  const isDecided = DECIDED.has(standing.kind) || (standing.kind === 'handled' && meaning === 'decided');
  return isDecided && listed === 'public_hearing' && role === 'final_decision_maker' ? 'final_action' : listed;
}

/** Returns the procedure as the records state it: `unknown` or null without a statement, or where the item ended before. */
export function proceduralContext(
  subject: ClassificationSubject,
  standing: Standing,
  proposed: string | null,
): Context {
  const { item, body, today = '' } = subject;
  const texts = [item.title, item.text, item.actionText].filter((text) => text !== null);
  const stage = listedStage(subject, proposed);
  const hasNext = !NOT_REACHED.has(meaningOfStanding(standing)) && standing.kind !== 'postponed';
  const next = hasNext ? nextStepOf(texts, meetingDay(subject), today) : { nextBodyName: null, nextMeetingDate: null };
  return {
    proceduralStage: reachedStage(stage, standing, body.actingBodyRole),
    actingBodyRole: body.actingBodyRole,
    ...next,
    ...participationOf(subject, texts, { standing, stage, hearing: next.nextMeetingDate }),
  };
}
