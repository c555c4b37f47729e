import type { CaseNumberFact, DistrictFact } from './facts.ts';
import { quote, type Reading, type Token } from './tokens.ts';
import { wordSet } from '../text/words.ts';

const ELECTED = wordSet('council commissioner commissioners supervisorial aldermanic ward precinct cd');
const DISTRICT_WORDS = wordSet('district districts precinct precincts ward wards cd');
const DISTRICT = /^(?:\d{1,3}|[A-Z])$/;

const isDistrict = (token: Token | undefined): token is Token => token !== undefined && DISTRICT.test(token.text);

/** Index of the number of a district after the word at `at`, past "No." and ":"; -1 if there is none. */
function numberAfter(tokens: readonly Token[], at: number): number {
  let next = at + 1;
  while (tokens[next]?.word === 'no' || tokens[next]?.text === ':' || tokens[next]?.text === '#') next++;
  return isDistrict(tokens[next]) ? next : -1;
}

/** The districts that elect members of the body: "Council District 7", "Precinct 3", "(CD 5)". */
export function districtsOf(reading: Reading): DistrictFact[] {
  const { tokens } = reading;
  const facts: DistrictFact[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const { word } = tokens[at]!;
    const opens = word.startsWith('district') ? ELECTED.has(tokens[at - 1]?.word ?? '') : DISTRICT_WORDS.has(word);
    if (!opens) continue;
    let number = numberAfter(tokens, at);
    while (number > 0) {
      facts.push({ ...quote(reading, number, number), district: tokens[number]!.text });
      let next = number + 1;
      while (tokens[next]?.text === ',' || tokens[next]?.word === 'and' || tokens[next]?.text === '&') next++;
      number = next > number + 1 && isDistrict(tokens[next]) ? next : -1;
    }
  }
  return facts;
}

/** Words before the number of a case; a number of a contract, ordinance or bid is no case number. */
const CASE_WORDS = wordSet('case cases cause docket appeal application petition plat rezoning variance file');
const FILLERS = wordSet('no nos number numbers # :');
const CASE_NUMBER = /^(?=[^\d]*\d)[A-Z0-9]{1,8}(?:[-–./][A-Z0-9]{1,8})+$/i;
/** A case number without a word before it: letters, then numbers with hyphens. */
const BARE_CASE_NUMBER = /^[A-Z]{1,6}-?\d{2,6}(?:-[A-Z0-9]{1,8})+$|^[A-Z]{1,5}-\d{2,4}-\d{1,6}[A-Z]?$/;

/** The numbers of zoning cases, plats, appeals and lawsuits. */
export function caseNumbersOf(reading: Reading): CaseNumberFact[] {
  const { tokens } = reading;
  const facts: CaseNumberFact[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (!CASE_NUMBER.test(token.text)) continue;
    let before = at - 1;
    while (before >= 0 && FILLERS.has(tokens[before]!.word)) before--;
    if (CASE_WORDS.has(tokens[before]?.word ?? '') || BARE_CASE_NUMBER.test(token.text)) {
      facts.push({ ...quote(reading, at, at), value: token.text });
    }
  }
  return facts;
}
