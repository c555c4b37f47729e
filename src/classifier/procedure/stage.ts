import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';

type Stage = NormalizedContent<'agenda_hits'>['proceduralContext']['proceduralStage'];

const CALLS_HEARING =
  /^.{0,60}\b(?:authorize|call|set|schedule|order)(?:s|ing)?(?: \(\d\))?(?: (?:a|the|and establish)?)? ?public hearings? (?:to be held|on|for|to)|\bpublic hearings? to be held on\b/i;
const HEARING =
  /^(?:conduct |hold |open )?(?:a )?(?:joint )?public hearing\b|\bconduct (?:a )?public hearing\b|\breceive (?:public )?comments\b/i;
const HEARING_TYPE = /\bhearing/i;
const FIRST_READING = /\b(?:first|1st) reading\b/i;
const FINAL_READING = /\b(?:second|third|final|2nd|3rd) (?:and final )?reading\b/i;
const BRIEFING = /\bbriefing|\bwork ?session|\binformal report|\bpresentation\b/i;
const ACTION =
  /^(?:authorize|adopt|approve|ratify|accept|award|deny|an? ordinance|an? resolution|consider(?:ation)?\b|appoint|waive|cancel|terminate|amend|execute|board appointment|discussion and (?:possible )?action)/i;
const PREFIX = /^(?:\([^)]{2,40}\)\s*|sample:\s*)+/i;

/**
 * How far along an item is, by its words, the source's type of it and whether the body decides or recommends: readings first, then
 * the call of a hearing, the hearing, a briefing, and last an action, which is a recommendation where the body only recommends.
 */
export function proceduralStage({ item, meeting, body }: ClassificationSubject): Stage {
  const words = item.title.replace(PREFIX, '');
  const type = item.matterType ?? '';
  if (FINAL_READING.test(words)) return 'final_reading';
  if (FIRST_READING.test(words)) return 'first_reading';
  if (CALLS_HEARING.test(words)) return 'notice';
  if (HEARING.test(words) || HEARING_TYPE.test(type)) return 'public_hearing';
  if (BRIEFING.test(type) || BRIEFING.test(meeting.title)) return 'briefing';
  if (body.actingBodyRole === 'recommending') return 'recommendation';
  const acts = ACTION.test(words) || item.outcome !== null || /\bzoning case|\bcontract|\bconsent\b|\bordinance|\bresolution/i.test(type);
  return acts && body.actingBodyRole === 'final_decision_maker' ? 'final_action' : 'unknown';
}
