import { isHeadingTitle } from '../../../domain/agenda/heading.ts';
import { anyOf, anyPhrase, anyWord, pattern } from '../../../domain/text/patterns.ts';
import { wordSet } from '../../../domain/text/words.ts';
import { isAside, sentencesOf } from './sentences.ts';

const STARRED = String.raw`\*+[^*]{1,80}\*+`;
/** A district, a number or capitals in parentheses, which name no reading and no hearing. */
const IN_PARENTHESES = String.raw`\((?![^()]*(?:reading|hearing))(?:[^()]{0,12}\d|[^()]{0,6}[A-Z]{2}[^()a-z]{0,80})\)`;
/** Remarks of the clerk before a title: "***ITEM REVISED***", "(CONTINUED FROM SEPT. 6)", "(CD 7)". */
const REMARK = new RegExp(String.raw`^(?:SUBJECT:|${STARRED}|${IN_PARENTHESES})[\s:–—-]*`);
const NUMBER = String.raw`(?:#|no\.?|number)? ?[\w./]{0,12}-?\d[\w./-]{0,24}`;
const KIND = anyPhrase('ordinance, resolution, bill, item, case, file, motion, agenda item, council bill, order');
/** The number of a file before a title: "2020-099 – ", "Bill No. 7182 – ", "Resolution Number 12 — A RESOLUTION". */
const FILE_NUMBER = new RegExp(
  String.raw`^(?:${KIND} )?${NUMBER}(?: ?\([^()]{0,40}\))?(?:\s?[–—:]\s?| -{1,3} |\. )(?=\p{L}{2})`,
  'iu',
);
const ENACTMENT = '(?:an? )?(?:ordinance|resolution|order)';
const PLACE_NAME = String.raw`[\p{L}. ]{2,40}?(?:, (?:\p{L}+ ?){1,2})?`;
/** The body that enacts: "An ordinance of the City Council of the City of Example, Texas, amending". */
const ENACTED_BY = new RegExp(
  String.raw`^(${ENACTMENT}) (?:of|by) the [\p{L}’' ]{4,60}? of ${PLACE_NAME},? (?=\p{L}+ing\b)`,
  'iu',
);
const FORM_WORDS = wordSet(`
  consider consideration discuss discussion deliberate possible potential action act take any appropriate necessary
  and or on of upon regarding concerning relating related about to with the following item
`);
const HELD_NOW = String.raw`(?:(?:conduct|hold|open) )?(?:an? |the )?public hearings?\b`;
const CALLED = String.raw`(?! (?:to be|on \w+ \d|is|are|will))`;
const RECEIVES = String.raw`(?:(?:and |to )*(?:receive|hear) (?:public )?(?:comments?|input|testimony)\b[\s,]*)?`;
/** "Conduct a public hearing to receive comments on": the clause on what happens names the hearing. */
const HEARING_FORM = new RegExp(String.raw`^${HELD_NOW}${CALLED}[\s,:–—-]*${RECEIVES}`, 'i');
const FORM_STARTS = wordSet('consider consideration discuss discussion deliberate possible action act take');
/** Words that need the form before them. */
const DEPENDENT = wordSet('whether if from for in by at as potentially possibly it them this these same');

const LOOSE = anyPhrase(String.raw`
  (?:take )?(?:any|all)?(?: other)? ?(?:appropriate|necessary|related) actions?, (?:all|other) matters? related thereto,
  (?:any )?(?:other )?(?:related|pertinent) matters?(?: (?:thereto|in connection therewith))?
`);
/** "… and any appropriate action", "and related matters" at the end of a title. */
const LOOSE_END = new RegExp(String.raw`[,;]? and ${LOOSE}\W*$`, 'i');
/** Numbers in parentheses, lists on other pages, and the office that acts for the government. */
const INSERTIONS = new RegExp(
  anyOf(
    String.raw` \([^()]{0,80}\bNos?\. ?[^()]{0,80}\)`,
    String.raw` \((?:list attached|see|copies to) [^()]{1,80}\)`,
    String.raw`, the (?:\w+ ){0,3}ordinance of (?:the )?[^,;]{3,80}(?:, [A-Z]\w+)?(?=,)`,
    String.raw`, acting by and through (?:the )?[^,;]{2,90}(?:,|(?= (?:and|to)\b))`,
  ),
  'gi',
);
const FORMULAS = anyWord('severab repeal conflict saving cumulative effective publication codif preamble');
/** The clauses that end every ordinance: "; providing a severability clause; and providing an effective date". */
const FORMULA_END = new RegExp(
  String.raw`[;,] (?:and )?${anyWord('providing containing repealing making declaring')}\b[^;]{0,60}?\b${FORMULAS}.*$`,
  'i',
);
/** The office or a member of the staff at the end: "… Annexation(Example)", "… Services (Sheriff)". */
const STAFF_END = pattern(
  'u',
  String.raw`(?:(?<=\S)| )\((?!${anyWord('First Second Third Final Revised Continued Amended')})`,
  String.raw`\p{Lu}\p{Ll}+ ?\)\W*$`,
);
/** The beginning of a remark behind the matter, or the name of a file. */
const AFTERWORD = pattern(
  'i',
  String.raw`^${anyPhrase('requested by, report by, please note, staff contact, presenter, section [IVXL\\d]+\\b')}|`,
  String.raw`\.${anyWord('pdf docx? xlsx? pptx?')}\b`,
);

const wordsOf = (text: string): string[] => text.match(/[\p{L}'’]+/gu) ?? [];

/** Removes remarks and numbers before a title. */
function withoutNumbers(title: string): string {
  let rest = title.trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    const next = rest.replace(REMARK, '').replace(FILE_NUMBER, '').trimStart();
    if (wordsOf(next).length > 1) rest = next;
  }
  return rest;
}

/** "Action to approved additional work": what remains would say that it was done. */
const isDone = (word: string): boolean => word.endsWith('ed');

/** Removes "Discuss and consider", "Conduct a public hearing on" and the like, if the rest is a title by itself. */
function withoutForm(title: string): string {
  const hearing = HEARING_FORM.exec(title)?.[0] ?? '';
  const tokens = [...title.slice(hearing.length).matchAll(/[\p{L}\d$#“"’'-]+/gu)];
  const [start = '', second = ''] = tokens.map(([word]) => word.toLowerCase());
  // "Action Plan" and "Discussion Items" are names.
  const isForm = hearing !== '' || start === 'consider' || (FORM_STARTS.has(start) && FORM_WORDS.has(second));
  const first = tokens.find(({ 0: word }) => !FORM_WORDS.has(word.toLowerCase()));
  if (!isForm || first === undefined || DEPENDENT.has(first[0].toLowerCase()) || isDone(first[0])) return title;
  const rest = title.slice(hearing.length + first.index);
  return wordsOf(rest).length < 2 ? title : rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** True for a sentence behind the first one that belongs to the matter. */
const isOwn = (sentence: string): boolean =>
  wordsOf(sentence).length > 2 && !isHeadingTitle(sentence) && !sentence.endsWith(':');

/** Removes remarks behind the first sentence. */
function withoutRemarks(title: string): string {
  const [first = '', ...further] = sentencesOf(title).map(({ start, end }) => title.slice(start, end));
  const end = further.findIndex((sentence) => isAside(sentence) || AFTERWORD.test(sentence));
  const own = further.slice(0, end < 0 ? undefined : end).filter(isOwn);
  return [first, ...own]
    .join(' ')
    .replace(FORMULA_END, '')
    .replace(LOOSE_END, '')
    .replace(/(?<![\s;,:–—-])[\s;,:–—-]+(?:and[\s;]*)?$/, '');
}

/** Returns the words of a title without numbers before it, its form, and remarks behind it. */
export function titleWordsOf(title: string): string {
  const line = title.replace(/\s+/g, ' ').replace(INSERTIONS, '').trim().replace(STAFF_END, '');
  const words = withoutRemarks(withoutNumbers(withoutForm(withoutNumbers(line))).replace(ENACTED_BY, '$1 '));
  return words === '' ? line : words;
}
