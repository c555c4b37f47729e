import type { RecordData } from '../../domain/records/resources.ts';

/** The recommending body before an action, and the number of an ordinance. */
const BEFORE = /^As recommended by [^:;]{1,160}?\d{4}[,:]\s*|^(?:ord|res)(?:inance|olution)?\.? no\.? [\d-]+ - /i;
const VERB = '(?:accept|adopt|approv|authoriz|award|consider|conduct|deny|direct|hold|introduc)';
const PROPOSES = new RegExp(
  String.raw`^(?:\([a1]\)\s*)?(?:${VERB}(?!\w*ed\b)|report on bids|an? (?:ordinance|resolution)\b)`,
  'i',
);

/** Returns the proposed action, which some sources put into the field of the decision; null for any other text. */
export function proposedAction({ actionText }: Pick<RecordData<'agenda_items'>, 'actionText'>): string | null {
  const words = actionText?.replace(BEFORE, '') ?? '';
  return PROPOSES.test(words) ? words.replace(/\s+/g, ' ') : null;
}
