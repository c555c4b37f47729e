import { anyWord } from '../text/patterns.ts';
import { withoutNumber } from './numbers.ts';
import { isStepTitle } from './steps.ts';
import { isNumberWord, titleWords, wordSet } from '../text/words.ts';

/** Maximum characters of a heading. Sources do not limit their titles. */
const MAX_LENGTH = 200;

/** A title of a section contains at least one of these words. */
const SECTION_NAMES = wordSet(`
  agenda agendas business items hearing hearings ordinances resolutions legislation reports readings communications correspondence petitions presentations proclamations
  recognitions appointments nominations cases addition additions deletion deletions addendum addenda consent matters motions proceedings updates briefings memorials ceremonial
`);
/** Names of sections only if another word qualifies them: "Staff Report", "First Reading", "Work Session". */
const NAMED_SECTIONS = wordSet('report reading session discussion update ordinance resolution minutes');
const QUALIFIERS = wordSet(`
  staff manager mayor mayors council committee committees attorney administrator clerk secretary department departments officer officers officials liaison liaisons board boards commission commissions
  superintendent director chief president informal informational first second third final work special executive open regular study
`);
/** Names that are rarely the whole title of a matter. */
const SURE_NAMES = wordSet(
  'agenda agendas business items consent hearing hearings ordinances resolutions report reports communications correspondence session readings',
);
/** Further words that a title of a section may contain. */
const SECTION_WORDS = wordSet(`
  a an and any as by for from in of on or other s the their to under with
  act acting action actions administration administrative administrator adopt adoption advisement and approval approve approved attorney board boards business calendar cases ceremonial chief city clerk commission commissioner commissioners
  commissions committee committees community consider consideration considered continued cont county council councilmember councilmembers day deferred department departments departmental director discuss discussion district elected emergency
  enactment executive external final first following former further general held immediate individual individually informal information informational intergovernmental introduced introduction items journal judicial land legal legislative
  liaison liaisons manager mayor mayors member members miscellaneous motions new no non official officials officer officers old open outside passage pending planning portion possible postponed president previous previously public pulled quasi
  received recurring regular related removed request requests required requiring routine schedule scheduled second secretary section separate separately set special staff standing study submitted superintendent tabled taken third town trustees unfinished upcoming village vote voting
  work workshop session sessions zoning 1st 2nd 3rd
`);

/** Subjects by which agendas group their items. The same words can be the title of an item. */
const GROUP_WORDS = wordSet(`
  awards bids board capital case cases claims code codes communication contracts contract appeals amendment amendments applications change changes development easements eminent domain economic finance general grants individual improvements infrastructure land landmark license licenses liquor
  permits plan plans planning plat plats platting preliminary procurement projects property provision purchase purchases purchasing real estate safety sign site special specific staff street streets subdivision subdivisions districts district thoroughfare transportation use uses utilities vacations variances
  works zoning rezonings abandonments annexations budget parks recreation library police fire services underadvisement final appointment names name public conditional miscellaneous informational and or under advisement consent other new old
`);

/** Function words, which make a subject a matter: "Use of the library". */
const FUNCTION_WORDS = wordSet('a an any as by for from in of on s the their to with');

const UNIT_FIRST = '(?:The )?(?:Department|Office|Division|Bureau) of .*';
const UNIT_LAST = anyWord(`
  Department Office Services Division Library Courts? Judiciary Solutions Service Utilities Authority Agency Bureau Works Resources Recreation
`);
const CAPITALIZED = String.raw`(?:(?:\p{Lu}[^\s.;:$\d]*|and|of|&) )*`;
/** The name of a part of the administration: words that begin with a capital, and no verb or object. */
const UNIT_NAME = new RegExp(String.raw`^(?:${UNIT_FIRST}|${CAPITALIZED}${UNIT_LAST})(?:\/311)?$`, 'u');
/** "ZONING: ADAMS, CHR. BAKER CLARK", "Finance Committee (Lee, Chair)": a committee and its chair. */
const CHAIR =
  '(?:[Vv](?:ice)?[-. ]+|[Cc]o-?)?(?:CHR|Chr|CHMN?|Chmn?|CHAIR(?:MAN|WOMAN|PERSON)?|Chair(?:man|woman|person)?)';
const CHAIRED = new RegExp(
  `^[^.;:(]{2,80}[:(–—-]\\s*\\p{Lu}[\\p{L}.'’ -]{1,50},\\s*${CHAIR}\\b[.)]*(?:[\\s,]+\\p{Lu}[\\p{L}.'’-]*)*[\\s.)]*$`,
  'u',
);
const MAX_WORDS = { capitals: 8, unit: 9, chaired: 25 } as const;

const hasWord = (words: readonly string[], names: ReadonlySet<string>): boolean =>
  words.some((word) => names.has(word));

/** True for a title of a section on any agenda: "Consent Agenda", "Second Reading of Ordinances", "Staff Reports". */
export function isSectionTitle(title: string): boolean {
  if (title.length > MAX_LENGTH) return false;
  const text = withoutNumber(title);
  if (isChaired(text)) return true;
  const words = titleWords(text);
  const isNamed = hasWord(words, SECTION_NAMES) || (hasWord(words, NAMED_SECTIONS) && hasWord(words, QUALIFIERS));
  const vocabulary = [SECTION_NAMES, NAMED_SECTIONS, QUALIFIERS, SECTION_WORDS];
  return isNamed && words.every((word) => isNumberWord(word) || vocabulary.some((set) => set.has(word)));
}

/** True for a title of a section that is probably not a matter, even in a list of numbered matters. */
export const isSureSectionTitle = (title: string): boolean =>
  isSectionTitle(title) && hasWord(titleWords(title), SURE_NAMES);

function isChaired(text: string): boolean {
  return CHAIRED.test(text) && titleWords(text).length <= MAX_WORDS.chaired && !/\d/.test(text);
}

const isCapitals = (title: string): boolean => /\p{Lu}/u.test(title) && !/\p{Ll}/u.test(title) && !/\d/.test(title);

/** True for a title that could head a group of items: a few words in capitals, a department, or a general subject. */
export function isGroupTitle(title: string): boolean {
  if (title.length > MAX_LENGTH) return false;
  const text = withoutNumber(title).trim();
  const words = titleWords(text);
  if (words.length === 0) return false;
  if (isCapitals(text) && words.length <= MAX_WORDS.capitals) return true;
  if (UNIT_NAME.test(text) && words.length <= MAX_WORDS.unit) return true;
  return words.every(
    (word) => !FUNCTION_WORDS.has(word) && [GROUP_WORDS, SECTION_WORDS, SECTION_NAMES].some((set) => set.has(word)),
  );
}

/** True for the title of a section or of a step that every meeting has. */
export const isHeadingTitle = (title: string): boolean => isSectionTitle(title) || isStepTitle(title);
