import { type EffectRule, from, REST } from './effect-rule.ts';

/** Changes of land and streets. */
export const PLACES: readonly EffectRule[] = [
  {
    label: 'Property affected',
    needs: [
      'property',
      'corner of',
      'line of',
      'side of',
      'portion',
      'approximately',
      'acre',
      'area generally',
      'zoning for',
      'zoning change for',
    ],
    example: 'Property located at 12 Example Street and its yard',
    clause: String.raw`(?:(?i:\bacquir(?:e|ing)(?=[^;]{0,140}\b(?:acres?|square feet)\b)|\bproperty (?:zoned|owned|located|generally|bound(?:ed)?|within|containing)|\bon the (?:(?:north|south)(?:east|west)?|east|west)(?:erly)? (?:corner|line|side) of|\bportions? of(?! (?:the |its )?[^;,]{0,40}\b(?:contribution|cost|fund|bond|payment|fee|tax|amount|revenue)s?\b)|\b(?:(?:consent(?:ing)? to the )?(?:addition|annexation|inclusion|release|removal|exclusion|disposition) of )?approximately [\d,.]+ (?:square feet|acres?)|\barea generally bounded|\b(?:rezoning|zoning change) for(?= \d)),? ${REST}|\b\d{1,5} [^;(]{3,120},? \([\d.,]+ acres?\))`,
  },
  {
    label: 'Street affected',
    needs: ['remov', 'clos', 'chang', 'designating speed', 'ceremonial', 'proposed alignment'],
    example: 'Closing the north lane of Example Street for two weeks',
    clause: String.raw`(?i:\b(?:remove(?= (?:the )?[^;,]{0,50}\b(?:street|road|avenue|lane|alley|expressway|freeway)s?\b)|clos(?:e|ing)(?! costs?\b)|change the name of|to change|designating speed regulations on|ceremonial street name request for|proposed alignment of)) (?=[^;]{0,120}\b(?:Street|Road|Avenue|Drive|Lane|Boulevard|Freeway|Expressway|Parkway|streets|expressways|freeways|alley)\b)${REST}`,
  },
  {
    label: 'Use stated',
    needs: ['use of'],
    example: 'An agreement on the use of right-of-way along the lake',
    clause: from('use of (?:the )?(?:right-of-way|space|land|property)'),
    onlyWhere: 'nothing_else',
  },
  {
    label: 'Quiet zone stated',
    needs: ['quiet zone'],
    example: 'Notice of a Quiet Zone along the railroad at Example Avenue',
    clause: from('quiet zones? (?:along|at|in)'),
  },
  {
    label: 'Designation stated',
    needs: ['designat', 'classify', 'naming', 'nomination'],
    example: 'A resolution designating the old oak as a historic tree',
    clause: [
      String.raw`(?i:\b(?:designat(?:e|es|ing)|classify(?:ing)?))(?! speed) (?=[^;]{3,300}\b(?i:as (?:an?|historic))\b)${REST}`,
      String.raw`(?i:\bdesignation (?:by the [^,;]{3,60}? )?of) (?!(?:the )?subdivider|official)${REST}`,
      String.raw`(?i:\bnomination of) (?=[^;]{3,200}(?i:\b(?:landmark|register)\b))${REST}`,
      String.raw`(?i:\b(?:re)?naming) (?!rights)${REST}`,
    ].join('|'),
  },
  {
    label: 'Boundary stated',
    needs: ['adjusting', 'releas'],
    example: 'Releasing certain tracts of land to the Town of Sample',
    clause: String.raw`(?i:\b(?:adjusting|releasing|release of)) (?=[^;]{0,90}(?i:\b(?:boundary|boundaries|tracts?|extraterritorial)\b))${REST}`,
  },
  {
    label: 'District stated',
    needs: ['creation', 'dissolution', 'expansion'],
    example: 'Consent to the creation of the Example Hills Improvement District',
    clause: String.raw`(?i:\b(?:creation|dissolution|expansion) of)(?=[^;]{0,120}(?i:\b(?:district|zone)\b)) ${REST}`,
    onlyWhere: 'nothing_else',
  },
];

/** Appointments and elections. */
export const PEOPLE: readonly EffectRule[] = [
  {
    label: 'Election stated',
    needs: ['election'],
    example: 'An ordinance ordering a special election on the charter',
    clause: String.raw`(?i:\bordering an? (?:\w+ )?election|\belection of officers|\b(?:special|general|joint|runoff) election to be held) ${REST}`,
  },
  {
    label: 'Appointment stated',
    needs: ['appoint', 'endorsement', 'nomin'],
    example: 'The appointment of Jo Example to the Library Board',
    clause: String.raw`(?i:\b(?:re)?appoint(?:ing|ments? (?:of|to)(?! boards and)|(?= an?\b))) (?!_|X{2}|an? (?:underwriting|syndicate)|(?:an? )?members? to (?![^;]*\bPosition))${REST}|(?i:\bname of) [^;]{3,60}? (?i:to the council)[^;]{0,70}(?i:\b(?:re)?appointment) ${REST}|(?i:\bendorsement of|\bnomination of a candidate(?:\(s\))?|\b(?:\w+ )?nominees? to fill) ${REST}|(?:\p{Lu}[\p{L}.'’-]{0,40} ){2,6}Appointment by ${REST}`,
  },
  {
    label: 'Positions stated',
    needs: ['position'],
    example: 'Add the following positions to the office of parks: two clerks',
    clause: from(
      String.raw`(?:add|delete|eliminate|create|reclassify|creat(?:ion|ing)(?: of)?|adding|deletion of) (?:the following |\d+ |\w+ ){1,4}positions?\b`,
    ),
  },
];
