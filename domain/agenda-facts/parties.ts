import { wordSet } from '../text/words.ts';
import type { PartyFact, PartyRole } from './facts.ts';
import { CERTAIN_ORGANIZATIONS, COMPANY_SUFFIXES, endOfName, ORGANIZATION_WORDS } from './names.ts';
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
  permit for, permit to, permits to, variance for, variance to, license to, license for, submitted by, on behalf
  of, easement for
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
  ['with', wordSet(`${CONTRACTS} partnership membership services purchase`)],
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
const PERMIT_WORDS = wordSet('license permit variance rezoning rezone zoning plat replat annexation abatement');
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

/** Whether the name is that of a city or county, which might be the government whose agenda it is. */
function isGovernment(tokens: readonly Token[], { from, to }: Name): boolean {
  return OWN_NAMES.has(tokens[from]!.word) || tokens.slice(from, to).some(({ word }) => word === 'county');
}

function isParty(tokens: readonly Token[], name: Name): boolean {
  const words = tokens.slice(name.from, name.to);
  if (words.length === 1 && (OWN_NAMES.has(words[0]!.word) || words[0]!.text.length < 3)) return false;
  if (hasWord(tokens[name.to], 'fund funds program act bonds') && tokens[name.to]!.isCapital) return false;
  if (isCompany(tokens, name)) return !OWN_NAMES.has(words[0]!.word);
  const isOfState = words.some(({ word }) => ELSEWHERE.has(word)) || words[0]!.word === 'department';
  if (words.some(({ word }) => NO_PARTY.has(word) && !(isOfState && OWN_PARTS.has(word)))) return false;
  return isOfState || !words.some(({ word }) => OWN_PARTS.has(word));
}

function phraseRole(context: string, cues: typeof CERTAIN): PartyRole | null {
  return cues.find(([, phrases]) => phrases.some((phrase) => context.endsWith(` ${phrase} `)))?.[0] ?? null;
}

/** Index of the word for a contract before the link at `link`, in the same sentence and after `first`; -1 if none. */
function headBefore(tokens: readonly Token[], link: number, heads: ReadonlySet<string>, first = 0): number {
  for (let at = link - 1; at >= first && link - at < REACH && !isStop(tokens[at]); at--) {
    if (heads.has(tokens[at]!.word)) return at;
  }
  return -1;
}

/** The role of the other party of the contract whose word is at `head`; null for a government that gives money. */
function roleOfContract(tokens: readonly Token[], head: number, name: Name): PartyRole | null {
  if (LAND_WORDS.has(tokens[head]!.word)) return 'owner';
  const kind = phraseText(tokens, head - 4, head + 1);
  if (!INCENTIVES.some((word) => kind.includes(` ${word} `))) return 'vendor';
  return isGovernment(tokens, name) ||
    tokens.slice(name.from, name.to).some(({ word }) => AGENCIES.has(word)) ||
    name.to - name.from === 1
    ? null
    : 'grantee';
}

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
    if (likely !== null) return likely;
  }
  const heads = HEADS.get(tokens[before - 1]?.word ?? '');
  if (heads === undefined || NO_LINK.has(tokens[before - 2]?.word ?? '')) return null;
  const isVague = tokens[before - 1]!.word === 'to' && name.to - name.from === 1;
  const nearest = isOrganization(tokens, name) ? first : Math.max(first, before - NEAR);
  const head = isVague ? -1 : headBefore(tokens, before - 1, heads, nearest);
  return head < 0 ? null : roleOfContract(tokens, head, name);
}

/** The role that the words after the name give it: "requests permission", "v. City of Example", "Ground Lease". */
function roleAfter(tokens: readonly Token[], name: Name): PartyRole | null {
  const after = tokens[name.to];
  const opens = name.from === 0 || tokens[name.from - 1]!.kind === 'mark';
  const second = hasWord(after, 'and') ? endOfName(tokens, name.to + 1) : name.to;
  if (
    opens &&
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
  const isHead = tokens
    .slice(name.to, name.to + 2)
    .some(({ word, isCapital }) => isCapital && CONTRACT_WORDS.has(word));
  const isNamed = isCompany(tokens, name) || CERTAIN_ORGANIZATIONS.has(tokens[name.to - 1]!.word);
  return (opens || hasWord(tokens[name.from - 1], 'the')) && isHead && isNamed ? 'vendor' : null;
}

/** The role of a company without a cue before or behind it, by the other words of the item. */
function roleByItem(tokens: readonly Token[]): PartyRole | null {
  if (tokens.some(({ word }) => PERMIT_WORDS.has(word))) return 'applicant';
  return tokens.some(({ word }) => CONTRACT_WORDS.has(word)) ? 'vendor' : null;
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
    if (role === null || !isParty(tokens, name)) return;
    last = name.to;
    const quoted = quote(reading, name.from, name.to - 1);
    if (!facts.has(quoted.sourceText)) facts.set(quoted.sourceText, { ...quoted, name: quoted.sourceText, role });
  };
  const roleOf = (name: Name): PartyRole | null => {
    const cued = roleAfter(tokens, name) ?? roleBefore(tokens, name, last);
    return cued ?? (isCompany(tokens, name) && (itemRole === 'vendor' || facts.size === 0) ? itemRole : null);
  };
  const licensed = licensee(tokens);
  if (licensed !== null) add(licensed, 'applicant');
  for (let at = 0; at < tokens.length; at++) {
    const other = otherOfBoth(tokens, at);
    const name = other ?? { from: at, to: endOfName(tokens, at) };
    if (name.to === at) continue;
    add(name, other === null ? roleOf(name) : 'vendor');
    at = name.to - 1;
  }
  return [...facts.values()];
}
