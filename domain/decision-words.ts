/** What the words of a source say that was done with an item. */
export type Decision =
  | 'approved'
  | 'denied'
  | 'no_action'
  | 'filed'
  | 'deferred'
  | 'referred'
  | 'withdrawn'
  | 'deleted'
  | 'decided'
  | 'hearing_closed'
  | 'hearing_held';

/** What a text may say at most once; each word of another one makes it say two things. */
const CONTRARY: readonly (readonly [RegExp, Decision])[] = [
  [/\b(?:delet(?:e|ed|ion)|removed from|dropped)\b|^drop$/i, 'deleted'],
  [/\bwithdr(?:awn|awal|ew)\b/i, 'withdrawn'],
  [/\b(?:defer(?:red|ral)?|laid over|held under advisement|postpone(?:d|ment)?|continued?|continuance|tabled)\b/i, 'deferred'],
  [/\b(?:disapprov(?:ed?|al)|denied|deny|denial|reject(?:ed|ion)?|failed)\b/i, 'denied'],
  [/\b(?:approved(?! as to\b| for (?:introduction|referral)\b)|adopted|passed(?! to\b)|enacted|closed and adopt)\b/i, 'approved'],
];
/** Beside the others these add no decision. The first that fits. */
const FURTHER: readonly (readonly [RegExp, Decision])[] = [
  [/\b(?:remanded|referred|committed) (?:back )?to\b|\b(?:remanded|referred)$/i, 'referred'],
  [/\bno action\b/i, 'no_action'],
  [/\bfiled\b/i, 'filed'],
  [/\brecommendation followed\b/i, 'decided'],
  [/\bhearing closed\b/i, 'hearing_closed'],
  [/\bhearing (?:held|on p-c item)\b/i, 'hearing_held'],
];
const REFERRED = /^(?:remanded|referred|committed) (?:back )?to\b/i;
/** "CPC recommendation to deny followed". */
const DENIAL_FOLLOWED = /\bdeny followed\b/i;
/** The end of a motion behind what was moved. */
const RESULT = /\W*\bthe motion (?:(?<failed>failed|did not (?:carry|pass))|carried|passed|prevailed)\b.*$/is;

/**
 * A text on what was done: the past tense near its beginning, with no object of its own behind it but the item's form. Other sources put what is
 * proposed into the same field. "P-C" is a preconsidered item.
 */
const DONE =
  /^(?:(?:this|the) (?!motion\b)[\w' ]{2,40} was |a motion was made .{0,90}\bbe )?(?:p-c item )?((?:hearing|corrected|approved|adopted|passed|enacted|disapproved|denied|rejected|failed|filed|deferred|laid over|continued|held|withdrawn|deleted|amended|amendment proposed|referred|remanded|tabled|no action)\b(?:(?<=hearing|no action)|(?= ?[^\w\s]| ?$| (?:and|as|at|back|by|due|for|from|in|indefinitely|on|over|per|subject|to|unanimously|under|until|with|without|items?|ordinance|resolution|consent|motion|staff|recommendation|denial)\b)).{0,90}?)(?: approved by .*|\.)?$/is;
/** Words on an earlier act, on that of the voters, or on what is to be done: the text is no action of its meeting. */
const OTHER_ACT =
  /\b(?:in|on|from|since|of) (?:\p{L}+\.? )?(?:\d{1,2},? )?(?:19|20)\d\d\b|\b(?:previously|earlier|voters)\b|[.;:,] (?:staff |now |to )?(?:accept|adopt|amend|approve|authorize|award|consider|deny|ratify|receive|recommends?)\b/iu;

/** The words of a text that say what was done; null where it states something else, such as a proposal or its history. */
export function doneIn(text: string | null | undefined): string | null {
  const done = DONE.exec(text ?? '')?.[1] ?? null;
  return done === null || OTHER_ACT.test(done) ? null : done;
}

const fitting = (list: typeof FURTHER, words: string) => list.filter(([pattern]) => pattern.test(words)).map(([, decision]) => decision);

/** Characters that are read: longer texts are no decision alone. */
const MAX_WORDS = 1_000;

/**
 * The decision that such words name; null for others, such as "Held" or "Amended", and for words that say two things. A motion that failed
 * decides nothing, unless it was the one to approve.
 */
export function decisionIn(said: string, hasFailed = false): Decision | null {
  const words = said.slice(0, MAX_WORDS);
  const failed = RESULT.exec(words)?.groups?.['failed'] !== undefined || (hasFailed && !/^failed\b/i.test(words));
  const moved = words.replace(RESULT, '');
  const decision = REFERRED.test(moved) ? 'referred' : DENIAL_FOLLOWED.test(moved) ? 'denied' : oneOf(moved);
  if (!failed) return decision;
  return decision === 'approved' ? 'denied' : null;
}

function oneOf(words: string): Decision | null {
  const [decision, contrary] = fitting(CONTRARY, words);
  return contrary === undefined ? (decision ?? fitting(FURTHER, words)[0] ?? null) : null;
}
