import { DATE, type EffectRule, from, REST } from './effect-rule.ts';

const SHARE = String.raw`(?:\$[\d,]+(?:\.\d\d)?|\d+(?:\.\d+)? ?(?:%|percent))`;
/** Amounts that budgets raise and lower in steps without a change for anyone outside. */
const STEPS = 'appropriations?|receipts|revenues?|balance|reserves?|expenditures?';

/** Durations, changes and new possibilities. */
export const AGREEMENTS: readonly EffectRule[] = [
  {
    label: 'Term stated',
    needs: ['year', 'month', 'period', 'effective', 'extend', 'calendar days'],
    example: 'A three-year service contract for trees',
    clause: String.raw`(?:(?i:\bfor the period (?:of )?|\beffective )${DATE},? (?:through|to) ${DATE}|(?i:\bextend(?:ing)? the (?:end of the )?(?:[\w-]+ ){0,4}?(?:term|lease|agreement|contract)\b)(?=[^;]{0,90}\b(?:\d{4}|[Yy]ears?|[Mm]onths?|[Dd]ays?)\b) ${REST}|(?i:\bextend(?:ing)? the (?:[\w-]+ )?(?:expiration|sunset|completion|end) date)\b ${REST}|(?i:\bfor an? (?:\w+-){1,3}(?:year|month) (?:term|period)\b|\bfor a (?:term|period) of [\w-]+ (?:years|months)\b|\bfor (?:the|an?) (?:initial )?term of (?:up to )?[\w-]+ (?:\(\d+\) )?(?:years|months)\b(?: and [\w ]{3,30} renewal options?(?: of [\w-]+ years? each)?)?|\b(?:for|over) the [\w-]+-(?:year|month) period\b(?: (?:of |from )?${DATE},? (?:through|to) ${DATE})?|\baddition of \d+ calendar days|(?:\b[a-z]+[ -](?:year|month)s? (?:to|or) )?\b[a-z]+(?:-[a-z]+)?-(?:year|month) (?:(?!(?:renewal|extension|option|period|term)s?\b)[a-z]+,? ){0,5}?(?:contract|agreement|policy|license|lease)\b))`,
  },
  {
    label: 'Renewal stated',
    needs: ['renewal option'],
    example: 'A contract with two one-year renewal options at the same terms',
    clause: String.raw`(?i:\b(?:the (?:first|second|third|fourth|final|last) of )?(?:an?|the|one|two|three|four|five|six|ten)(?: \(\d+\))?,? (?:(?:additional|first|second|third|final) )?(?:one|two|three|four|five)-year renewal options?(?: (?:at|in|for) the same (?:[a-z]+ ){0,2}(?:terms?|amounts?|prices?|rates?|conditions?)\b)?)`,
  },
  {
    label: 'Termination stated',
    needs: ['terminat'],
    example: 'An amendment to terminate the agreement on buses',
    clause: from(
      'to (?:formally |mutually )?terminate (?:the|an?|its|their)|(?:mutual )?termination of (?:an? |the )?(?:[a-z]+ ){0,3}(?:agreements?|contracts?|leases?)',
    ),
  },
  {
    label: 'Change stated',
    needs: [
      'granting',
      'from',
      'for the purpose of',
      'increas',
      'decreas',
      'reduc',
      'expand',
      'to modify',
      'to cancel',
      'to facilitate',
      'to revise',
      'redirect',
      'changing the',
    ],
    example: 'A change from an Office District to a Retail District',
    clause: String.raw`(?:(?<=(?i:\bordinance ))(?i:granting an?) ${REST}|\bfrom (?:an?|the) [^;,.]{3,60}\bDistrict to (?:an?|the) [^;,.]{3,300}|\bFrom: ["“][^;]{3,160}? To: ["“](?:[^;(]|\([A-Z\d]{1,5}\)){3,300}|\bfor the purpose of establishing an? [^;,.]{3,300}|(?i:\b(?:increas|decreas|reduc|expand)(?:e|ing)) (?:the )?(?![^;]{0,60}\b(?i:${STEPS})\b)[^;$]{3,90}? (?:from [^;]{1,120}? to|by(?= approximately| \d| \$)) ${REST}|\bto (?=cancel |facilitate )(?<=\b[Aa]pplication\b.{3,400}?to )${REST}|\bfrom ${SHARE} to ${SHARE}|(?i:\bincrease (?:the )?(?:annual )?contract amount (?:by|up to|to)|\bto modify the(?! funding)|\bto revise the funding from|\bto redirect|\bchanging the (?:date|size|number|composition)) ${REST})`,
  },
  {
    label: 'Permission stated',
    needs: ['allow', 'permit', 'enable'],
    example: 'A permit to allow late hours in the hall',
    clause: String.raw`(?i:\bto allow) (?!for\b|(?:the )?City\b)${REST}|(?i:\bto permit|\bpermitting the|\ballowing|\b(?:which|that) enables?) (?!for\b)${REST}`,
  },
];

/** Construction, repairs and purposes of money. */
export const WORKS: readonly EffectRule[] = [
  {
    label: 'Work stated',
    needs: [
      'construct',
      'install',
      'replac',
      'rehabilitat',
      'repair',
      'maintenance',
      'widen',
      'build',
      'reroute',
      'improvements',
      'testing',
    ],
    example: 'The reconstruction of two bridges over the creek',
    clause: String.raw`(?i:\b(?:(?!(?:the|an?|for|of|and|to|towards?|on|in|with|by) )[\w-]+ ){0,2}(?:construction|reconstruction|installation|replacement|rehabilitation|repair|maintenance)(?<!\bduring (?:the )?(?:[\w-]+ ){0,2}[a-z]+)(?:(?:, |,? and )(?:construction|reconstruction|installation|replacement|rehabilitation|repair|maintenance|renovation|development|operations?|expansion)){0,3} (?:of|at)(?! Texas, )|\bto (?:replace|widen|build|construct|reconstruct|rehabilitate|install|repair|reroute)|\bto provide [\w ]{0,40}\b(?:improvements|testing services|inspection services)|\b[\w-]+ to be (?:replaced|rehabilitated|repaired|widened)) ${REST}`,
  },
  {
    label: 'Funding stated',
    needs: [
      'amount',
      'funding',
      'to fund',
      'realloc',
      'reprogram',
      'to finance',
      'unspent',
      'unexpended',
      'appropriating',
    ],
    example: 'A transfer in an amount of $5.00 for the repair of lamps',
    clause: String.raw`(?i:(?<!\b(?:city funds|participation|contribution|credits|match) )\bin (?:an|the) (?:(?:estimated|total|annual) )*amount (?:of |up to |not to exceed )+)\$[\d,.]+ (?i:to|for|from(?! \$|[^;,]{0,90}\bfund\b)) ${REST}|(?i:\b(?:to provide (?:additional )?funding for|to fund|to reallocate|to reprogram|to use un(?:spent|expended)|to finance|for the purpose of funding|reallocation of|ordinance appropriating)) ${REST}`,
    onlyWhere: 'no_party',
  },
  {
    label: 'Project stated',
    needs: ['project', 'improvement', 'extension', 'relocation', 'adjustment'],
    example: 'An agreement with the State for the Example Creek Trail Project',
    clause: String.raw`(?i:\bfor the) (?:(?:\(?[\p{Lu}\d][\p{L}\d.'’&/()–-]*,?|of|and|to|at|the|in|on|from) ){1,16}Project\b|(?i:\bfor) [^;$]{3,60}?(?i:\b(?:improvements?|extensions?|relocations?|adjustments?) (?:in|on|along|at)) ${REST}`,
    onlyWhere: 'nothing_else',
  },
  {
    label: 'Purpose stated',
    example: 'Rules to promote the reuse of empty shops',
    clause: String.raw`\b(?=[FTft])(?<!\b(?:position on|resolutions regarding)\b[^;]{0,120})${from(
      'for (?:the )?purposes? of|to (?:help |further )?(?:alleviate|promote|reduce|mitigate|prevent|protect|encourage|improve|implement(?! those)|enhance|expand|increase|hire|participate|perform)|for (?:the )?(?:implementation|disposition) of',
    )}`,
    onlyWhere: 'nothing_else',
  },
];
