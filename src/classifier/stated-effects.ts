import { BLANK } from './operative-text.ts';

const AT_MOST = 3;
const LENGTH = 220;
/** Two effects that share this many first characters say the same. */
const SAME_START = 40;
/** The rest of a clause: no full stop ends it inside a number or an abbreviation. */
const CLAUSE = String.raw`(?:\b(?:\p{Lu}\.)+|\b(?:[ap]\.m|Nos?)\.|[^;.${BLANK}]|\.(?!\s+(?:\(\w\)\s*)?\p{Lu}|\s*$)){8,300}`;
const DATE = String.raw`[A-Z][a-z]+ \d{1,2}, \d{4}`;
const SHARE = String.raw`(?:\$[\d,]+(?:\.\d\d)?|\d+(?:\.\d+)? ?(?:%|percent))`;
const FUNDING = 'Funding stated';
/** Clauses on what changes for whom, the most telling ones first. Each is given verbatim. */
const EFFECTS: readonly (readonly [string, RegExp])[] = [
  [
    'Restriction stated',
    String.raw`(?i:\b(?:prohibit(?:s|ing)?|ban(?:s|ning)?|restrict(?:s|ing)?|regulating|moratorium on|limit(?:s|ing)? the)) ${CLAUSE}`,
  ],
  ['Repeal stated', String.raw`(?i:\brepealing (?!ordinance|resolution|conflicting|all ))${CLAUSE}`],
  ['Duty stated', String.raw`(?i:\b(?:requir(?:es?|ing)|mandat(?:es?|ing)) (?!city staff|the city manager))${CLAUSE}`],
  ['Penalty stated', String.raw`(?i:\ba penalty not to exceed) ${CLAUSE}`],
  [
    'Charge stated',
    String.raw`(?i:\b(?:lev(?:y|ying) (?:of )?(?:an? )?(?:special )?(?:assessments?|tax)|(?:impos|assess|increas|decreas|chang|amend|eliminat|deny|sett)(?:es?|ing) (?:the |an? |new |various )*(?:[\w-]+ ){0,3}(?:rates?|fees?|tax|taxes|charges?))\b)${CLAUSE}`,
  ],
  [
    'Rate stated',
    String.raw`\$\s?\d[\d,.]* per (?:\$100|hour|month|square foot|acre|ton|(?:[\d,]+ )?gallons?|unit|vehicle|day)\b[^;.${BLANK}]{0,80}`,
  ],
  [
    'Incentive stated',
    String.raw`(?i:\btax abatement|\bwaivers? of (?:[\w-]+ ){0,4}fees?|\bfee waivers?|\bwaiv(?:e|ing) (?:[\w-]+ ){0,5}fees?(?: value)?|\beconomic development (?:program )?(?:grant|loan)) ${CLAUSE}`,
  ],
  [
    'Bids',
    String.raw`(?i:\b(?:readvertise|re-advertise|advertise|solicit)(?: for)?|\brejection of (?:\w+ ){0,5}(?:bids?|proposals?|responses)\b) ${CLAUSE}`,
  ],
  ['Sale stated', String.raw`(?i:\b(?:quitclaim of|advertisement for sale|sale by public auction)) ${CLAUSE}`],
  [
    'Borrowing stated',
    String.raw`(?i:\bissuances?(?: and sale)? of)(?=[^;]{0,160}(?i:\b(?:bonds|notes|obligations|certificates)\b)) ${CLAUSE}`,
  ],
  [
    'Term stated',
    String.raw`(?:(?i:\bfor the period (?:of )?|\beffective )${DATE},? (?:through|to) ${DATE}|(?i:\bextend the term) ${CLAUSE}|(?i:\bfor an? (?:\w+-){1,3}(?:year|month) (?:term|period)\b|\bfor a (?:term|period) of [\w-]+ (?:years|months)\b|\b[a-z]+(?:-[a-z]+)?-(?:year|month) (?:[a-z]+ ){0,3}(?:contract|agreement|policy|license|lease)\b))`,
  ],
  [
    'Renewal stated',
    String.raw`(?i:\b(?:one|two|three|four|five|six)(?: \(\d\))?,? (?:additional )?(?:one|two|three|four|five)-year renewal options?(?: (?:at|in) [\w -]{3,60})?)`,
  ],
  [
    'Change stated',
    String.raw`(?:(?<=(?i:\bordinance ))(?i:granting an?) ${CLAUSE}|\bfrom (?:an?|the) [^;,.]{3,60}\bDistrict to (?:an?|the) [^;,.]{3,300}|\bFrom: ["“][^;]{3,160}? To: ["“](?:[^;(]|\([A-Z\d]{1,5}\)){3,300}|\bfor the purpose of establishing an? [^;,.]{3,300}|\bfrom ${SHARE} to ${SHARE}|(?i:\bincrease (?:the )?(?:annual )?contract amount by|\bto modify the(?! funding)) ${CLAUSE})`,
  ],
  ['Permission stated', String.raw`(?i:\bto allow) (?!for\b|(?:the )?City\b)${CLAUSE}`],
  [
    'Property affected',
    String.raw`(?:(?i:\bproperty (?:zoned|owned|located|generally|bound(?:ed)?|within|containing)|\bon the (?:(?:north|south)(?:east|west)?|east|west)(?:erly)? (?:corner|line|side) of|\bportions? of(?! (?:the |its )?[^;,]{0,40}\b(?:contribution|cost|fund|bond|payment|fee|tax|amount|revenue)s?\b)|\bapproximately [\d,.]+ (?:square feet|acres?)),? ${CLAUSE}|\b\d{1,5} [^;(]{3,120},? \([\d.,]+ acres?\))`,
  ],
  [
    'Street affected',
    String.raw`(?i:\b(?:remove|clos(?:e|ing)|change the name of|designating speed regulations on|ceremonial street name request for)) (?=[^;]{0,120}\b(?:Street|Road|Avenue|Drive|Lane|Boulevard|Freeway|Expressway|Parkway|streets|expressways|freeways|alley)\b)${CLAUSE}`,
  ],
  ['Grant stated', String.raw`(?i:\b(?:acceptance of|accept)(?:,? if awarded,?)?) (?:[^;,]|,(?= )){0,90}?(?i:\bgrants?) ${CLAUSE}`],
  [
    'Assistance stated',
    String.raw`(?i:\bto provide|\bmoving expense payments for)(?=[^;]{0,120}(?i:\b(?:assistance|loans?|rent(?:al)?|subsid(?:y|ies)|occupants)\b)) ${CLAUSE}`,
  ],
  [
    'Rules stated',
    String.raw`(?:(?i:\bin relation to) ${CLAUSE}|(?<=(?i:\bamending\b)[^;]{3,300})(?i:\bto (?:add|amend|establish|revise|update|align|create)) ${CLAUSE}|(?<=(?i:\bamending\b)[^;]{3,300};? \(1\) |(?i:\bamending\b)[^;]{3,300};? \(1\) providing (?:updated )?definitions; \(2\) )(?!providing (?:updated )?definitions)${CLAUSE})`,
  ],
  ['Request stated', String.raw`(?i:\bcalling (?:up)?on) ${CLAUSE}`],
  ['Proposal stated', String.raw`\bwould (?:establish|require|prohibit|create|allow|provide|authorize|increase|ensure|extend) ${CLAUSE}`],
  [
    'Work stated',
    String.raw`(?i:\b(?:(?!(?:the|an?|for|of|and|to|towards?|on|in|with|by) )[\w-]+ ){0,2}(?:construction|reconstruction|installation|replacement|rehabilitation|repair|maintenance) (?:of|at)(?! Texas, )|\bto (?:replace|widen|build|construct|install|repair)) ${CLAUSE}`,
  ],
  [
    FUNDING,
    String.raw`(?i:\bin (?:an|the) amount (?:of |up to |not to exceed )+)\$[\d,.]+ (?i:to|for|from(?! \$|[^;,]{0,90}\bfund\b)) ${CLAUSE}`,
  ],
].map(([label, source]) => [label!, new RegExp(source!, 'u')] as const);

/** What remains of a cut-off step at the end of a clause. */
const TORN = /(?:[\s,(]+(?:and|for|of|to|in|by|with|an?|the|total|estimated|amount|\(\d\)))*[\s,(]*$/;

interface Effect {
  readonly label: string;
  readonly words: string;
}

/** Words without which a costly pattern matches nothing, so that most texts are spared it. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  'Rate stated': /\$[\d,. ]+ per /,
  'Rules stated': /\bamending\b|\bin relation to\b/i,
  'Street affected': /\b(?:remov|clos|chang|designating speed|ceremonial)/i,
  'Incentive stated': /\bwaive|abatement|economic development/i,
};

function effectOf(text: string, label: string, pattern: RegExp): Effect[] {
  if (text === '' || NEEDED[label]?.test(text) === false) return [];
  const found = pattern.exec(text)?.[0];
  if (found === undefined) return [];
  const words = found
    .replace(
      /\s+[-–—]\s(?!\d).*$|\s*\((?:PUBLIC HEARING|list attached|see )\b.*$|\s+and an ordinance\b.*$|, (?:and )?(?:Adopt|Amend|Approve|Authorize|Find|Rescind|Waive) .*$/s,
      '',
    )
    .replaceAll(BLANK, '')
    .replace(/,? and \(\d\) .*$|\s*\([^()]*$/s, '')
    .replace(TORN, '');
  return [{ label, words: words.length > LENGTH ? `${words.slice(0, LENGTH).replace(/[\s,]+\S*$/, '')} …` : words }];
}

/** Effects that the texts state, each label once and no clause inside another one. What money is for counts where no party is paid. */
export function statedEffects(texts: readonly string[], { isPaid }: { readonly isPaid: boolean }): string[] {
  const effects = EFFECTS.filter(([label]) => label !== FUNDING || !isPaid).flatMap(([label, pattern]) =>
    texts
      .flatMap((text) => effectOf(text, label, pattern))
      .toSorted((left, right) => right.words.length - left.words.length)
      .slice(0, 1),
  );
  return effects
    .filter(({ words }, index) => !effects.some((other, at) => at !== index && other.words.slice(1).includes(words.slice(0, SAME_START))))
    .slice(0, AT_MOST)
    .map(({ label, words }) => `${label}: “${words}”`);
}
