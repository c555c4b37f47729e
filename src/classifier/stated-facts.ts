import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { statedEffects } from './effects/stated-effects.ts';

const LABELLED_RECOMMENDATION =
  /\bRecommendation of ([A-Z][\w &]{1,40}): (.+?)(?=(?<!\s)\s+(?:Recommendation of|Note:|\*|[A-Z]{1,5}-?\d{2,4}-\d)|$)/g;
const BRACKETED_RECOMMENDATION = /\((Recommended for (?:Approval|Denial)[^()]{0,120})\)/gi;
const LENGTH = 240;

/**
 * Returns each recommendation as one short sentence without its full stop and without the case numbers that follow it,
 * in the order of the text.
 */
function statedRecommendations(text: string): string[] {
  const labelled = [...text.matchAll(LABELLED_RECOMMENDATION)].map((match) => `${match[1]} recommends: ${match[2]}`);
  const bracketed = [...text.matchAll(BRACKETED_RECOMMENDATION)].map((match) => match[1]!);
  return [...labelled, ...bracketed].map((sentence) =>
    sentence.length > LENGTH
      ? `${sentence.slice(0, LENGTH).replace(/(?<!\s)\s+\S*$/, '')} …`
      : sentence.replace(/(?<![.\s])[.\s]+$/, ''),
  );
}

/** Facts in the record of an item; null or empty if the record has none. */
export interface StatedFacts {
  readonly amount: string | null;
  readonly parties: Parties | null;
  readonly recommendations: readonly string[];
  readonly effects: readonly string[];
}

/** Title and text without the funding clauses, and the proposed action; empty if there is none. */
interface OperativeTexts {
  readonly title: string;
  readonly text: string;
  readonly proposed: string;
}

const findFirst = (texts: readonly string[], find: (text: string) => string | null): string | null =>
  texts.reduce<string | null>((found, text) => found ?? find(text), null);

/** The facts that summaries are made of. */
export function statedFacts({ item }: ClassificationSubject, { title, text, proposed }: OperativeTexts): StatedFacts {
  const texts = [title, text, proposed];
  const parties = statedParties(title, item.matterType ?? '') ?? statedParties(text, '') ?? statedParties(proposed, '');
  return {
    amount:
      findFirst(texts, statedAmount) ??
      (parties?.names.length === 1 ? findFirst(texts, (text) => amountOf(text, parties.names[0]!)) : null),
    parties,
    recommendations: [...statedRecommendations(item.title), ...statedRecommendations(item.text ?? '')],
    effects: statedEffects(texts, { isPaid: parties !== null }),
  };
}

const SUM = String.raw`\$\s?\d+(?:,\d{3})*(?:\.\d{1,2})?(?:\s(?:million|billion))?`;
/** A sum with the words that limit it: "up to $5 annually". */
const LIMITED = String.raw`(?:(?:up to|not to exceed|at least|approximately|(?:actual collections )?estimated(?: at)?)\s)*${SUM}(?:\s(?:annually|monthly|per (?:year|month|hour|acre|square foot)|each year|plus interest)\b)?`;
const ANY = new RegExp(SUM, 'g');
/** Fines and fees of an ordinance are not what the item costs. */
const PENALTY = new RegExp(
  String.raw`\b(?:penalty|fine|publication fee)[^$;]{0,30}${SUM}|(?:,? plus (?:the|a) )?${SUM} ordinance publication fee`,
  'gi',
);
/** A borrowed amount. The sum after the last dash of such a title is the cost of borrowing. */
const PRINCIPAL = new RegExp(String.raw`\bprincipal amount (?:of )?(?:(?:not to exceed|up to) )?${SUM}`, 'gi');
const BORROWS = /\b(?:bonds|notes|certificates of obligation|commercial paper)\b/i;
/**
 * The label behind a dash of a title: "- Not to exceed $1.00", "- Estimated Revenue: General Fund $1.00; Revenue
 * Foregone: $2.00".
 */
const CLOSING = new RegExp(
  String.raw`(?:[-–—]|(?<=\d);)\s?((?:(?:total|estimated|annual|amount|of)\s)*(?:not to exceed|amount of|cost of|amount|cost)\s${LIMITED}|(?:estimated )?(?:annual )?(?:net |gross )?(?:revenue(?: fore?gone)?|fore?gone revenue):[^$;]{0,90}${LIMITED}(?:,? and ${SUM} [\w-]+ fee|\)? and [^$;,]{3,60}\(${SUM}(?=\)))?)`,
  'gi',
);
const TOTAL = new RegExp(
  String.raw`\b(?:revised )?(?:total|combined|revised)(?: (?!contingency)\w+){0,3} (?:amount|cost|value)(?: of| up to| not to exceed|:)* ${LIMITED}`,
  'i',
);
/** The cost of the contract itself, without refunds, contingencies and shares. */
const CONTRACT = new RegExp(
  String.raw`\b(?:contract|agreement|change order)\b(?:(?!\b(?:authorize|adopt|transfer|accept\w*|disbursement)\b)[^;$]){0,200}? in (?:an|the) (?:(?:estimated|total|approximate|annual) )*amount (?:of )?(${LIMITED})`,
  'gi',
);
/** An increase, with the former and the new amount. */
const INCREASED = new RegExp(
  String.raw`((?:not to exceed )?${SUM},? increased from ${SUM})(?: \([^()]*\))?( to ${SUM})(?:\.\d\d)?`,
  'i',
);
/** A changed contract amount. A decrease has its sum in parentheses. */
const CHANGED = new RegExp(
  String.raw`(?<=[-–—]\s)not to exceed (?:\(${SUM}\)|${SUM}),? (?:in|de)creasing the (?:[\w-]+ ){0,3}from ${SUM} to ${SUM}`,
  'i',
);
/** An amount that a change order adds to a contract. */
const CHANGE_ORDER = new RegExp(
  String.raw`\b((?:contract )?change order(?: No\. ?\d+)?)\b[^;$]{0,160}? in (?:an|the) amount (?:of )?(${LIMITED})`,
  'gi',
);
/** Maximum number of parties that are listed with their amounts. */
const TIED_AT_MOST = 4;
/** The amount directly after the name of a party. */
const ITS_OWN = new RegExp(
  String.raw`^(?:(?!\b(?:authorize|adopt|transfer|accept\w*|disbursement)\b)[^;$]){0,160}? in (?:an|the) (?:(?:estimated|total|annual) )*amount (?:of )?(${LIMITED})`,
  'i',
);
/** An investment by a private party is not a cost of the item, so its words are quoted with it. */
const INVESTMENT = new RegExp(String.raw`\b(?:cost|investment|value) of at least ${SUM}`, 'i');
const ONE = new RegExp(LIMITED, 'i');

/** Returns the sums in a text, in one notation so that equal sums are equal texts. */
export const sums = (text: string): string[] =>
  [...text.matchAll(ANY)].map((match) => match[0].replace(/\s|\.00$/g, ''));

/**
 * Returns the amount in the words of the text: the principal, the closing labels, a total, or the only amount. Null if
 * several compete.
 */
export function statedAmount(text: string): string | null {
  if (!text.includes('$')) return null;
  const priced = text.replace(PENALTY, '');
  const principals = [...priced.matchAll(PRINCIPAL)].map(([words]) => words);
  if (principals.length > 0) return new Set(principals.flatMap(sums)).size === 1 ? principals[0]! : null;
  const increased = priced.includes('increased from') ? INCREASED.exec(priced) : null;
  if (increased !== null) return `${increased[1]}${increased[2]}`;
  const changed = priced.includes('creasing the') ? CHANGED.exec(priced)?.[0] : undefined;
  if (changed !== undefined) return changed;
  const closing = [...priced.matchAll(CLOSING)].map(([, words]) => words!.replace(/\((?=\$)|(?<=\d)\)/g, ''));
  const isPlain = closing.length > 0 && new Set(closing.flatMap(sums)).size === closing.length;
  if (closing.length > 0) {
    if (BORROWS.test(priced) && /\bissu(?:e|ance|ing)\b/i.test(priced) && new Set(sums(priced)).size > 1) return null;
    return isPlain && closing.length <= 2 ? closing.join('; ') : closing.at(-1)!;
  }
  const total = TOTAL.exec(priced)?.[0];
  const orders = [...priced.matchAll(CHANGE_ORDER)].map(([, order, sum]) => `${order}: ${sum}`);
  if (orders.length === 1) return [...orders, ...(total === undefined ? [] : [total])].join('; ');
  if (total !== undefined) return total;
  const investment = INVESTMENT.exec(priced)?.[0];
  if (investment !== undefined) return investment;
  if (new Set(sums(priced)).size === 1) return ONE.exec(priced)?.[0] ?? null;
  return null;
}

/** Returns the amount in the clause that names the party, else the amount of the only contract. */
function amountOf(text: string, party: string): string | null {
  const at = text.indexOf(party);
  const own = at < 0 ? undefined : ITS_OWN.exec(text.slice(at + party.length))?.[1];
  return own ?? contractAmount(text);
}

/** The amount of the only contract of a text that does one thing. */
function contractAmount(text: string): string | null {
  const contracts = text.includes('(2)') || BORROWS.test(text) ? [] : [...text.matchAll(CONTRACT)];
  return contracts.length === 1 ? contracts[0]![1]! : null;
}

/** The same before the name: "an amendment in the amount of $5.00 to an agreement with". */
const BEFORE_IT = new RegExp(
  String.raw`\b(?:amendment|supplemental agreement|change order)(?: No\. ?\d+)?,? in (?:an|the) amount (?:of )?(${LIMITED}),? to (?:an?|the) [^;$]{3,120}? with (?:the )?$`,
  'i',
);

/**
 * Returns the sum of each of several parties. Returns none if a party has no sum: a sum might then be the total of
 * several parties.
 */
function sumsOf(names: readonly string[], text: string): readonly string[] {
  if (names.length < 2 || names.length > TIED_AT_MOST || !text.includes('$') || BORROWS.test(text)) return [];
  const places = names.map((name) => ({ at: text.indexOf(name), end: text.indexOf(name) + name.length }));
  // A party that is named again might have another amount.
  if (names.some((name) => text.split(name).length !== 2)) return [];
  const own = places.flatMap(({ at, end }) => {
    const before = Math.max(0, ...places.map((other) => other.end).filter((place) => place <= at));
    const next = Math.min(text.length, ...places.map((other) => other.at).filter((place) => place > at));
    return BEFORE_IT.exec(text.slice(before, at))?.[1] ?? ITS_OWN.exec(text.slice(end, next))?.[1] ?? [];
  });
  return own.length === names.length ? own : [];
}

const FIRST = String.raw`(?:[a-z]{0,2}[A-Z][\p{L}\p{N}.&'’/+-]*|\d{1,5}[\p{L}-][\p{L}\p{N}&'’-]*|\d{2,5}(?= [A-Z]))`;
const WORD = String.raw`(?:[A-Z0-9][\p{L}\p{N}.&'’/+-]*|&|\([A-Z]{2,5}\)|at|of|the|and|for|de|del)`;
const SUFFIX = String.raw`(?:Inc|INC|lnc|LLC|L\.L\.C|LLP|L\.L\.P|LP|L\.P|Corp|Corporation|Company|Co|Ltd|LTD|PLLC|P\.C|PC|Limited Partnership)\b\.?`;
const COMPANY = new RegExp(
  String.raw`(?<=\bwith |\d, and )${FIRST}(?: ${WORD}){0,2} [–-] ${WORD}(?: ${WORD})?,? ${SUFFIX}(?: dba (?:${WORD} ){0,3}${WORD})?|(?<![\p{L}\p{N}$.,&-]|, an? (?:\p{Lu}[\p{L}\p{N}.&-]* ){0,3})(?:Board of )?${FIRST}(?:(?:,(?! (?:and|for the)\b))? ${WORD}){0,7}?,? ${SUFFIX}(?:,? ${SUFFIX})?(?:,? (?:d/?b/?a|DBA):? (?:(?!for\b)${WORD} ){0,6}(?!for\b)${WORD}(?:,? ${SUFFIX})?)?`,
  'gu',
);
/** A former name or a short name before a trade name is not another party. */
const FORMER = new RegExp(
  String.raw` \((?:previously|formerly)(?: known as)? [^()]{2,80}\)| \([“"][^”"()]{2,40}[”"]\)(?=,? d/?b/?a )|,? (?:formerly known as|f/?k/?a|f\.k\.a\.|successor to) (?:(?!,? ${SUFFIX})[^;]){2,80}(?:,? ${SUFFIX})?`,
  'gu',
);
const withoutFormer = (text: string): string =>
  /known as|f\/?k\/?a|f\.k\.a|successor|previously|formerly|\) d\/?b\/?a/.test(text) ? text.replace(FORMER, '') : text;
/** A legal form, optionally with the state of incorporation. */
const ONLY_SUFFIX = new RegExp(
  String.raw`^(?:${SUFFIX}|(?:\p{Lu}\p{L}+ )?(?:Limited Liability|Non-?[Pp]rofit) (?:Company|Corporation|Partnership))$`,
  'u',
);
const APPLICATION = new RegExp(
  String.raw`\b(?:application by|submitted by|on behalf of) (?:the )?(?!(?:Office|Department|City) of |[A-Z]\w+ County )([A-Z\d][^()$]{2,160}?)(?=,? (?:an? |represented|for |to |\(|requesting|owner|pursuant)|\(|,? [-–—] |$)`,
  'u',
);
/** The applicants before the address in "Applicant; 100 Example Street; (2 acres) From: …". */
const BEFORE_ADDRESS = /^(?:\([^)]*\)\s*)?([^;$]{3,120}?)(?:;|,(?=\s*\d[^;]*acres?\)))\s*\d/;
/** The sellers after a dash, each with its amount if there are several, and the way of their selection. */
const SELLERS = new RegExp(
  String.raw`\s[-–—]\s((?=[\p{Lu}\d])(?:(?!\s[-–—]\s).){3,900}?),? ((?:the )?(?:lowest|most (?:highly|advantageous)|only|sole|best value)[\w ]{0,30}\b(?:bidders?|proposers?|vendors?|sources?)\b(?: of \w+)?)`,
  'u',
);
/** Purchased goods before the name of the seller: "conditioning units from Example Systems, Inc.". */
const GOODS_FROM = /^.*\b[a-z]+ from (?:the )?(?=[A-Z\d])/;
const ITS_AMOUNT = new RegExp(
  String.raw`,? in (?:the|an?) (?:estimated |total |approximate |annual |amount )+(?:of |not to exceed |up to )*${SUM}(?:\.\d\d)?(?: per year| annually)?(?:[,;]? and |[,;]? |$)`,
  'g',
);
/** A name in a list of places is part of a longer name, or not the only party. */
const NO_SERIES = String.raw`(?!, (?:[JS]r\.|\p{Lu}\p{L}+ and \p{Lu}))`;
/** One party after "with". Its name ends at the next clause. */
const WITH = new RegExp(
  String.raw`\b(?:[Cc]ontracts?|[Aa]greements?|[Ll]eases?|[Pp]urchase of|CONTRACT|AGREEMENT)\b[^;$]{0,240}?(?<!ccordance|compliance) with (?:the )?(${FIRST}(?:(?:,(?= [JS]r\.))? (?:${WORD})){0,6}?)${NO_SERIES}(?=,? (?:in|for|to|as|through|(?<!\bUniversity of Texas )at|by|an?|the|most|lowest|only|dba|d/b/a|whose|located)\b|,? [-–—] | ?[;(,]|$)`,
  'gu',
);
/** The owner of land that is acquired, or the other side of a payment. */
const OTHER_SIDE = new RegExp(
  String.raw`\b(?:(?:[Aa]cquir(?:e|ing)|[Aa]cquisition|[Pp]urchase)\b[^;$]{0,160}? from|(?:[Pp]ayment|[Dd]isbursement|[Dd]onation|[Cc]ontribution)s?(?: [a-z]+){0,3} (?:to|from)) (?:the )?(${FIRST}(?: (?:${WORD})){0,6}?)(?=,? (?:in|for|to|as|located|consisting|containing)\b|,? of approximately|,? [-–—] | ?[;(,]|$)`,
  'u',
);
const ABUTTING = new RegExp(String.raw`\bto ((?:${WORD}|,)(?:,? ${WORD}){0,9}?),? the abutting owners?\b`, 'u');

export interface Parties {
  readonly role: 'applicant' | 'initiator' | 'party';
  readonly names: readonly string[];
  /** The amount of each of several parties, in their order; empty unless the text has one for each. */
  readonly sums: readonly string[];
  /** The way of their selection in the words of the source, such as "lowest responsible bidder of four". */
  readonly chosen: string | null;
}

const VERB =
  /^.*\b(?:Authorize|Adopt|Approve|Resolution|Ordinance|Nominating|Execution|Contract|Agreement|Amendment|Purchase|Acquisition(?= of\b)|Application|Supporting|Waiver|Fees|Lease|Payment|Project|Support(?= for\b)|Purpose of [A-Z][a-z]+ing)s?\b (?:(?:of|with|a|an|to|from|by|for|No\. ?\d+)\b ?)*/;
const tidy = (name: string): string =>
  name
    .replace(VERB, '')
    .replace(/^Fund (?=the )/, '')
    .replace(/^(?:the )?City(?: of [A-Z]\w+(?: [A-Z][^\s,]+)?)? and (?:the )?/, '')
    .replace(/^(?:the |and |for |of |at )*(?:City of [A-Z]\w+(?: Worth)?, )?(?:the |of |and )?/i, '')
    .replace(/^Boards? of [A-Z][a-z]+ (?:of|for the City of [A-Z]\w+(?: Worth)? and) (?:the )?/, '')
    .replace(/^.* (?:VS|vs?)\. /, '')
    .replace(
      /(?<![\s,;])(?:’s|[\s,;]| (?:for|of|and|at)| in accordance with\b.*| in (?:the|an?) (?:[a-z]+ )+\$[\d.,]+)+$/,
      '',
    )
    .trim();

/** A state, a department or a commission does not count as an affected party. */
const GOVERNMENT =
  /^(?:State of|United States|U\.S\.)\b(?!.*\b(?:Inc|LLC|LP|Corp|Company)\b)|\bDepartment of\b|\bTxDOT\b|\bCommission of\b/;

/** Words for roles, money, papers and streets, which are not names of parties. */
const NO_PARTY =
  /^(?:Artist|Borrower|Developer|Landlord|Office|Others?|Regard|Respect|Tenant|Trust|City Participation|(?:Attachment|Exhibit|Schedule|Section|Article|Chapter|Fiscal Years?)\b.*|.*\bCode of the .*|.* (?:Funds?|Street|Road|Avenue|Drive|Lane|Boulevard|Parkway))$/;

/**
 * Returns each name once; a name inside a longer one is the same party. Drops names that begin like a sum or consist of
 * a suffix.
 */
function distinct(names: readonly string[]): string[] {
  const byLetters = new Map(names.map(tidy).map((name) => [name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''), name]));
  const tidied = [...byLetters.values()].filter(
    (name) =>
      /\p{Lu}\p{L}|\d \p{Lu}/u.test(name) && ![ONLY_SUFFIX, GOVERNMENT, NO_PARTY].some((pattern) => pattern.test(name)),
  );
  return tidied.filter((name) => !tidied.some((other) => other !== name && other.includes(name)));
}

const NUMBER_OF_ENTRY = /\(\d{1,2}\) (?=\p{Lu})/u;
const ENTRY_LENGTH = 100;
/**
 * Returns true if the text lists names of which only some are recognized as companies: naming only those would mislead.
 */
function isPartOfList(text: string, names: readonly string[]): boolean {
  const entries = text.split(NUMBER_OF_ENTRY).slice(1);
  const matching = entries.filter((entry) => names.some((name) => entry.startsWith(name)));
  return (
    matching.length > 0 &&
    matching.length < entries.length &&
    entries.slice(0, -1).every(({ length }) => length <= ENTRY_LENGTH)
  );
}

/** A capitalized word directly before a name, except the legal form of the previous company: the name begins earlier. */
const BEHIND_WORD = new RegExp(String.raw`(?<![\p{L}\p{N}])(?!${SUFFIX} $)\p{Lu}[\p{L}\p{N}.&'’/+-]* $`, 'u');
/**
 * Returns true if the text has a company with a name longer than the patterns read: naming only the others would
 * mislead.
 */
const hasLongerName = (text: string): boolean =>
  [...text.matchAll(COMPANY)].some(({ index }) => BEHIND_WORD.test(text.slice(Math.max(0, index - 40), index)));

/** A seller of an earlier step of a title. */
const BEHIND_DASH = /\s[-–—]\s$/;
/** Words before and after the name of a cooperative whose agreement a buyer uses. */
const THROUGH = /\bthrough (?:the |The )?$/;
/** Words after the name of a company that make it the name of its board or building. */
const NOT_ITSELF = /^ (?:Board|(?:[A-Z]\w+ ){0,2}(?:Building|Pavilion|Warehouse|Factory|Tower|Plant))\b/;
const ITS_AGREEMENT = /^[^;$]{0,40}\b(?:cooperative|interlocal|master) /i;
/** Splits a name at "and" if the text lists the first part with its own amount; else returns the name unchanged. */
function partners(name: string, text: string): string[] {
  const [, left = '', right = ''] = /^(\S+ .*?) and (.*)$/.exec(name) ?? [];
  return left !== '' && text.includes(`) ${left} in `) ? [left, right] : [name];
}

/** The party that loses an earlier grant. */
const NO_LONGER = /\brescind\w* [^;]{0,80}? in favor of (?:the )?$/;
/**
 * Returns the companies in a text, except boards of companies, cooperatives whose agreements are used, and dropped
 * parties.
 */
const companies = (text: string, behind?: RegExp): string[] =>
  [...text.matchAll(COMPANY)]
    .filter(
      ({ 0: name, index }) =>
        (behind === undefined || behind.test(text.slice(Math.max(0, index - 3), index))) &&
        !NO_LONGER.test(text.slice(Math.max(0, index - 120), index)) &&
        !(
          THROUGH.test(text.slice(Math.max(0, index - 12), index)) &&
          ITS_AGREEMENT.test(text.slice(index + name.length))
        ) &&
        !NOT_ITSELF.test(text.slice(index + name.length)),
    )
    .flatMap(([name]) => partners(name, text));

/** Charter amendments and petitions. Whoever submits them is not an applicant. */
const INITIATIVE = /\b(?:petitions?|amendments? to the [^;]{0,40}\bCharter),? submitted by\b/i;
/** Words before names that are only examples. */
const EXAMPLES = new RegExp(String.raw`\bincluding,? but not limited to(?=,? (?:the )?(?:${COMPANY.source}))`, 'iu');

/** Returns all applicants in the words of the text, else the sellers, else every company. */
export function statedParties(text: string, matterType: string): Parties | null {
  const applicant =
    APPLICATION.exec(text)?.[1] ?? (/\bzoning\b/i.test(matterType) ? BEFORE_ADDRESS.exec(text)?.[1] : undefined);
  if (applicant !== undefined && /^(?:\p{Lu}|\d)/u.test(tidy(applicant)))
    return {
      role: INITIATIVE.test(text) ? 'initiator' : 'applicant',
      names: [tidy(applicant)],
      sums: [],
      chosen: null,
    };
  const [, sold, chosen] = SELLERS.exec(text) ?? [];
  const sellers =
    sold === undefined
      ? []
      : distinct([
          ...(text.includes('(2)') ? companies(text, BEHIND_DASH) : []),
          ...sold.replace(GOODS_FROM, '').split(ITS_AMOUNT),
        ]);
  const party = (names: readonly string[], how: string | null = null): Parties => ({
    role: 'party',
    names,
    sums: sumsOf(names, text),
    chosen: how,
  });
  if (sellers.length > 0) return party(sellers, chosen ?? null);
  const currentText = withoutFormer(text);
  const names = distinct(companies(currentText));
  if (names.length > 0)
    return isPartOfList(text, names) || hasLongerName(currentText)
      ? null
      : party(names, EXAMPLES.test(text) ? 'not limited to these' : null);
  const withs = [...text.matchAll(WITH)].map(([, name]) => name!);
  const others = distinct(withs.length > 0 ? withs : [ABUTTING.exec(text)?.[1] ?? OTHER_SIDE.exec(text)?.[1] ?? '']);
  return others.length === 0 ? null : party(others);
}
