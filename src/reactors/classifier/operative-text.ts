/** Stands where a text was blanked out: no pattern of the classifier takes it for a letter, a digit or white space. */
export const BLANK = '\u0001';

/** Clauses that say how an item is paid for, how it came here or what others advise, not what it is about. */
const ASIDES = [
  /\bFinancing:.*?(?=\bNote:|\bRecommendation of\b|\n|$)/g,
  /\bNote:.*?(?=\n|$)/gi,
  /\bRecommendation of [A-Z].*?(?=\n|$)/g,
  /\(Recommended for (?:Approval|Denial)[^()]*\)/gi,
  /\([Tt]his item was (?:deferred|held|postponed|continued)[^()]*\)/g,
  /\bin the (?:[A-Z\d][^\s;,()]*(?: |, | & )(?:and |of |for )?){1,12}Funds?\b/g,
  /\(?\b\d{4} (?:and \d{4} )?(?:General Obligation )?Bond (?:Program Project|Program\)|Funds?)/g,
  /\(see Fiscal Information\)/gi,
  /\(subject to annual appropriations\)/gi,
];

/**
 * The text with its asides blanked out, character for character: a place in the result is the same place in the source. What
 * is left says what is to be decided.
 */
export const operativeText = (text: string): string =>
  ASIDES.reduce((rest, aside) => rest.replace(aside, (clause) => BLANK.repeat(clause.length)), text);
