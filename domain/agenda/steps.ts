import { anyOf, anyPhrase, anyWord } from '../text/patterns.ts';
import { withoutNumber } from './numbers.ts';
import { MONTHS } from '../months.ts';
import { isNumberWord, titleWords, wordSet } from '../text/words.ts';

/** Maximum characters of the title of a step. */
const MAX_LENGTH = 300;

/** Steps that open, interrupt or end a meeting. A name, a time or a place may follow. */
const ORDER_HEADS = [
  'call(?:ed|ing)? (?:the |this |a |an )?(?:\\w+ ){0,3}(?:back )?to order',
  '(?:roll call|call (?:of )?(?:the )?roll|attendance|excused? absen(?:ce|ces|t)|quorum)',
  '(?:invocation|prayer|benediction|devotion|devotional)',
  '(?:pledges? of|pledges?|salute|posting of (?:the )?colors|presentation of (?:the )?colors|national anthem)',
  '(?:moment|minute) of|silent (?:prayer|meditation|reflection|roll call)|(?:land|territorial) acknowledge?ment',
  '(?:adjourn|adjourned|adjournment|recess|intermission|reconvene|reconvened|convene|dismissal)',
  '(?:open|opening|close|closing|begin|start|end)(?: of)?(?: the)?(?: \\w+)? (?:meeting|court|session|remarks|ceremony|ceremonies|statement|statements)',
  'declare legal notices?|welcome',
  'llamad[ao] al orden|juramento a la bandera',
  '(?:next|upcoming|future) (?:\\w+ ){0,3}meetings?',
] as const;

/** Comments of the public and of the members. */
const SPEECH_HEADS = [
  '(?:public|citizens?|residents?|visitors?|audience|community|open|oral|non agenda|general|written|hearing) (?:hearing )?(?:s )?(?:comments?|participation|input|forum|communications?|presentations|speakers?|microphone|mic|remarks|concerns|testimony|appearances?|to be heard|discussion)',
  '(?:hearing of|comments? (?:from|by|of)|remarks (?:from|by)|communications from|presentations from|appearances? (?:of|by)) (?:the )?(?:public|citizens?|residents?|visitors?|audience|floor|community|persons)',
  'comentarios (?:del )?p[uú]blicos?',
  'persons? to be heard|open mic|registered speakers?|speakers list',
  '(?:announcements?|comments?|remarks) (?:from|by|of) (?:the )?(?:city |town |county )?(?:council|board|commission|commissioners|mayor|members?|staff|chair|trustees|manager)',
  '(?:council|board|commission|commissioners?|mayor|mayors|members?|staff|chair|trustees?|councilmembers?|manager|chairman|president|director)(?: s)? (?:comments?|announcements?|remarks|requests)',
  'announcements?|items of community interest|community interest items|good (?:of the order|and welfare)',
] as const;

/** Decisions on the meeting itself. */
const MEETING_HEADS = [
  '(?:approv(?:e|al)|adopt(?:ion)?|accept(?:ance)?|consider(?:ation)?|review|set|changes|amendments?|modifications?|revisions?|additions|deletions)(?: (?!consent)\\w+){0,5} (?<!consent )(?:agenda|order of (?:business|the day))',
  'agenda (?:approval|review|changes?|additions|deletions|modifications?|revisions?|adjustments?)',
  '(?:disclosures?|declarations?|statements?) of (?:\\w+ ){0,3}(?:interests?|conflicts?|ex parte)|ex parte (?:disclosures?|communications?)|conflicts? of interest|abstentions|recusals',
  '(?:next|upcoming|future) (?:\\w+ ){0,3}(?:agenda items?|agenda topics?)',
  `(?:meetings?|sessions?|workshops?|retreat)(?: (?:of|on|held|held on))? (?:\\w+day )?(?:${MONTHS.join('|')}) \\d+`,
  'swearing in of (?:witnesses|speakers)',
] as const;

/** The only other words in the title of a step. */
const STEP_WORDS = wordSet(`
  a additional an and any are as at be been by court for from general if in into is it its no not of on only or other our per s than that the this to up with within
  pertaining unscheduled vice agenda alderman aldermen allegiance american announcement announcements approval approve attendance bailiff board business call called certify chair chairman chairperson
  citizen citizens city clerk closed closing colors comment comments commission commissioner commissioners committee communication communications community concern concerns conflict conflicts
  consent convene council councilmember councilmembers councilmembers county date declaration declare determination determine disclosure disclosures discussion duly establish establishment executive
  five flag flags forum given guest guests hear heard hearing honor honoring input interest introduction introductions issues item items joint jurisdiction lead led legal limit limited listed manager matters maximum mayor meditation
  meeting meetings member members microphone min minute minutes moment non nonagenda notice notices observance office open opening oral order participation period personal persons person pledge pledges posted
  present presentation presentations president public quorum recite reconvene reflection regarding regular remarks remote request requests resident residents response review roll salute scheduled session silence silent sheriff speak
  speaker speakers special staff state states statement statements suggestions superintendent texas three time times today tonight topics town trustee trustees united upcoming us veterans verify village virtual visitor visitors
  vote welcome wishing work workshop written audience total two each director directors school us u day events event calendar dates future next schedule set adoption accept acceptance adopt additions deletions changes change amendments modifications revisions corrections
  section part continued action taken will agendas absence absences absent excused excuse record recording motion
`);

const CLOSED_HEADS = '(?:executive|closed|private) (?:session|meeting)|551 0[78]\\d|t o m a|toma';
/**
 * The only words in the title of a closed session that names no subject: statutes, and the classes of subjects that
 * they list.
 */
const CLOSED_WORDS = wordSet(`
  a about act action adjourn advice an and annotated any applicable appropriate art article as attorney attorneys authorized be board briefing briefings by ca certain ch chapter city closed code commission conference consult consultation consultations
  convene council counsel county deliberate deliberation deliberations development devices discuss discussion economic enter estate et executive following for from ga go gov govt government held if in into is issues it its land
  law legal litigation local matter matters may meeting meetings move necessary needed negotiations none of on open or our pending per permitted personnel possible potential pre private property prospective provisions public purpose pursuant real recess reconvene regarding regular required return s sec
  section sections security seq session sessions state statute statutes stat subchapter subsection t texas tex the threatened title to toma town tx under v vernon vernons vtca will with o m a c d e f g h i j k
`);

const SUBJECTS_OF_MINUTES = anyPhrase(`
  fees?, rates?, policy, policies, procedures?, software, services?, system, template, format, retention,
  transcription
`);
const AFTER_OTHER_MINUTES = anyOf(
  'each',
  'per',
  'presentation',
  'to speak',
  'maximum',
  'limit',
  String.raw`(?:\w+ )?${SUBJECTS_OF_MINUTES}\b`,
);
const BEFORE_TIME = anyWord('two three four five ten fifteen thirty');
/** "Minutes" that are approved, not minutes of time or something for them: "three minutes", "minutes fee schedule". */
const MINUTES_WORDS = new RegExp(String.raw`(?<!\d |${BEFORE_TIME} )\bminutes\b(?! ${AFTER_OTHER_MINUTES})`);
const BEFORE_MINUTES = anyWord(`
  and or of on to the all possible motion take for regarding a any following consider consideration discuss discussion review read reading
  accept acceptance approve approval adopt adoption act action disposition correct corrections correction
`);
const MINUTES_OPENING = new RegExp(String.raw`^(?:${BEFORE_MINUTES} )*(?:\w+ ){0,10}?minutes\b`);

const TO_SET = anyPhrase(String.raw`
  set, setting, establish\w*, adopt\w*, approv\w+, accept\w*, determine, consider\w*
`);
/** The decision on several meetings: "Set future meeting dates". */
const SCHEDULING = new RegExp(String.raw`^${TO_SET} (?:\w+ ){0,6}(?:dates|calendar|schedule)\b`);

const MATTER_WORDS = anyWord(String.raw`
  ordinances? resolutions? contracts? agreements? amending rezon\w+ purchases? appoint\w* permits? plats? bids? invoices bills payments?
  expenditures? treasurer financial vacancy election policy lawsuit settlement acquisition
`);
/** A title with one of these words is a matter, even if it also names the minutes or a step. */
const MATTER = new RegExp(String.raw`\b${MATTER_WORDS}\b`);

const anyHead = (heads: readonly string[]): RegExp => new RegExp(`\\b${anyOf(...heads)}\\b`);
const ORDER = anyHead(ORDER_HEADS);
const ANY_STEP = anyHead([...ORDER_HEADS, ...SPEECH_HEADS, ...MEETING_HEADS]);
const EVERY_STEP = new RegExp(ANY_STEP.source, 'g');
const CLOSED = anyHead([CLOSED_HEADS]);
/** Separates the name of a step from its speaker, time and place. */
const TAIL = /(?<!\s)\s*(?:[-–—:,;(/\n]|\b(?:by|led|at|until|delivered|given|with)\b)/i;

const hasOnly = (words: readonly string[], allowed: ReadonlySet<string>): boolean =>
  words.every((word) => allowed.has(word) || isNumberWord(word));

function isMadeOfSteps(words: readonly string[]): boolean {
  const text = words.join(' ');
  const rest = text.replaceAll(EVERY_STEP, ' ').split(' ').filter(Boolean);
  return ANY_STEP.test(text) && hasOnly(rest, STEP_WORDS);
}

/** True for the title of a closed session that names no subject. */
export function isClosedSession(title: string): boolean {
  if (title.length > MAX_LENGTH) return false;
  const words = titleWords(withoutNumber(title));
  return CLOSED.test(words.join(' ')) && hasOnly(words, CLOSED_WORDS);
}

function isOrder(text: string): boolean {
  const [name = '', ...rest] = text.split(TAIL);
  const words = titleWords(name);
  return rest.length > 0 && ORDER.test(words.join(' ')) && isMadeOfSteps(words) && !MATTER.test(text.toLowerCase());
}

/**
 * True for the title of a step that every meeting has: its opening and end, the minutes, comments of the public and the
 * members.
 */
export function isStepTitle(title: string): boolean {
  if (title.length > MAX_LENGTH) return false;
  const text = withoutNumber(title);
  const words = titleWords(text);
  const joined = words.join(' ');
  if (MINUTES_WORDS.test(joined) && MINUTES_OPENING.test(joined)) return !MATTER.test(joined);
  if (SCHEDULING.test(joined)) return false;
  return isMadeOfSteps(words) || isOrder(text) || isClosedSession(title);
}
