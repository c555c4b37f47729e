import { wordSet } from '../text/words.ts';
import type { Token } from './tokens.ts';

export const COMPANY_SUFFIXES = wordSet(
  'inc incorporated llc lllp llp pllc lp ltd limited corp corporation company co pc dpc pbc plc pa',
);
/** Last words of names of organizations. */
export const ORGANIZATION_WORDS = wordSet(`
  company association authority university college foundation church institute partnership partners associates
  group builders developers construction contractors contracting engineers engineering consultants consulting
  enterprises industries services system systems solutions technologies bank club society alliance coalition center
  hospital ministries trust union league chamber network holdings properties homes district education railroad
  forum clinic
`);
/** The same that end no name of a service. */
export const CERTAIN_ORGANIZATIONS = wordSet(`
  company association university college foundation institute partners associates corporation enterprises society
  chamber group
`);
/** Words that end a name in any case of letters. */
const NEVER_IN_NAMES = wordSet(`
  a an as at by before be been being after any are is was has have had if in into it its near not on onto or per than
  that then this these those through under until upon via when where which while who whose will with within without
  to from over between during regarding concerning relating pursuant including located generally doing requesting
  requests request requested authorize authorizing authorization approve approving approval amend amending amendment
  amendments award awarding execute execution extend extension renewal agreement agreements contract contracts lease
  ordinance resolution license permit application petition variance rezoning rezone zoning amount total cost costs
  purchase providing provide provides subject change order closing designating establishing creating naming ground
  master interlocal intergovernmental interagency consider discussion possible action proposal proposals bid bids for
  so such there they using utilizing settlement lawsuit styled claim claims individually adopt accept receive ratify rename renew install replace
`);
const CONNECTORS = wordSet('of and & the de la del los las y');
/** Articles of other languages that open names: "La Example". */
const FOREIGN_ARTICLES = wordSet('la el los las de del');
/** Connectors only inside of a company's name: "Sample Lofts at Example Square, LLC". */
const IN_COMPANIES = wordSet('at on in');
const ALIASES = wordSet('dba d/b/a fka f/k/a');
const GENERATIONS = wordSet('jr sr ii iii');
/** Connectors only after the first words of names such as "Center for …". */
const BEFORE_FOR = wordSet(`
  center foundation institute alliance council coalition association society partnership fund campaign
`);

/** Number of tokens of the longest name that is read. */
const LONGEST_NAME = 24;
const OFFICES = wordSet('commission department agency administration office');
const QUOTES = /^["“”]$/;
const CODE = /^\p{Lu}{1,5}(?:\d{2,}|-\d)/u;

export const isNameWord = (token: Token | undefined): boolean =>
  token !== undefined &&
  token.kind === 'word' &&
  token.isCapital &&
  !NEVER_IN_NAMES.has(token.word) &&
  !CONNECTORS.has(token.word) &&
  !CODE.test(token.text);
const isNumberInName = (token: Token | undefined): boolean =>
  token?.kind === 'number' || (token?.kind === 'word' && /^\d/.test(token.text));
/** "A." in a name of a person. */
const isInitial = (token: Token | undefined): boolean => /^\p{Lu}\.$/u.test(token?.text ?? '');
const isSuffix = (token: Token | undefined): boolean => COMPANY_SUFFIXES.has(token?.word ?? '');
const isAlias = (token: Token | undefined): boolean => ALIASES.has(token?.word ?? '');

/** `short`: the name ends before "and", also if both sides might be one name. */
type Extent = 'short' | 'long';

/** True if an organization's form or kind ends the name words that begin at `at`. */
function endsAsOrganization(tokens: readonly Token[], at: number): boolean {
  for (let next = at; next < tokens.length && next < at + 6; next++) {
    const token = tokens[next]!;
    if (isSuffix(token) || ORGANIZATION_WORDS.has(token.word) || OFFICES.has(token.word)) return true;
    if (!isNameWord(token) && token.text !== ',') return false;
  }
  return false;
}

/** True if the form of a company ends the name words that begin at `at`. */
function endsAsCompany(tokens: readonly Token[], at: number): boolean {
  let next = at;
  while (next < at + 5 && isNameWord(tokens[next]) && !isSuffix(tokens[next])) next++;
  return next > at && isSuffix(tokens[tokens[next]?.text === ',' ? next + 1 : next]);
}

/** True if "and" or "&" at `at` is inside one name: of an organization, or of a couple ("Ann & Bob Example"). */
function joinsOneName(tokens: readonly Token[], first: number, at: number): boolean {
  if (tokens[at]!.text === '&') return true;
  if (tokens[at - 1]!.word === 'county') return false;
  const isCouple = at - first === 1 && endOfName(tokens, at + 1, 'short') === at + 3;
  return isCouple || (!CERTAIN_ORGANIZATIONS.has(tokens[at - 1]!.word) && endsAsOrganization(tokens, at + 1));
}

/** Index after the connectors at `at` if a name word follows them; -1 if not. */
function afterConnectors(tokens: readonly Token[], first: number, at: number, extent: Extent): number {
  let next = at;
  for (; next < tokens.length && next - at < 3; next++) {
    const { word } = tokens[next]!;
    const isFor = word === 'for' && at - first < 3 && BEFORE_FOR.has(tokens[at - 1]!.word);
    const isAnd = word === 'and' || word === '&';
    const isInCompany = next === at && IN_COMPANIES.has(word) && endsAsCompany(tokens, next + 1);
    const joins = isAnd
      ? extent === 'long' && joinsOneName(tokens, first, next)
      : CONNECTORS.has(word) || isFor || isInCompany;
    if (!joins || (word === 'the' && next === at)) break;
  }
  return next > at && isNameWord(tokens[next]) ? next : -1;
}

/** Index after a comma inside a name: "Example, Inc.", "Lock, Stock & Barrel, LLC"; -1 for another comma. */
function afterComma(tokens: readonly Token[], first: number, at: number): number {
  const next = tokens[at + 1];
  if (isSuffix(next) || isAlias(next) || GENERATIONS.has(next?.word ?? '')) return at + 1;
  const isList = at - first < 3 && isNameWord(next) && /^(?:and|&)$/.test(tokens[at + 2]?.word ?? '');
  return isList && endsAsOrganization(tokens, at + 3) ? at + 1 : -1;
}

/**
 * Index after the form of a company if the name continues there: "LLC dba Sample", "Corporation of Example"; else -1.
 */
function afterSuffix(tokens: readonly Token[], at: number): number {
  const alias = tokens[at]?.text === ',' ? at + 1 : at;
  const name = tokens[alias + 1]?.word === 'the' ? alias + 2 : alias + 1;
  return (isAlias(tokens[alias]) || tokens[at]?.word === 'of') && isNameWord(tokens[name]) ? name : -1;
}

/** Index of the next token of the name that began at `first`; -1 if it ends before `at`. */
function stepInName(tokens: readonly Token[], first: number, at: number, extent: Extent): number {
  const token = tokens[at];
  if (token === undefined || at - first === LONGEST_NAME) return -1;
  if (tokens[at - 1]?.word === 'limited' && token.word === 'partnership') return at + 1;
  if (token.text === ',' && isSuffix(tokens[at + 1])) return at + 1;
  if (isSuffix(tokens[at - 1]) && !isSuffix(token)) return afterSuffix(tokens, at);
  if (token.text === ',') return afterComma(tokens, first, at);
  if (isNameWord(token) || isAlias(token) || (isInitial(token) && isNameWord(tokens[at + 1]))) return at + 1;
  if (isNumberInName(token)) {
    const next = tokens[at + 1]?.text === ',' ? tokens[at + 2] : tokens[at + 1];
    return isNameWord(tokens[at + 1]) || isSuffix(next) ? at + 1 : -1;
  }
  const isNickname = QUOTES.test(token.text) && QUOTES.test(tokens[at + 2]?.text ?? '') && isNameWord(tokens[at + 3]);
  return isNickname ? at + 3 : afterConnectors(tokens, first, at, extent);
}

/** True if a word with digits is the name of a company: "ABC20, LLC". */
const endsAsCode = (tokens: readonly Token[], at: number): boolean =>
  CODE.test(tokens[at]!.text) && tokens[at + 1]?.text === ',' && isSuffix(tokens[at + 2]);

/** Index after the name that begins at `at`; `at` itself if none does. */
export function endOfName(tokens: readonly Token[], at: number, extent: Extent = 'long'): number {
  let end = at;
  while (isNumberInName(tokens[end]) && end - at < 2) end++;
  const isArticle =
    FOREIGN_ARTICLES.has(tokens[end]?.word ?? '') && tokens[end]!.isCapital && isNameWord(tokens[end + 1]);
  const isCode = tokens[end]?.isCapital && endsAsCode(tokens, end);
  if (!isArticle && !isCode && (!isNameWord(tokens[end]) || isSuffix(tokens[end]))) return at;
  end++;
  for (let next = stepInName(tokens, at, end, extent); next > end; next = stepInName(tokens, at, end, extent))
    end = next;
  while (isAlias(tokens[end - 1]) || tokens[end - 1]!.text === ',') end--;
  return end;
}

/** True if the tokens end in, or have inside, the form of a company. */
export const hasCompanySuffix = (tokens: readonly Token[], from: number, to: number): boolean =>
  tokens.slice(from + 1, to).some(isSuffix);
