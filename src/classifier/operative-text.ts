/** Replaces each blanked character; matches no letter, digit or white space in the classifier's patterns. */
export const BLANK = '\u0001';

/** Clauses on financing, earlier handling and recommendations, which do not state the subject of an item. */
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
 * The text with its asides blanked out, character by character, so that offsets stay the same. The rest states what is to be
 * decided.
 */
export const operativeText = (text: string): string =>
  ASIDES.reduce((rest, aside) => rest.replace(aside, (clause) => BLANK.repeat(clause.length)), text);
