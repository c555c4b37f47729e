/** What an item does, by the words that it opens with; the first that fits. Nothing fits: "Agenda item". */
const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:authorize|call|set|order)\w* (?:a )?public hearings?\b/i, 'Call of a public hearing'],
  [
    /^(?:conduct |hold )?(?:a )?public hearing\b.{0,200}\b(?:specific|special|conditional) use permit\b/i,
    'Public hearing on a specific use permit',
  ],
  [
    /^(?:conduct |hold )?(?:a )?public hearing\b.{0,300}\b(?:property zoned|proper zoning|zoning)\b/i,
    'Public hearing on a zoning application',
  ],
  [/^(?:conduct |hold )?(?:a )?public hearing\b/i, 'Public hearing'],
  [/\bfrom:? ["“][^"”]+["”].{0,60}\bto:? ["“]/i, 'Zoning change'],
  [/\bto: add an? conditional use permit\b/i, 'Zoning change'],
  [/^.{0,60}\brejection of\b.{0,30}\b(?:bid|proposal)s?\b/i, 'Rejection of bids or proposals'],
  [/^.{0,60}\b(?:settlement)\b/i, 'Settlement'],
  [/^.{0,40}\beminent domain\b/i, 'Condemnation'],
  [/^.{0,60}\bcondemnation\b/i, 'Condemnation'],
  [/^.{0,60}\btax abatement\b/i, 'Tax abatement agreement'],
  [/^.{0,90}\bsupplemental agreement\b/i, 'Supplement to a contract'],
  [/^.{0,60}\b(?:amendment|change order|extension|renewal)\b.{0,80}\b(?:contract|agreement|lease)\b/i, 'Change of a contract'],
  [/^.{0,60}\bincrease\b.{0,80}\b(?:contract|agreement)\b/i, 'Increase of a contract'],
  [/^.{0,60}\bconstruction (?:services )?contract\b/i, 'Construction contract'],
  [
    /^.{0,80}\b(?:engineering|architectural|professional|consult\w+)\b.{0,30}\b(?:services )?(?:contract|agreement)\b/i,
    'Professional services contract',
  ],
  [/^.{0,80}\b(?:price|master|purchasing|cooperative) agreement\b/i, 'Purchasing agreement'],
  [/^.{0,60}\binterlocal\b/i, 'Agreement with another government'],
  [/^.{0,80}\b(?:lease)\b/i, 'Lease'],
  [/^.{0,60}\bacquisition\b/i, 'Acquisition of property'],
  [/^.{0,40}\bpurchase\b/i, 'Purchase'],
  [/^.{0,40}\bapplication\b.{0,60}\bgrant\b|^.{0,60}\bgrant\b/i, 'Grant'],
  [/^(?:an |adopt )?ordinance (?:\(1\) )?(?:abandoning|vacating)\b/i, 'Ordinance giving up a public way or easement'],
  [/^.{0,40}\bsale of\b/i, 'Sale'],
  [/^.{0,40}\bwaiver\b/i, 'Waiver'],
  [/^.{0,40}\bacceptance of a loan\b|^.{0,40}\bloan agreement\b/i, 'Loan'],
  [/^(?:an |adopt )?ordinance (?:\(1\) )?amending\b/i, 'Ordinance amending rules'],
  [/^(?:an |adopt )?(?:\S+ ){0,3}ordinances?\b/i, 'Ordinance'],
  [/^(?:a |adopt |authorize a )?resolution\b/i, 'Resolution'],
  [/^.{0,60}\b(?:appoint(?:ment|ing|ments)?|nominat\w+)\b/i, 'Appointment'],
  [/^.{0,80}\b(?:contract|agreement)\b/i, 'Contract or agreement'],
];

const PREFIX =
  /^(?:\([^)]{1,40}\)\s*)*(?:(?:authorize|approve|adopt|consider(?:ation of)?|ratify|execution of|the execution of)\s+)*(?:\(\d\)\s*)?/i;

/** The kind of action that an item asks for, read from its opening words alone. */
export function statedAction(title: string, matterType: string): string {
  const plain = title.replace(/^(?:\([^)]{2,40}\)\s*)+/, '');
  const bare = plain.replace(PREFIX, '');
  return (
    ACTIONS.find(([pattern]) => pattern.test(plain) || pattern.test(bare))?.[1] ??
    (/\breport\b/i.test(matterType) && !/ - report of/i.test(matterType) ? 'Report' : 'Agenda item')
  );
}
