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

/** The first that fits. */
const DECISIONS: readonly (readonly [RegExp, Decision])[] = [
  [/\b(?:deleted|removed from|dropped)\b|^drop$/i, 'deleted'],
  [/\bwithdrawn\b/i, 'withdrawn'],
  [/^(?:remanded|referred|committed) (?:back )?to\b/i, 'referred'],
  [/\b(?:deferred|deferral|laid over|held under advisement|postponed|continued|tabled)\b/i, 'deferred'],
  [/\b(?:disapproved|denied|rejected|failed|deny followed)\b/i, 'denied'],
  [/\b(?:approved|adopted|passed(?! to\b)|enacted|closed and adopt)\b/i, 'approved'],
  [/\b(?:remanded|referred|committed) (?:back )?to\b|\b(?:remanded|referred)$/i, 'referred'],
  [/\bno action\b/i, 'no_action'],
  [/\bfiled\b/i, 'filed'],
  [/\brecommendation followed\b/i, 'decided'],
  [/\bhearing closed\b/i, 'hearing_closed'],
  [/\bhearing (?:held|on p-c item)\b/i, 'hearing_held'],
];

/**
 * A text on what was done: the past tense near its beginning. Other sources put what is proposed into the same field. "P-C" is a
 * preconsidered item.
 */
const DONE =
  /^(?:(?:this|the) [\w' ]{2,40} was |a motion was made .{0,90}\bbe )?(?:p-c item )?((?:hearing|corrected|approved|adopted|passed|enacted|disapproved|denied|rejected|failed|filed|deferred|laid over|continued|held|withdrawn|deleted|amended|amendment proposed|referred|remanded|tabled|no action)\b.{0,90}?)(?: approved by .*|\.)?$/is;

/** The words of a text that say what was done; null where it states something else, such as a proposal. */
export const doneIn = (text: string | null | undefined): string | null => DONE.exec(text ?? '')?.[1] ?? null;

/** The decision that such words name; null for others, such as "Held" or "Amended". */
export const decisionIn = (words: string): Decision | null => DECISIONS.find(([pattern]) => pattern.test(words))?.[1] ?? null;
