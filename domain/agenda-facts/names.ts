import { wordSet } from '../text/words.ts';
import type { Token } from './tokens.ts';

export const COMPANY_SUFFIXES = wordSet(
  'inc incorporated llc lllp llp pllc lp ltd limited corp corporation company co pc plc pa',
);
/** Last words of names of organizations. */
const ORGANIZATION_WORDS = wordSet(
  'company association authority university college foundation church institute partnership partners associates group builders developers construction contractors contracting engineers engineering consultants consulting enterprises industries services systems solutions technologies bank club society alliance coalition center hospital ministries trust union league chamber network holdings properties homes development district',
);
/** Words that end a name in any case of letters. */
const NEVER_IN_NAMES = wordSet(`
  a an as at by before be been being after all any are is was has have had if in into it its near not on onto or per than that then this these those through
  under until upon via when where which while who whose will with within without would shall may to from over between during regarding concerning relating
  pursuant including located generally doing requesting requests request requested authorize authorizing authorization approve approving approval amend
  amending amendment amendments award awarding execute execution extend extension renewal agreement agreements contract contracts lease ordinance resolution
  license permit application petition variance rezoning rezone zoning amount total cost costs purchase providing provide provides subject change order
  consider discussion possible action proposal proposals bid bids for so such there they using utilizing
`);
const CONNECTORS = wordSet('of and & the de la del los las y dba d/b/a');
/** What belongs to the name after a comma. */
const AFTER_COMMA = new Set([...COMPANY_SUFFIXES, 'jr', 'sr', 'dba', 'd/b/a']);
/** Connectors only after the first words of names such as "Center for …". */
const BEFORE_FOR = wordSet(
  'center foundation institute alliance council coalition association society partnership fund campaign',
);

export const isNameWord = (token: Token | undefined): boolean =>
  token !== undefined &&
  token.kind === 'word' &&
  token.isCapital &&
  !NEVER_IN_NAMES.has(token.word) &&
  !CONNECTORS.has(token.word);
const isNumberInName = (token: Token | undefined): boolean =>
  token?.kind === 'number' || (token?.kind === 'word' && /^\d/.test(token.text));

/** Index after the connectors at `at` if a name word follows them; -1 if not. */
function afterConnectors(tokens: readonly Token[], at: number, isOneName: boolean): number {
  let next = at;
  while (next < tokens.length && next - at < 3) {
    const { word } = tokens[next]!;
    const isAllowed =
      word === 'and' || word === '&'
        ? word === '&' || isOneName
        : CONNECTORS.has(word) || (word === 'for' && BEFORE_FOR.has(tokens[at - 1]?.word ?? ''));
    if (!isAllowed) break;
    next++;
  }
  return next > at && isNameWord(tokens[next]) ? next : -1;
}

/** Whether the words after "and" belong to the same name: they end in the form or kind of an organization. */
function joinsOneName(tokens: readonly Token[], at: number): boolean {
  if (ORGANIZATION_WORDS.has(tokens[at - 1]!.word)) return false;
  for (let next = at + 1; next < tokens.length && next < at + 7; next++) {
    const token = tokens[next]!;
    if (COMPANY_SUFFIXES.has(token.word) || ORGANIZATION_WORDS.has(token.word)) return true;
    if (!isNameWord(token) && token.text !== ',') return false;
  }
  return false;
}

/** Index after the name that begins at `at`; `at` itself if none does. */
export function endOfName(tokens: readonly Token[], at: number): number {
  let next = at;
  while (isNumberInName(tokens[next]) && next - at < 2) next++;
  if (!isNameWord(tokens[next])) return at;
  while (next < tokens.length) {
    const token = tokens[next]!;
    if (token.text === ',' && next > at && AFTER_COMMA.has(tokens[next + 1]?.word ?? '')) {
      next += 2;
      continue;
    }
    const before = tokens[next - 1];
    if (next > at && before !== undefined && COMPANY_SUFFIXES.has(before.word) && !COMPANY_SUFFIXES.has(token.word)) {
      const alias = token.text === ',' ? next + 1 : next;
      if (!/^d\/?b\/?a$/.test(tokens[alias]?.word ?? '')) return next;
      next = alias + 1;
      continue;
    }
    if (isNameWord(token) || (isNumberInName(token) && next > at && isNameWord(tokens[next + 1]))) next++;
    else {
      const after = afterConnectors(tokens, next, token.word === 'and' && joinsOneName(tokens, next));
      if (after < 0) return next;
      next = after;
    }
  }
  return next;
}

export const hasCompanySuffix = (tokens: readonly Token[], from: number, to: number): boolean =>
  tokens.slice(from, to).some(({ word }, at) => at > 0 && COMPANY_SUFFIXES.has(word));
