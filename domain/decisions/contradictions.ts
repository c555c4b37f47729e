import { anyPhrase, anyWord, pattern } from '../text/patterns.ts';
const FAILURES = anyPhrase(String.raw`
  fail\w*, lost, loses, defeated, died, dies, ti(?:e|ed), deadlocked, disapproved, declined,
  approval was denied, (?:not|n[’']t) (?:pass|carry|prevail|approve)\w*
`);
/** A failed vote: a tally with more votes against than for does not contradict it. */
const FAILED = new RegExp(String.raw`\b${FAILURES}\b`, 'i');
/** Words before the number of a paper, a place or a day: "item 3-4". */
const NUMBERED = anyWord(`
  no nos to on until till for from item items case chapter section sections article district ward zone lot lots ordinance resolution bill file
  phases? pages? parcels? grades? pud
`);
const UNITS = anyWord('days? weeks? months? years? hours? acres? units? famil stor');
const NOT_NUMBERED = String.raw`(?<![\w$.,/–-]|\b${NUMBERED}[. ]{1,2})`;
const WITH_DASH = String.raw`${NOT_NUMBERED}(\d{1,2})[-–](\d{1,2})(?![\w/]|[-–]\d{2}|[ -]${UNITS})`;
const WITH_TO = String.raw`(?:\bvoted? (?:of )?|[[(])(\d{1,2}) to (\d{1,2})\b`;
/** "3-4", "vote of 2 to 5", "[2 to 5]"; not the number of a paper, a date, or a length of time. */
const TALLY = new RegExp(`${WITH_DASH}|${WITH_TO}`, 'gi');
const COUNTS = String.raw`\d{1,2}[-–]\d{1,2}(?:[-–]\d{1,2})?`;
/** "7-0 against", whose first number counts the votes against. */
const AGAINST = new RegExp(String.raw`\b${COUNTS},? (?:vote )?(?:against|opposed|in opposition)\b`, 'i');
const SIDE_FIRST =
  '(?:(?<ayes>ayes?|yeas?|yes|in favor|for(?=:))|(?<nays>nays?|noes|against|opposed|no(?=:)))' +
  String.raw`[\s:(=–-]{1,3}(?<count>\d{1,2})\b(?![-–/.]\d)`;
const NAY_VOTES = '(?<nayVotes>nays?|noes|nos?|against|opposed|in opposition)';
const AYE_VOTES = '(?<ayeVotes>ayes?|yeas?|yes|in favor|for(?=[,;.)]| and|$)|votes?)';
const COUNT_FIRST = String.raw`(?<![\w–-])(?<before>\d{1,2})[ -](?:votes? )?(?:${NAY_VOTES}|${AYE_VOTES})`;
/** "Ayes: 2", "5 against"; not "No. 5". */
const SIDES = new RegExp(String.raw`\b${SIDE_FIRST}|${COUNT_FIRST}\b`, 'gi');
const PUT_OFF = anyWord('tabled continued postponed deferred denied');
const MATTER = anyWord('motion item matter request ordinance resolution');
const TAKEN = anyWord('taken brought removed considered reconsidered revisited');
/** "tabled motion was taken". */
const TAKEN_UP = String.raw`${PUT_OFF} ${MATTER} (?:was|were) ${TAKEN}\b`;
const BOTH_FAILED = String.raw`\bboth (?:\w+ )?(?:fail|lost|died|(?:were )?defeated)`;
const DECIDE = anyWord('approv adopt den[yi] reject grant continu tabl defer withdr');
const RATHER_THAN = String.raw`\b(?:rather than|instead of)(?: to)? ${DECIDE}`;
/**
 * "Approve? No.", "resolved, that no permit be issued", "adopt a moratorium rather than approve", "the tabled motion
 * was taken up".
 */
const OPPOSITE = pattern(
  'i',
  String.raw`\b${TAKEN_UP}|\?\s*no\b|\b(?:resolved|moved|ordered|motion),? that no\b|\bneither\b|`,
  `${BOTH_FAILED}|${RATHER_THAN}`,
);

const TALLIED = String.raw`ayes?\b|yeas?\b|yes\b|nays?\b|noes\b|no:`;
/** Does not match in "Vote: 5. Ayes: 2" and "5 for; 2 against". */
const SENTENCE_END = pattern(
  'i',
  String.raw`(?<!\bno)\.\s+(?!${TALLIED})|\.$|\n|;\s(?!\d{1,2} (?:against|nay|no|oppos))`,
);

/** Votes for and against are two numbers. Most sentences of a long text have fewer. */
const TWO_NUMBERS = /\d\D+\d/;

function hasMoreAgainst(sentence: string): boolean {
  if (!TWO_NUMBERS.test(sentence)) return false;
  const tallies = [...sentence.matchAll(TALLY)].some(
    ([, ayes, nays, ayesTo, naysTo]) => Number(ayes ?? ayesTo) < Number(nays ?? naysTo),
  );
  let [ayes, nays] = [-1, -1];
  for (const { groups = {} } of sentence.matchAll(SIDES)) {
    const count = Number(groups['count'] ?? groups['before']);
    if ((groups['ayes'] ?? groups['ayeVotes']) === undefined) nays = Math.max(nays, count);
    else ayes = Math.max(ayes, count);
  }
  return tallies || (ayes >= 0 && nays > ayes);
}

/**
 * Returns true if a text has more votes against than for without a failure, or words that reverse the verbs around
 * them.
 */
export function isContradictory(text: string): boolean {
  if (OPPOSITE.test(text) || AGAINST.test(text)) return true;
  return text.split(SENTENCE_END).some((sentence) => !FAILED.test(sentence) && hasMoreAgainst(sentence));
}
