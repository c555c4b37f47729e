import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { anyOf, anyPhrase, anyWord, pattern } from '../../../domain/text/patterns.ts';
import { titleWords, wordSet } from '../../../domain/text/words.ts';

export type Stage = NormalizedContent<'agenda_hits'>['proceduralContext']['proceduralStage'];

/** Numbers of words at the beginning of a title that name what is to be done. */
const OPENING_WORDS = 16;
const FIRST_WORDS = 6;
/** Length of that beginning in UTF-16 code units. */
const OPENING_LENGTH = 140;

/** "First reading", "2nd and final reading", "first of three readings"; not the heading "SECOND READINGS". */
const READING = pattern(
  'gi',
  String.raw`\b(first|1st|second|2nd|third|3rd|final)(?: (?:and|&) (final|last))?`,
  String.raw`(?: of (?:two|2)| (of) \w+)? reading(?:s(?<= of \S+ readings))?\b`,
);
const PAST = /^ (?:was |were )?(?:held|approved|passed|on \w+ \d)/i;
const WAIVED = /\b(?:waiv|suspend|dispens)\w*(?: \S+){0,4} $/i;

/** Returns the stage of the reading that the words name first; `unknown` for a second one of three, or one in the past. */
function readingOf(text: string): Stage | null {
  const [first, ...further] = [...text.matchAll(READING)].filter(
    ({ index }) => !WAIVED.test(text.slice(Math.max(0, index - 60), index)),
  );
  if (first === undefined) return null;
  if (PAST.test(text.slice(first.index + first[0].length))) return 'unknown';
  if (first[2] !== undefined) return 'final_reading';
  if (/^(?:first|1st)/i.test(first[0])) return 'first_reading';
  const isMiddle = /^(?:second|2nd)/i.test(first[0]) && (first[3] !== undefined || further.length > 0);
  return isMiddle ? 'unknown' : 'final_reading';
}

const HEARING = '(?:public )?hearings?';
const CALLS = new RegExp(
  String.raw`\b(?:call|set|schedul|order|announc|fix)(?:e|es|s|ing|ting)?\b(?: [\w()]+){0,5} ${HEARING}\b`,
  'i',
);
const TO_BE_HELD = new RegExp(
  String.raw`\b${HEARING}\b[^.;]{0,120}? (?:to be|will be|shall be) (?:held|scheduled|heard)\b`,
  'i',
);
const NOTICE = /\bnotices? of (?:public hearing|intent)/i;
const HELD = anyOf(
  String.raw`\bpublic hearings?\b(?! (?:procedures?|process|notices?|officer))`,
  String.raw`\b(?:conduct|hold|open|continue)\w* (?:an? |the )?(?:joint )?hearing\b`,
  String.raw`^hearing (?:on|regarding|to)\b`,
  String.raw`\breceive (?:public |citizen )?(?:comment|input|testimony)`,
);
const OVER = String.raw`(?<!\b(?:no|after|following|without|closed?|since) (?:an? |the )?)`;
const HEARS = new RegExp(OVER + HELD, 'i');
const ENDS_IN_HEARING = /[-–—:(] ?public hearing\W*$/i;

/** Returns the stage of a hearing that the words call or hold. */
function hearingOf(text: string): Stage | null {
  const opening = text.slice(0, OPENING_LENGTH);
  if (CALLS.test(opening) || TO_BE_HELD.test(opening) || NOTICE.test(opening)) return 'notice';
  return HEARS.test(opening) || ENDS_IN_HEARING.test(text) ? 'public_hearing' : null;
}

const RECOMMENDS = new RegExp(
  String.raw`^\W*recommend|\brecommend\w* (?:\S+ ){0,3}?to (?:the )?(?:\w+ )?${anyWord('council commission board mayor court')}\b`,
  'i',
);
const ACTS = new RegExp(
  String.raw`\b${anyPhrase('possible action, appropriate action, necessary action, take action, take any action, act on, act upon, for approval, request for award, ordinance adoption, resolution adoption')}\b`,
  'i',
);
const BY_ORDINANCE = /\((?:ordinance|resolution) [\w.-]*\d[\w.-]*\)\W*$/i;

/** A closed session is listed with all that it may be about. */
const CLOSED = pattern(
  'i',
  String.raw`^.{0,60}\b${anyPhrase('deliberate\\b, deliberation\\b, consultation with, executive session, closed session')}|`,
  String.raw`\b551\.0\d|^\W*§`,
);

/** Verbs of a decision: at the beginning, or joined to what comes first, "Discuss and consider". */
const DECIDES = wordSet('act approve accept adopt authorize award consider consideration deny ratify');
const OPENS = wordSet(`
  amend appoint confirm declare designate direct establish execute extend reappoint reject renew repeal rescind terminate vacate waive
  approval adoption acceptance authorization ratification appointment appointments reappointment
`);
const JOINS = wordSet('and or to');
/** Papers by which a body decides. One of the first words names it. */
const PAPERS = wordSet('ordinance ordinances resolution resolutions motion agreement agreements contract contracts');
/** First words of a paper that has several readings. */
const BILLS = wordSet('bill bills');
const INFORMS = wordSet(
  'report reports update updates presentation presentations briefing briefings discussion discuss workshop overview',
);
/** "Update the fees", "update of the code": a change. */
const CHANGED = wordSet('to the of');
const RECEIVES = wordSet('receive hear');
const LAST = /\b(?:report|update|presentation|briefing|overview)\W*(?:\([^()]{0,40}\))?\W*$/i;

/** Returns true for words that begin with information: "Update on", "Receive a report". */
function informs([first = '', second = '', ...further]: readonly string[]): boolean {
  if (RECEIVES.has(first)) return [second, ...further].slice(0, 9).some((word) => INFORMS.has(word));
  return INFORMS.has(first) && !(first.startsWith('update') && CHANGED.has(second));
}

/** Returns true if words begin with a decision, or join one to what comes first. */
const isDecision = (words: readonly string[]): boolean =>
  OPENS.has(words[0] ?? '') || words.some((word, at) => DECIDES.has(word) && (at === 0 || JOINS.has(words[at - 1]!)));

/**
 * Returns the stage that the words of a title, of a proposed action or of a type name; null if they name none. Words
 * on how far a matter has come go before words on what is to be done.
 */
export function stageOfWords(text: string): Stage | null {
  const opening = text.slice(0, OPENING_LENGTH);
  if (CLOSED.test(text)) return null;
  const stage = readingOf(text) ?? hearingOf(text);
  if (stage !== null) return stage;
  if (RECOMMENDS.test(opening)) return 'recommendation';
  const words = titleWords(opening)
    .filter((word) => !/^\d/.test(word))
    .slice(0, OPENING_WORDS);
  if (ACTS.test(text) || BY_ORDINANCE.test(text) || isDecision(words)) return 'final_action';
  if (informs(words)) return 'briefing';
  const first = words.slice(0, FIRST_WORDS);
  const isPaper = first.some((word) => PAPERS.has(word));
  // A bill may have any reading; "contract" beside "report" is what the report is about.
  if (isPaper && (BILLS.has(first[0]!) || first.some((word) => INFORMS.has(word)))) return null;
  if (isPaper) return 'final_action';
  return LAST.test(text) || first.some((_, at) => informs(words.slice(at))) ? 'briefing' : null;
}
