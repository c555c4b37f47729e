import { wordSet } from '../text/words.ts';
import { endOfName, hasCompanySuffix, isNameWord } from './names.ts';
import { hasWord, type Token } from './tokens.ts';

/** Tokens from `from` up to `to`; `hasNumber` if a house number opens it. */
export interface StreetSpan {
  readonly from: number;
  readonly to: number;
  readonly hasNumber: boolean;
  /** Two streets with one type: "Oak and Elm Streets". */
  readonly isPair: boolean;
}

const STREET_TYPES = wordSet(`
  street streets st avenue avenues ave boulevard boulevards blvd road roads rd drive dr lane ln parkway pkwy
  freeway fwy expressway highway hwy tollway turnpike cir roads boulevards drives lanes
`);
/** Types that are also other words: they need a house number, or another street next to them. */
const WEAK_TYPES = wordSet(`
  court ct way place pl loop row alley crossing run square path cove bend pass plaza trail trl pike glen ter
  terrace circle point ridge hill
`);
export const DIRECTIONS = wordSet('north south east west northeast northwest southeast southwest n s e w ne nw se sw');
/** First words of roads with a number. */
const NUMBERED_ROADS = wordSet(`
  highway hwy interstate ih sh us fm rm cr loop spur route rt i road avenue ave street sr pr
`);
const ROAD_NUMBER = /^\d{1,4}[A-Z]?$/;
/** "Avenue I". */
const LETTERED = /^ave(?:nue)? [a-z]$/;
const JOINED_ROAD = /^(?:I|IH|US|SH|FM|RM|CR|SR)-?\d{1,4}[NSEW]?$/;
const ORDINAL = /^\d{1,3}(?:st|nd|rd|th)$/i;
const HOUSE_NUMBER = /^\d{1,6}[A-Z]?(?:-\d{1,6})?$/;
/** Words whose number is no house number. */
const BEFORE_OTHER_NUMBERS = wordSet(`
  highway hwy interstate loop no section chapter phase lot lots block district part year unit item section article
  suite number # 
`);
const UNITS = wordSet('suite suites ste unit units apt apartment building bldg #');
const NOT_IN_STREETS = wordSet(`
  lot lots block tract phase section corner corners intersection side line portion block blocks right-of-way feet
  foot mile miles acres acre city county town village avenue street advanced various residential annual local
  major public private neighborhood emergency existing unimproved paved asphalt concrete capital project
  improvement improvements traffic payment benefit warrants program collector arterial drainage sewer sidewalk
  commissioners district municipal supreme appellate probate justice circuit hazardous stormwater unlimited limited
`);
const NO_STREET_AFTER = wordSet('patrol safety fund department program commission authority standards bond bonds');
/** Plurals of types: they need two names, as in "Oak and Elm Streets". */
const PLURAL_TYPES = wordSet('streets avenues roads boulevards drives lanes');
const OPENING_QUOTE = /^[‘“"']$/;
const LONGEST_NAME = 4;

const isType = (token: Token | undefined): boolean =>
  token !== undefined && (STREET_TYPES.has(token.word) || WEAK_TYPES.has(token.word));
const isPartOfName = (token: Token | undefined): boolean =>
  token !== undefined && (ORDINAL.test(token.text) || (isNameWord(token) && !NOT_IN_STREETS.has(token.word)));

/** Index after "State Highway 6", "FM 1462", "I-35", "County Road 12"; -1 if no such road begins at `at`. */
function afterNumberedRoad(tokens: readonly Token[], at: number): number {
  if (JOINED_ROAD.test(tokens[at]!.text)) return at + 1;
  let next = at;
  while (
    /^(?:us|state|county|interstate|farm|to|market|ranch|texas|farm-to-market|ranch-to-market)$/.test(
      tokens[next]?.word ?? '',
    ) &&
    next - at < 4
  )
    next++;
  if (!NUMBERED_ROADS.has(tokens[next]?.word ?? '')) return -1;
  while (/^(?:highway|hwy|road|no|loop|spur|#)$/.test(tokens[next + 1]?.word ?? '')) next++;
  const number = tokens[next + 1];
  if (number === undefined || !tokens[at]!.isCapital) return -1;
  const id = number.text.replace('.', '');
  if (!ROAD_NUMBER.test(id) && !LETTERED.test(`${tokens[next]!.word} ${id.toLowerCase()}`)) return -1;
  return /^(?:frontage|service|access)$/.test(tokens[next + 2]?.word ?? '') && isType(tokens[next + 3])
    ? next + 4
    : next + 2;
}

/** Index after the street whose name begins at `at`, and whether its type is certain; null if there is none. */
function streetFrom(tokens: readonly Token[], at: number): { readonly to: number; readonly isSure: boolean } | null {
  let next = at;
  while (DIRECTIONS.has(tokens[next]?.word ?? '') && tokens[next]!.isCapital && next - at < 2) next++;
  const numbered = tokens[next] === undefined ? -1 : afterNumberedRoad(tokens, next);
  if (numbered > 0) return { to: afterDirection(tokens, numbered), isSure: true };
  // "South Boulevard": the direction is the name.
  const first = next > at && isType(tokens[next]) && tokens[next]!.isCapital ? next - 1 : next;
  while (next - first <= LONGEST_NAME && tokens[next] !== undefined) {
    const token = tokens[next]!;
    if (next > first && isType(token) && (token.isCapital || /^[a-z]/.test(token.text))) {
      if (token.word === 'st' && isNameWord(tokens[next + 1]) && !isType(tokens[next + 1])) return null;
      const hasSecondType = isType(tokens[next + 1]) && tokens[next + 1]!.isCapital;
      const last = hasSecondType ? next + 1 : next;
      return { to: afterDirection(tokens, last + 1), isSure: STREET_TYPES.has(tokens[last]!.word) };
    }
    if (!isPartOfName(token)) return null;
    next++;
  }
  return null;
}

/** Index after a direction behind the street: "Main Street North". */
function afterDirection(tokens: readonly Token[], at: number): number {
  const token = tokens[at];
  return token?.isCapital && DIRECTIONS.has(token.word) && !isNameWord(tokens[at + 1]) ? at + 1 : at;
}

/** Index after ", Suite 100". */
function afterUnit(tokens: readonly Token[], at: number): number {
  const unit = tokens[at]?.text === ',' ? at + 1 : at;
  if (!UNITS.has(tokens[unit]?.word ?? '')) return at;
  const id = tokens[unit + 1];
  return id !== undefined && id.kind !== 'mark' && id.text.length < 7 ? unit + 2 : at;
}

const MONTHS = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;

/** True if a house number is at `at`: no number of a lot or highway, no day or year of a date. */
function isHouseNumber(tokens: readonly Token[], at: number): boolean {
  if (at < 0 || !HOUSE_NUMBER.test(tokens[at]!.text)) return false;
  const before = tokens[at - 1];
  const isYear = before?.text === ',' && /^\d\d?$/.test(tokens[at - 2]?.text ?? '');
  return (
    !isYear && !BEFORE_OTHER_NUMBERS.has(before?.word ?? '') && !MONTHS.test(before?.word ?? '') && before?.text !== '-'
  );
}

/** Index of the first house number of "1129, 1133 and 1137", of which the last is at `at`. */
function firstNumber(tokens: readonly Token[], at: number): number {
  let from = at;
  while (/^(?:,|and|&|-|–)$/.test(tokens[from - 1]?.word ?? '') && isHouseNumber(tokens, from - 2)) from -= 2;
  return from;
}

/** "at 709 W. Austin": a direction between a house number and a name, as a street without its type. */
function streetWithoutType(
  tokens: readonly Token[],
  at: number,
): { readonly to: number; readonly isSure: boolean } | null {
  const isAddress = DIRECTIONS.has(tokens[at]!.word) && isHouseNumber(tokens, at - 1) && tokens[at - 2]?.word === 'at';
  return isAddress && isPartOfName(tokens[at + 1]) ? { to: at + 2, isSure: false } : null;
}

/** True if a name at `at` continues as the name of a company: "105 Church Road Partners LLC". */
function isCompany(tokens: readonly Token[], at: number, to: number): boolean {
  const end = endOfName(tokens, at);
  return end > to && hasCompanySuffix(tokens, at, end);
}

/** Index of the first name of "Oak and Elm Streets", whose second one is at `at`; `at` if there is none. */
function firstOfPair(tokens: readonly Token[], at: number): number {
  if (!hasWord(tokens[at - 1], 'and &')) return at;
  let from = at - 1;
  while (at - from <= LONGEST_NAME && isPartOfName(tokens[from - 1])) from--;
  return from === at - 1 ? at : from;
}

/** The streets and addresses of a text. Streets of a weak type are in `weak` and count only next to another street. */
export function streetsOf(tokens: readonly Token[]): (StreetSpan & { readonly isSure: boolean })[] {
  const spans: (StreetSpan & { readonly isSure: boolean })[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (!token.isCapital && !ORDINAL.test(token.text)) continue;
    const street = streetFrom(tokens, at) ?? streetWithoutType(tokens, at);
    if (street === null) continue;
    if (NO_STREET_AFTER.has(tokens[street.to]?.word ?? '') || OPENING_QUOTE.test(tokens[at - 1]?.text ?? '')) continue;
    if (hasWord(tokens[at - 1], 'a an')) continue;
    const isPair = PLURAL_TYPES.has(tokens[street.to - 1]!.word);
    const first = isPair ? firstOfPair(tokens, at) : at;
    if (isPair && first === at) continue;
    const hasNumber = isHouseNumber(tokens, at - 1);
    const from = hasNumber ? firstNumber(tokens, at - 1) : first;
    if (!isCompany(tokens, from, street.to)) {
      const to = hasNumber ? afterUnit(tokens, street.to) : street.to;
      spans.push({ from, to, hasNumber, isPair, isSure: street.isSure || hasNumber });
    }
    at = street.to - 1;
  }
  return spans;
}
