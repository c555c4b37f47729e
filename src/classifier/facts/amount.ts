const SUM = String.raw`\$\s?\d+(?:,\d{3})*(?:\.\d{1,2})?(?:\s(?:million|billion))?`;
const ANY = new RegExp(SUM, 'g');
/** Fines and fees of an ordinance are not what the item costs. */
const PENALTY = new RegExp(String.raw`\b(?:penalty|fine|publication fee)[^$;]{0,30}${SUM}|${SUM} ordinance publication fee`, 'gi');
/** The label behind the last dash of a title: "- Not to exceed $1.00", "- Estimated Revenue: General Fund $1.00". */
const CLOSING = new RegExp(
  String.raw`[-–—]\s?((?:(?:total|estimated|annual|amount|of)\s)*(?:not to exceed|amount of|cost of|amount|cost)\s${SUM}|(?:estimated )?(?:annual )?revenue:[^$;]{0,60}${SUM})`,
  'gi',
);
const TOTAL = new RegExp(String.raw`\b(?:total|combined)(?: \w+){0,3} (?:amount|cost|value)(?: of| up to| not to exceed|:)* ${SUM}`, 'i');
/** What a private party is to spend in return is not what the item costs, so its words are kept. */
const INVESTMENT = new RegExp(String.raw`\b(?:cost|investment|value) of at least ${SUM}`, 'i');
const LABELLED = new RegExp(String.raw`\b(?:amounts? (?:of|up to|not to exceed|of up to)|not to exceed) ${SUM}`, 'i');

const sums = (text: string): string[] => [...text.matchAll(ANY)].map((match) => match[0]);

/**
 * The amount of money that the text gives for the whole, in its own words: what stands behind the title's closing label, or a stated total, or
 * the only amount. Of several without a total the first labelled one, marked as one among others.
 */
export function statedAmount(text: string): string | null {
  const priced = text.replace(PENALTY, '');
  const closing = [...priced.matchAll(CLOSING)].at(-1)?.[1];
  if (closing !== undefined) return closing.replace(/\((?=\$)/, '');
  const total = TOTAL.exec(priced)?.[0];
  if (total !== undefined) return total;
  const investment = INVESTMENT.exec(priced)?.[0];
  if (investment !== undefined) return investment;
  const all = new Set(sums(priced));
  if (all.size < 2) return [...all][0] ?? null;
  const labelled = sums(LABELLED.exec(priced)?.[0] ?? '')[0];
  return labelled === undefined ? null : `${labelled} among others`;
}
