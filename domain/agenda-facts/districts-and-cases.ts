import { anyWord } from '../text/patterns.ts';
import { wordSet } from '../text/words.ts';
import type { CaseNumberFact, DistrictFact } from './facts.ts';
import { quote, type Reading, type Token } from './tokens.ts';

const ELECTED = wordSet('council commissioner commissioners supervisor supervisorial aldermanic trustee');
const DISTRICT_WORDS = wordSet('precinct precincts ward wards cd');
/** A precinct of one of these elects nobody to the body. */
const OTHER_PRECINCTS = wordSet('constable constables peace jp police voting election justice');
const DISTRICT = /^(?:\d{1,3}|[A-Z])$/;

const isDistrict = (token: Token | undefined): token is Token => token !== undefined && DISTRICT.test(token.text);

/** Index of the number of a district after the word at `at`, past "No." and ":"; -1 if there is none. */
function numberAfter(tokens: readonly Token[], at: number): number {
  let next = at + 1;
  while (tokens[next]?.word === 'no' || tokens[next]?.text === ':' || tokens[next]?.text === '#') next++;
  return isDistrict(tokens[next]) ? next : -1;
}

/** Index of the next number of "Districts 7, 8 and 9"; -1 if the list is over. */
function nextInList(tokens: readonly Token[], at: number): number {
  let next = at + 1;
  while (tokens[next]?.text === ',' || tokens[next]?.word === 'and' || tokens[next]?.text === '&') next++;
  return next > at + 1 && isDistrict(tokens[next]) ? next : -1;
}

/** The districts that elect members of the body: "Council District 7", "Precinct 3", "(CD 5)". */
export function districtsOf(reading: Reading): DistrictFact[] {
  const { tokens } = reading;
  const facts = new Map<string, DistrictFact>();
  for (let at = 0; at < tokens.length; at++) {
    const { word } = tokens[at]!;
    const before = tokens[at - 1]?.text === ',' ? tokens[at - 2] : tokens[at - 1];
    const isElected = /^districts?$/.test(word) && ELECTED.has(before?.word ?? '');
    if (!isElected && (!DISTRICT_WORDS.has(word) || OTHER_PRECINCTS.has(before?.word ?? ''))) continue;
    for (let number = numberAfter(tokens, at); number > 0; number = nextInList(tokens, number)) {
      const district = tokens[number]!.text;
      if (!facts.has(district)) facts.set(district, { ...quote(reading, number, number), district });
    }
  }
  return [...facts.values()];
}

const CASE_WORDS = wordSet('case cases cause docket appeal application petition rezoning variance');
const LABELS = wordSet('no nos number numbers #');
/** Words before other numbers than those of cases. */
const OTHER_NUMBERS = wordSet(`
  contract contracts ordinance resolution bid rfp rfq rfb ifb itb agreement mou grant communication section sec chapter policy
  order project fund check invoice series form bill listing
`);
/** "Z-12-3", "BOA2024-15"; years and sections of codes have no such form. */
const CODE = /^(?=[^\d]*\d)[A-Z0-9]{1,9}(?:-{1,2}[A-Z0-9]{1,8})+$/i;
/** A code that is the number of a case without a word before it. */
const BARE_CODE = /^[A-Z]{1,6}-?\d{2,6}-\d{1,6}[A-Z]?$|^[A-Z]{1,4}-\d{2,4}-\d{1,6}(?:-[A-Z0-9]{1,4})?$/;
/** Letters before other numbers: bids, months, years, highways, bills, resolutions and standards. */
const OTHER_CODES = anyWord(String.raw`
  rf[bpq] ifb itb bid mou pkr fy sh ord res jan feb mar apr may jun jul aug sep oct nov dec (?:bl|rs|en|iso|astm)(?=\d) r(?=20\d\d)
`);
const NO_CASE = new RegExp(`^${OTHER_CODES}`, 'i');
const CASE_PART = /^(?:\d{3,9}|[A-Z]{1,4}\d{0,8})$/;

/** Index of the last token of the number that a label such as "Application No." at `at` opens; -1 if none follows. */
function endOfLabelled(tokens: readonly Token[], at: number): number {
  let end = -1;
  for (let next = at; next < at + 3; next++) {
    const { text = '' } = tokens[next] ?? {};
    if (!CODE.test(text) && !CASE_PART.test(text)) break;
    end = next;
  }
  return tokens.slice(at, end + 1).some(({ text }) => /\d/.test(text)) ? end : -1;
}

/** Index of the last token of the case number that begins at `at`; -1 if none does. */
function endOfCaseNumber(tokens: readonly Token[], at: number): number {
  let before = at - 1;
  while (LABELS.has(tokens[before]?.word ?? '') || tokens[before]?.text === ':') before--;
  if (before < at - 1 && tokens[before]?.text === '(') before--;
  const word = tokens[before]?.word ?? '';
  if (CASE_WORDS.has(word) && before < at - 1) return endOfLabelled(tokens, at);
  const { text } = tokens[at]!;
  if (!CODE.test(text) || OTHER_NUMBERS.has(word)) return -1;
  return CASE_WORDS.has(word) || (BARE_CODE.test(text) && !NO_CASE.test(text)) ? at : -1;
}

/** The numbers of zoning cases, plats, appeals and lawsuits. */
export function caseNumbersOf(reading: Reading): CaseNumberFact[] {
  const facts = new Map<string, CaseNumberFact>();
  for (let at = 0; at < reading.tokens.length; at++) {
    const end = endOfCaseNumber(reading.tokens, at);
    if (end < 0) continue;
    const quoted = quote(reading, at, end);
    if (!facts.has(quoted.sourceText)) facts.set(quoted.sourceText, { ...quoted, value: quoted.sourceText });
    at = end;
  }
  return [...facts.values()];
}
