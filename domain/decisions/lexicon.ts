/** Acts on an item or on an earlier act. */
export type Act =
  | 'approved'
  | 'denied'
  | 'deferred'
  | 'withdrawn'
  | 'deleted'
  | 'referred'
  | 'filed'
  | 'no_action'
  | 'hearing_held'
  | 'hearing_closed'
  /** Agrees with what others recommend or decided. */
  | 'agreed'
  /** Undoes or opposes what others decided. */
  | 'reversed'
  | 'reconsidered'
  /** Decides nothing on the item: "amend", "close the hearing". */
  | 'procedural';

/** "Approve", "approved", "approval". */
export type Form = 'base' | 'past' | 'noun';

export type Kind =
  /** A motion begins. */
  | 'motion'
  | 'carried'
  | 'failed'
  | 'not'
  /** Introduces an act that others advise or request. */
  | 'report'
  /** An earlier act follows. */
  | 'history'
  /** Introduces a condition. */
  | 'condition'
  /** The advice or decision of others. */
  | 'advice'
  /** A person or body that does not decide on the item. */
  | 'outsider'
  /** Those who decide. */
  | 'body'
  /** The item, by one of its names. */
  | 'item'
  /** Another thing on which a body votes too. */
  | 'side_issue'
  | 'appeal'
  /** Less than the whole item. */
  | 'part'
  | 'vote';

interface Meaning {
  readonly kind: Kind | 'act';
  readonly act?: Act;
  readonly form?: Form;
}

/** Words and phrases of one meaning, separated by bars. */
const ACTS: readonly (readonly [Act, Form, string])[] = [
  ['approved', 'base', 'approve|adopt|enact|authorize|authorise|ratify|confirm|award|grant|pass'],
  ['approved', 'past', 'approved|adopted|enacted|authorized|authorised|ratified|confirmed|awarded|granted|passed'],
  ['approved', 'past', 'approves|adopts|enacts|authorizes|ratifies|confirms'],
  ['approved', 'noun', 'approval|adoption|enactment|authorization|ratification|passage|confirmation'],
  ['approved', 'noun', 'approving|adopting|enacting|authorizing|ratifying|granting|confirming'],
  ['denied', 'base', 'deny|disapprove|disallow|reject|turn down|vote down'],
  ['denied', 'past', 'denied|disapproved|disallowed|rejected|turned down|voted down|denies|disapproves|rejects'],
  ['denied', 'past', 'declined to approve|declined to adopt|refused to approve|refused to adopt'],
  ['denied', 'noun', 'denial|disapproval|rejection|denying|disapproving|rejecting|refusing'],
  ['deferred', 'base', 'continue|defer|postpone|table|lay over|hold over|carry over|lay on the table|put off'],
  [
    'deferred',
    'base',
    'hold it over|hold the item over|hold the matter over|lay it over|lay the item over|lay the matter over',
  ],
  ['deferred', 'base', 'hold under advisement|take under advisement|hold in committee'],
  ['deferred', 'past', 'continued|deferred|postponed|tabled|laid over|carried over|laid on the table|put off'],
  [
    'deferred',
    'past',
    'held under advisement|taken under advisement|held in committee|held over|held to|held until|put over|passed until|trailed|rescheduled',
  ],
  ['deferred', 'noun', 'continuance|deferral|deferment|postponement|tabling|layover|continuing|deferring|postponing'],
  ['withdrawn', 'base', 'withdraw'],
  ['withdrawn', 'past', 'withdrawn|withdrew|pulled by applicant|pulled by the applicant'],
  ['withdrawn', 'past', 'pulled by petitioner|pulled by the petitioner|pulled by the owner|pulled by the developer'],
  ['withdrawn', 'noun', 'withdrawal|withdrawing'],
  ['deleted', 'base', 'delete|strike'],
  ['deleted', 'past', 'deleted|removed from|dropped|drop|stricken|pulled from|pulled'],
  ['deleted', 'noun', 'deletion'],
  ['referred', 'base', 'refer|remand|recommit|send back|return to staff|return to committee'],
  ['referred', 'past', 'referred|remanded|recommitted|sent back|returned to|sent to|committed to|committed back to'],
  ['referred', 'noun', 'referral'],
  ['filed', 'base', 'receive and file|accept and file|note and file|receive and place on file|place on file|file'],
  [
    'filed',
    'past',
    'received and filed|accepted and filed|noted and filed|received and placed on file|placed on file|filed',
  ],
  ['no_action', 'past', 'no action|no motion|no motions|no vote was taken|no further action'],
  ['no_action', 'past', 'lack of a motion|lack of motion|want of a motion|want of motion'],
  ['hearing_held', 'past', 'hearing held|hearing was held|hearing on p-c item'],
  ['hearing_closed', 'past', 'hearing closed|hearing was closed'],
  ['agreed', 'base', 'concur|accept|follow|uphold|affirm|sustain|endorse|agree'],
  [
    'agreed',
    'past',
    'concurred|accepted|followed|upheld|affirmed|sustained|endorsed|agreed|concurs|upholds|affirms|accepts',
  ],
  ['reversed', 'base', 'dismiss|overturn|overrule|override|reverse|rescind|repeal|vacate|veto|oppose'],
  [
    'reversed',
    'past',
    'dismissed|refused|overturned|overruled|overridden|overrode|reversed|rescinded|repealed|vacated|vetoed|opposed',
  ],
  ['reversed', 'noun', 'dismissal|reversal|rescission|overturning|reversing|rescinding'],
  ['reconsidered', 'base', 'reconsider'],
  ['reconsidered', 'past', 'reconsidered'],
  ['reconsidered', 'noun', 'reconsideration'],
  [
    'procedural',
    'base',
    'amend|close|open|waive|introduce|set|call|direct|instruct|suspend|recommend|schedule|hold|discuss|consider',
  ],
  [
    'procedural',
    'base',
    'initiate|forward|advance|extend|appoint|recess|adjourn|enter|convene|excuse|divide|limit|hear|request',
  ],
  [
    'procedural',
    'base',
    'take from the table|remove from the table|take off the table|remove from consent|remove from the consent',
  ],
  ['procedural', 'base', 'pass to council|pass to city council|pass to full council|pass to committee|pass to the'],
  ['procedural', 'past', 'passed to|passed on to|passed over|passed away|passed for the day|passed for lack'],
  [
    'procedural',
    'past',
    'amended|closed|opened|waived|introduced|forwarded|removed from the table|taken from the table',
  ],
  ['procedural', 'past', 'removed from consent|removed from the consent|pulled from consent|pulled from the consent'],
  ['procedural', 'past', 'withdrawn from consent|withdrawn from the consent'],
];

const OTHERS: readonly (readonly [Kind, string])[] = [
  ['motion', 'motion|motions|motioned|moved|moves|mtn|mvd'],
  [
    'carried',
    'carried|carries|prevailed|prevails|succeeded|passes|so ordered|unanimous|unanimously|all in favor|without objection',
  ],
  ['failed', 'failed|fails|fail|lost|loses|died|dies|die|tie|tied|deadlocked|defeated'],
  ['failed', 'not pass|not carry|not prevail|not receive|not get|didn’t pass|didn’t carry|unable to pass'],
  ['failed', 'no second|lack of a second|lack of second|want of a second|for lack of second'],
  ['not', 'not|cannot|never|didn’t|doesn’t|wasn’t'],
  ['report', 'recommended|recommends|recommending|requested|requests|requesting|asked|asks|asking|proposed|proposes'],
  ['report', 'suggested|suggests|urged|spoke|stated|explained|favored|argued|wished|wanted|preferred|voted against'],
  ['history', 'previously|earlier|formerly|originally|initially|had been|has been|voters'],
  ['condition', 'if|unless|whether|would|could|might'],
  ['advice', 'recommendation|recommendations|decision|determination|findings|finding'],
  [
    'outsider',
    'staff|planning|zoning|examiner|officer|manager|director|attorney|applicant|petitioner|voters|legislature|department',
  ],
  ['outsider', 'residents|neighbors|opponents|developer|owner|staff’s|applicant’s|petitioner’s|p&z'],
  [
    'body',
    'council|board|commission|committee|subcommittee|court|commissioners|supervisors|trustees|members|body|it|they',
  ],
  [
    'item',
    'item|items|matter|case|request|application|petition|proposal|ordinance|resolution|bill|order|legislation|rezoning',
  ],
  [
    'item',
    'permit|variance|plat|plan|contract|agreement|measure|hearing|license|claim|introduction|oversight|case|file',
  ],
  [
    'side_issue',
    'amendment|amendments|bid|bids|quotes|offers|proposals|waiver|protest|substitute|objection|objections',
  ],
  ['side_issue', 'opposition|rehearing'],
  ['appeal', 'appeal|appeals'],
  [
    'part',
    'except|exception of|exceptions of|excluding|excepting|minus|partial|partially|in part|portion|portions|as to form|for introduction|for referral',
  ],
  // Adopting such a report might deny the item.
  [
    'part',
    'unfavorable report|adverse report|negative report|unfavorable recommendation|adverse recommendation|negative recommendation',
  ],
  ['vote', 'vote|voted|votes|roll call'],
];

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...ACTS.flatMap(([act, form, words]) =>
    words.split('|').map((word): [string, Meaning] => [word, { kind: 'act', act, form }]),
  ),
  ...OTHERS.flatMap(([kind, words]) => words.split('|').map((word): [string, Meaning] => [word, { kind }])),
]);

/** Number of words of the longest phrase that begins with a word. */
const LONGEST = new Map<string, number>();
for (const phrase of MEANINGS.keys()) {
  const words = phrase.split(' ');
  LONGEST.set(words[0]!, Math.max(words.length, LONGEST.get(words[0]!) ?? 0));
}

/**
 * The meaning of the longest phrase that begins at an index, with the number of its words; null for a word without one.
 */
export function phraseAt(
  words: readonly string[],
  start: number,
): { readonly meaning: Meaning; readonly length: number } | null {
  for (let length = LONGEST.get(words[start]!) ?? 0; length > 0; length -= 1) {
    const meaning = MEANINGS.get(words.slice(start, start + length).join(' '));
    if (meaning !== undefined) return { meaning, length };
  }
  return null;
}
