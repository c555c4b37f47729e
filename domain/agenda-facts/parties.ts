import { wordSet } from '../text/words.ts';
import type { PartyFact, PartyRole } from './facts.ts';
import { CERTAIN_ORGANIZATIONS, COMPANY_SUFFIXES, endOfName, isNameWord, ORGANIZATION_WORDS } from './names.ts';
import { hasWord, isStop, phraseList, phraseText, quote, type Reading, type Token } from './tokens.ts';

/** Phrases directly before any name, with the role of the name. */
const CERTAIN: readonly (readonly [PartyRole, readonly string[]])[] = [
  [
    'applicant',
    phraseList(`
  application of, application by, application from, applications by, applicant :, applicants :, requested by,
  request by, request of, request from, petition by, petition of, petition from, appeal of, appeal by, petitioner,
  petitioner :, applicant is
`),
  ],
  ['owner', phraseList('owned by, property owner, owner :, property owners, owners :, landowner')],
  ['opponent', phraseList('lawsuit styled, claim of, claims of, lawsuit by, litigation with, lawsuit against')],
];
/** The same before names of organizations only, and before a name with an address behind it. */
const LIKELY: readonly (readonly [PartyRole, readonly string[]])[] = [
  [
    'applicant',
    phraseList(`
  permit for, permit to, permits to, variance for, variance to, license to, license for, submitted by, easement for
`),
  ],
  [
    'grantee',
    phraseList(`
  grant to, grants to, donation to, incentive to, incentives to, funding to, abatement to, abatement for, loan to,
  loans to
`),
  ],
  ['vendor', phraseList('prepared by, provided by, performed by, conducted by, furnished by, services by')],
];
/** Words that a contract or purchase is named by, for each word between it and the name. */
const CONTRACTS = `
  contract contracts agreement agreements lease leases amendment order mou memorandum license renewal contracting
  subcontract sublease ila easement mous
`;
const HEADS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['with', wordSet(`${CONTRACTS} partnership membership services purchase procurement procurements letter`)],
  ['to', wordSet('lease award awarding awards awarded awarding sale payment payments bid')],
  [
    'from',
    wordSet(`
  purchase purchases acquisition acquire condemnation proposal proposals bid bids quote quotes lease purchasing
`),
  ],
]);
const CONTRACT_WORDS = wordSet(
  `${CONTRACTS} award awarding bid bidder bids proposer proposal purchase procurement vendor supplier consultant
  contractor`,
);
const PERMIT_WORDS = wordSet('license permit variance rezoning rezone zoning plat replat annexation');
/** Words that make a "zoning" before them part of a name: "Zoning Commission". */
const NAMED_AFTER = wordSet('commission board code ordinance department committee');
/** Words of an agreement, before which the same words say what it is about: "contract for license plates". */
const AGREEMENTS = wordSet('agreement agreements contract contracts award bid bidder proposer');
const APPOINTS = wordSet('appoint appointing appointment appointments reappointment');
/** Words of a contract that goes from one party to another. */
const TRANSFERS = wordSet('assign assignment novation transfer change assumption');
/** Words of money that the government receives. */
const ACCEPTS = wordSet('accept acceptance accepting receive');
/** "In accordance with" opens no contract. */
const NO_LINK = wordSet(`
  accordance compliance connection associated consistent conformance conjunction along together comply complies
  dealing working consultation coordination
`);
/** Words of names of rules, money and works, which are no parties. */
const NO_PARTY = wordSet(`
  act code plan program programs policy section chapter article ordinance standards project projects fund funds
  funding grant grants bond bonds improvements requirements budget process amendments exhibit schedule phase
  certificates easement right-of-way installation participation recommendation purchase usage supply release
  change terms options january february march april may june july august september october november december
`);
/** Parts of the government itself, which are parties only of another government. */
const OWN_PARTS = wordSet(`
  department departments division office commission committee council staff manager attorney mayor secretary clerk
  sheriff superintendent administrator
`);
/** Words before "agreement" that show that the other party receives money. */
const INCENTIVES = [
  'abatement',
  'incentive',
  'incentives',
  'grant',
  'subrecipient',
  '380',
  'economic development',
  'funding',
];
const LAND_WORDS = wordSet('acquisition acquire condemnation');
const AGENCIES = wordSet(`
  department office agency administration commission authority state states bureau district
`);
const STATES = `
  alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois
  indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri
  montana nebraska nevada jersey ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
  washington wisconsin wyoming
`;
/** Words of names of other governments, whose departments are parties. */
const ELSEWHERE = wordSet(`state federal university institute agency states supreme district ${STATES}`);
const GOVERNMENTS = wordSet('city cities county counties town township village borough parish');
const INITIALS = /^(?:\p{Lu}\.)+$/u;
/** Words that are not a name by themselves. */
const OWN_NAMES = wordSet(`
  city cities counties county town village township district borough parish government state texas owner owners
  applicant developer borrower guarantor
`);
const REACH = 24;
/** The same before a name that is not the name of an organization for certain. */
const NEAR = 9;

interface Name {
  readonly from: number;
  readonly to: number;
}

const isOrganization = (tokens: readonly Token[], { from, to }: Name): boolean =>
  isCompany(tokens, { from, to }) || ORGANIZATION_WORDS.has(tokens[to - 1]!.word);
const isCompany = (tokens: readonly Token[], { from, to }: Name): boolean =>
  tokens.slice(from + 1, to).some(({ word }) => COMPANY_SUFFIXES.has(word) || word === 'dba');

/** True if the name is that of a city or county, which might be the government whose agenda it is. */
const isGovernment = (tokens: readonly Token[], { from, to }: Name): boolean =>
  GOVERNMENTS.has(tokens[from]!.word) || tokens[to - 1]!.word === 'county' || isOwnGovernment(tokens, { from, to });

/** "Metropolitan Government of Example": only a government of its own agenda is named so. */
const isOwnGovernment = (tokens: readonly Token[], { from, to }: Name): boolean =>
  tokens
    .slice(from, to)
    .some(({ word }, at) => word === 'government' && (at === to - from - 1 || tokens[from + at + 1]!.word === 'of'));

/** True if the first words of the name were left out: "cost" in "Ann Example Cost Plus Company". */
const isCut = (tokens: readonly Token[], { from }: Name): boolean =>
  (tokens[from - 1]?.text === '&' && tokens[from - 2]?.isCapital === true) ||
  (tokens[from - 1]?.isCapital === true &&
    hasWord(tokens[from - 1], 'cost costs total change order purchase ground master claim') &&
    isNameWord(tokens[from - 2]));

/** The name with what is joined to it by a slash: "AB/CD Sample, LLC". */
function withSlash(tokens: readonly Token[], { from, to }: Name): Name {
  const [first, slash] = [tokens[from - 2], tokens[from - 1]];
  const isJoined = slash?.text === '/' && first?.end === slash.start && slash.end === tokens[from]!.start;
  return isJoined && isNameWord(first) ? { from: from - 2, to } : { from, to };
}

/** True if "(Applicant)" follows, at most a few words behind the name. */
const isCalledApplicant = (tokens: readonly Token[], to: number): boolean =>
  phraseText(tokens, to, to + CALLED_WITHIN).includes(' ( applicant )');
const CALLED_WITHIN = 14;

function isParty(tokens: readonly Token[], name: Name): boolean {
  const words = tokens.slice(name.from, name.to);
  if (words.every(({ text }) => INITIALS.test(text)) || isOwnGovernment(tokens, name) || isCut(tokens, name))
    return false;
  if (words.length === 1 && (OWN_NAMES.has(words[0]!.word) || words[0]!.text.length < 3)) return false;
  if (hasWord(tokens[name.to], 'fund funds program act bonds survey') && tokens[name.to]!.isCapital) return false;
  if (isCompany(tokens, name)) return !(GOVERNMENTS.has(words[0]!.word) && words[1]?.word === 'of');
  const isOfState = words.some(({ word }) => ELSEWHERE.has(word)) || words[0]!.word === 'department';
  if (words.some(({ word }) => NO_PARTY.has(word) && !(isOfState && OWN_PARTS.has(word)))) return false;
  return isOfState || !words.some(({ word }) => OWN_PARTS.has(word));
}

function phraseRole(context: string, cues: typeof CERTAIN): PartyRole | null {
  return cues.find(([, phrases]) => phrases.some((phrase) => context.endsWith(` ${phrase} `)))?.[0] ?? null;
}

/** Index of the word for a contract before the link at `link`, in the same sentence and after `first`; -1 if none. */
function headBefore(
  tokens: readonly Token[],
  link: number,
  heads: ReadonlySet<string>,
  first = 0,
  reach = REACH,
): number {
  for (let at = link - 1; at >= first && link - at < reach && !isStop(tokens[at]); at--) {
    if (heads.has(tokens[at]!.word)) return at;
  }
  return -1;
}

/** The role of the other party of the contract whose word is at `head`; null for a government that gives money. */
function roleOfContract(tokens: readonly Token[], head: number, name: Name): PartyRole | null {
  if (LAND_WORDS.has(tokens[head]!.word)) return 'owner';
  const kind = phraseText(tokens, head - 4, head + 1);
  if (!INCENTIVES.some((word) => kind.includes(` ${word} `))) return 'vendor';
  const isAgency = tokens.slice(name.from, name.to).some(({ word }) => AGENCIES.has(word));
  if (isAgency && kind.includes(' funding ')) return 'vendor';
  const isGiver = isAgency || isGovernment(tokens, name) || tokens.some(({ word }) => ACCEPTS.has(word));
  return isGiver || name.to - name.from === 1 ? null : 'grantee';
}

/** Number of tokens between the acquisition of land, which is described at length, and ", from" its owner. */
const LAND_REACH = 100;
const isStartOfLand = (tokens: readonly Token[], from: number): boolean =>
  tokens[from]!.word === 'from' &&
  tokens[from - 1]?.text === ',' &&
  headBefore(tokens, from, LAND_WORDS, 0, LAND_REACH) >= 0;

const hasAny = (tokens: readonly Token[], words: ReadonlySet<string>): boolean =>
  tokens.some(({ word }) => words.has(word));
const PROPOSALS = wordSet('proposal proposals bid bids');

/** True if a contract goes from this party to another: "transfer the agreement from Sample to Example, LLC". */
const isFormerParty = (tokens: readonly Token[], { from, to }: Name): boolean =>
  hasWord(tokens[from - 1], 'from') &&
  hasWord(tokens[to], 'to') &&
  nameAfterArticle(tokens, to + 1) !== null &&
  hasAny(tokens.slice(0, from), TRANSFERS);

/** The role that the words before the name give it. */
function roleBefore(tokens: readonly Token[], name: Name, first: number): PartyRole | null {
  const before = tokens[name.from - 1]?.word === 'the' ? name.from - 1 : name.from;
  const context = phraseText(tokens, before - 3, before);
  const certain = phraseRole(context, CERTAIN);
  const isStaff = name.to - name.from === 1 && !hasWord(tokens[before - 1], ':');
  if (certain !== null) return isStaff || (certain === 'opponent' && isGovernment(tokens, name)) ? null : certain;
  const hasAddress = hasWord(tokens[name.to], 'at on') && tokens[name.to + 1]?.kind === 'number';
  if (hasAddress || isOrganization(tokens, name)) {
    const likely = phraseRole(context, LIKELY);
    const isProposal = context.endsWith(' submitted by ') && hasAny(tokens.slice(first, before), PROPOSALS);
    if (likely !== null) return isProposal ? 'vendor' : likely;
    if (hasWord(tokens[before - 1], 'authorizing allowing permitting exempting') && isCompany(tokens, name))
      return 'applicant';
  }
  const heads = HEADS.get(tokens[before - 1]?.word ?? '');
  if (heads === undefined || NO_LINK.has(tokens[before - 2]?.word ?? '')) return null;
  const isLand = isStartOfLand(tokens, before - 1);
  if (isLand) return 'owner';
  const isVague = tokens[before - 1]!.word === 'to' && name.to - name.from === 1;
  const nearest = isOrganization(tokens, name) ? first : Math.max(first, before - NEAR);
  const head = isVague ? -1 : headBefore(tokens, before - 1, heads, nearest);
  return head < 0 ? null : roleOfContract(tokens, head, name);
}

/** The role that the words after the name give it: "requests permission", "v. City of Example", "Ground Lease". */
function roleAfter(tokens: readonly Token[], name: Name): PartyRole | null {
  const after = tokens[name.to];
  const opens = name.from === 0 || tokens[name.from - 1]!.kind === 'mark';
  const isNamed = name.to - name.from > 1;
  const second = hasWord(after, 'and') ? endOfName(tokens, name.to + 1) : name.to;
  if (
    opens &&
    isNamed &&
    hasWord(tokens[second], 'requests request requesting') &&
    hasWord(tokens[second + 1], 'a an the permission approval that to for')
  )
    return 'applicant';
  if (hasWord(after, 'v vs') && !isGovernment(tokens, name)) return 'opponent';
  if (
    after?.text === ',' &&
    /^ (?:the )?(?:abutting |property )?owners? /.test(phraseText(tokens, name.to + 1, name.to + 4))
  )
    return 'owner';
  if (isCompany(tokens, name) && isCalledApplicant(tokens, name.to)) return 'applicant';
  if (hasWord(tokens[after?.text === ',' ? name.to + 1 : name.to], 'applicant petitioner')) return 'applicant';
  const isHead = tokens
    .slice(name.to, name.to + 2)
    .some(({ word, isCapital }) => isCapital && CONTRACT_WORDS.has(word));
  const isSure = isCompany(tokens, name) || CERTAIN_ORGANIZATIONS.has(tokens[name.to - 1]!.word);
  return (opens || hasWord(tokens[name.from - 1], 'the')) && isHead && isSure ? 'vendor' : null;
}

/** The role of a company without a cue before or behind it, by the other words of the item. */
function roleByItem(tokens: readonly Token[]): PartyRole | null {
  if (hasAny(tokens, AGREEMENTS)) return 'vendor';
  const isPermit = tokens.some(
    ({ word }, at) => PERMIT_WORDS.has(word) && !NAMED_AFTER.has(tokens[at + 1]?.word ?? ''),
  );
  if (isPermit) return 'applicant';
  return hasAny(tokens, CONTRACT_WORDS) && !hasAny(tokens, APPOINTS) ? 'vendor' : null;
}

/** The other party of "between the City of Example and Sample, Inc."; null if no such words open at `at`. */
function otherOfBoth(tokens: readonly Token[], at: number): Name | null {
  if (tokens[at]!.word !== 'between' || headBefore(tokens, at, HEADS.get('with')!) < 0) return null;
  const first = nameAfterArticle(tokens, at + 1, 'short');
  if (first === null || hasWord(tokens[first.from], 'cities counties')) return null;
  const isOwnFirst = isGovernment(tokens, first);
  let second: Name | null = null;
  for (let next = first.to; next - at < 30 && !isStop(tokens[next]); next++) {
    const name = tokens[next]!.word === 'and' ? nameAfterArticle(tokens, next + 1) : null;
    if (name === null) continue;
    const isRestOfFirst = isOwnGovernment(tokens, first) && tokens[name.to - 1]!.word === 'county';
    if (isRestOfFirst) continue;
    if (isOwnFirst) return name;
    if (isGovernment(tokens, name)) return nameAfterArticle(tokens, at + 1);
    second ??= name;
  }
  return second;
}

function nameAfterArticle(tokens: readonly Token[], at: number, extent: 'short' | 'long' = 'long'): Name | null {
  const from = tokens[at]?.word === 'the' ? at + 1 : at;
  const to = endOfName(tokens, from, extent);
  return to > from ? { from, to } : null;
}

/** The licensee of "Liquor License - Special Event - Example Society". */
function licensee(tokens: readonly Token[]): Name | null {
  const dashes = tokens.flatMap(({ text }, at) => (/^[-–—]$/.test(text) ? [at] : []));
  const dash = dashes.at(-1) ?? -1;
  if (
    dash < 0 ||
    dashes.length > 2 ||
    !hasWord(
      tokens.find((_, at) => tokens[at + 1]?.kind === 'mark'),
      'license permit',
    )
  )
    return null;
  const name = nameAfterArticle(tokens, dash + 1);
  return name !== null && name.to === tokens.length ? name : null;
}

/** The parties that an item names, with their roles. A name whose role the text does not show is left out. */
export function partiesOf(reading: Reading): PartyFact[] {
  const { tokens } = reading;
  const facts = new Map<string, PartyFact>();
  const itemRole = roleByItem(tokens);
  let last = 0;
  const add = (name: Name, role: PartyRole | null): void => {
    if (role !== null && isParty(tokens, name)) put(name, role);
  };
  const put = (name: Name, role: PartyRole): void => {
    last = name.to;
    const whole = withSlash(tokens, name);
    const quoted = quote(reading, whole.from, whole.to - 1);
    if (!facts.has(quoted.sourceText)) facts.set(quoted.sourceText, { ...quoted, name: quoted.sourceText, role });
  };
  const roleOf = (name: Name): PartyRole | null => {
    if (isFormerParty(tokens, name)) return null;
    const cued = roleAfter(tokens, name) ?? roleBefore(tokens, name, last);
    return cued ?? (isCompany(tokens, name) && (itemRole === 'vendor' || facts.size === 0) ? itemRole : null);
  };
  const licensed = licensee(tokens);
  if (licensed !== null) put(licensed, 'applicant');
  const opening = { from: 0, to: endOfName(tokens, 0) };
  if (isCompany(tokens, opening) && (opening.to === tokens.length || tokens[opening.to]!.text === '('))
    put(opening, 'vendor');
  for (let at = 0; at < tokens.length; at++) {
    const other = otherOfBoth(tokens, at);
    const name = other ?? { from: at, to: endOfName(tokens, at) };
    if (name.to === at) continue;
    add(name, other === null ? roleOf(name) : 'vendor');
    at = name.to - 1;
  }
  return [...facts.values()];
}
