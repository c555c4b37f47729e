import type { Act } from './lexicon.ts';
import { has, type Token } from './tokens.ts';
import { wordSet } from '../text/words.ts';

/** The act that a verb and its object express. */
export interface ResolvedAct {
  /** Null if it decides nothing on the item. */
  readonly act: Act | null;
  /** True if the words might decide something that was not understood. */
  readonly isUnclear: boolean;
}

const resolvedAs = (act: Act | null): ResolvedAct => ({ act, isUnclear: false });
export const nothingDecided = resolvedAs(null);
/** Agreement with advice of unknown content. */
export const agreedWithAdvice = resolvedAs('agreed');
export const unclear: ResolvedAct = { act: null, isUnclear: true };

/** Acts that exclude each other: an item has at most one of them. */
export const DECISIVE: ReadonlySet<Act | null> = new Set<Act>([
  'approved',
  'denied',
  'deferred',
  'withdrawn',
  'deleted',
  'no_action',
]);

const LINKS = wordSet(
  'the a an this that of for to be been is was were in on with by and his her its their above said',
);
/** Words that end the object of a verb. */
const BEHIND_THING = wordSet(
  'to no with without per based pursuant due because subject as by until under following against contrary',
);
/** Words after "continue", "defer" and so on that do not name another thing that is continued. */
const PUT_OFF_TO = wordSet(
  'to until till for at by from on in with without as per due and over back so pending two one',
);
/** Words for the work on an item, which is put off together with it. */
const CONSIDERATION = wordSet('consideration action vote discussion decision second reading final');
/** Things that are withdrawn although the item stays. */
const STAYS = wordSet('support name second objection objections opposition funds letter comments');
/**
 * Words after "approved" that mean that the item comes back: "to be heard in June", "to forward to Council", "for
 * publication".
 */
const COMES_BACK = new Set([
  ...['heard', 'reheard', 'brought', 'returned', 'continued'].map((verb) => `to be ${verb}`),
  ...['bring', 'come', 'return', 'revisit', 'forward', 'send', 'set', 'schedule', 'advertise', 'publish'].map(
    (verb) => `to ${verb}`,
  ),
  ...['publication', 'advertising', 'advertisement', 'consideration'].map((end) => `for ${end}`),
]);
const BIDS = wordSet('bid bids quotes offers proposals');

const hasAct = (tokens: readonly Token[], isSuch: (act: Act, token: Token) => boolean): boolean =>
  tokens.some((token) => token.act !== null && isSuch(token.act, token));
export const namesBids = (tokens: readonly Token[]): boolean => tokens.some(({ text }) => BIDS.has(text));

/** Returns the object of a verb without its modifiers: "the request" of "the request based on the findings". */
function thingOf(object: readonly Token[]): readonly Token[] {
  const end = object.findIndex(({ kind, text }) => kind === 'pause' || BEHIND_THING.has(text));
  return end < 0 ? object : object.slice(0, end);
}

interface Phrase {
  readonly verb: Token;
  /** Returns the words after the verb, up to its result. */
  readonly object: readonly Token[];
}

/**
 * The act that an object names, with its own object: "the Commission’s recommendation of denial", "the request to
 * withdraw".
 */
function namedIn(object: readonly Token[]): Phrase | null {
  const at = object.findIndex(({ act }) => act !== null && act !== 'procedural');
  const verb = object[at];
  if (verb === undefined) return null;
  const before = object.slice(0, at);
  // A request to deny something asks for more than an end of the item.
  const isOfOthers = before.some(
    ({ kind, text }) => kind === 'advice' || (text === 'request' && verb.act !== 'denied'),
  );
  const isDirect = before.every(
    ({ text, kind }) =>
      LINKS.has(text) ||
      /’s?$/.test(text) ||
      ['advice', 'report', 'outsider', 'body'].includes(kind) ||
      (isOfOthers && kind === 'item'),
  );
  const link = before.at(-1)?.text;
  const isNamed = verb.form === 'noun' || (isOfOthers && link === (verb.form === 'base' ? 'to' : 'be'));
  return isDirect && isNamed ? { verb, object: object.slice(at + 1) } : null;
}

function approve(object: readonly Token[]): ResolvedAct {
  const named = namedIn(object);
  if (named !== null && named.verb.act !== 'approved') return resolve(named);
  const hasOther = hasAct(
    object,
    (act, { form }) =>
      (DECISIVE.has(act) && act !== 'approved') ||
      act === 'reversed' ||
      act === 'reconsidered' ||
      (act === 'referred' && form === 'base'),
  );
  const thing = thingOf(object);
  const opening = object.slice(0, 3).map(({ text }) => text);
  const isPutOff = COMES_BACK.has(opening.join(' ')) || COMES_BACK.has(opening.slice(0, 2).join(' '));
  const isFirstReading = /^(?:first|1st) reading\b/.test(opening.join(' '));
  if (
    isFirstReading ||
    isPutOff ||
    hasOther ||
    has(object, 'part') ||
    has(object, 'appeal') ||
    has(thing, 'side_issue')
  )
    return unclear;
  return has(thing, 'advice') ? agreedWithAdvice : resolvedAs('approved');
}

function deny(object: readonly Token[], isAppeal: boolean): ResolvedAct {
  const thing = thingOf(object);
  if (hasAct(object, (act) => act !== 'approved' && act !== 'procedural' && act !== 'referred')) return unclear;
  // The item might be the rejection of all bids, or the award to one of them.
  if (namesBids(thing)) return nothingDecided;
  const isOther =
    has(object, 'part') || has(thing, 'side_issue') || has(thing, 'advice') || (has(thing, 'appeal') && !isAppeal);
  return isOther ? unclear : resolvedAs('denied');
}

function putOff(verb: Token, object: readonly Token[]): ResolvedAct {
  if (
    has(object, 'part') ||
    hasAct(object, (act, { form }) => DECISIVE.has(act) && act !== 'deferred' && form !== 'noun')
  )
    return unclear;
  if (object.some(({ text }) => text === 'indefinitely')) return resolvedAs('no_action');
  const firstWord = object.find(({ text }) => !LINKS.has(text) || PUT_OFF_TO.has(text));
  const isItem =
    firstWord === undefined ||
    firstWord.kind !== 'word' ||
    PUT_OFF_TO.has(firstWord.text) ||
    CONSIDERATION.has(firstWord.text);
  // "Continue the program" continues something else; a tabled or laid-over object is the item.
  return isItem || verb.text.startsWith('tabl') || verb.text.includes(' ') ? resolvedAs('deferred') : unclear;
}

function withdraw(object: readonly Token[]): ResolvedAct {
  const isOther = thingOf(object)
    .slice(0, 4)
    .some(({ kind, text }) => kind === 'number' || kind === 'side_issue' || STAYS.has(text));
  return isOther || hasAct(object, (act) => DECISIVE.has(act) && act !== 'withdrawn')
    ? unclear
    : resolvedAs('withdrawn');
}

/** Agreeing with advice decides the advised act. Upholding an approval leaves an appeal undecided. */
function agree(object: readonly Token[]): ResolvedAct {
  const named = namedIn(object);
  if (named === null && !has(object, 'appeal')) return has(object, 'advice') ? agreedWithAdvice : nothingDecided;
  const isOfAdvice = object.some(({ text }) => text.startsWith('recommendation'));
  if (named === null || has(object, 'appeal') || has(object, 'part') || (named.verb.act === 'approved' && !isOfAdvice))
    return unclear;
  return resolve(named);
}

/** Acts whose object can turn them into another act. The others are taken as they are. */
const BY_OBJECT: Readonly<Partial<Record<Act, (phrase: Phrase, isAppeal: boolean) => ResolvedAct>>> = {
  approved: ({ object }) => approve(object),
  denied: ({ object }, isAppeal) => deny(object, isAppeal),
  deferred: ({ verb, object }) => putOff(verb, object),
  withdrawn: ({ object }) => withdraw(object),
  agreed: ({ object }) => agree(object),
  reversed: () => unclear,
  procedural: () => nothingDecided,
};

/** Returns the act that a verb with its object decides. `isAppeal`: the item itself is an appeal. */
export function resolve(phrase: Phrase, isNegated = false, isAppeal = false): ResolvedAct {
  const { act } = phrase.verb;
  if (isNegated)
    return act === 'approved' && approve(phrase.object).act === 'approved' ? resolvedAs('denied') : unclear;
  const byObject = act === null ? undefined : BY_OBJECT[act];
  return byObject === undefined ? resolvedAs(act) : byObject(phrase, isAppeal);
}

/** Combines the phrases of one motion or sentence; unclear if two of them decide different things. */
export function combine(phrases: readonly ResolvedAct[]): ResolvedAct {
  const acts = phrases.flatMap(({ act }) => act ?? []);
  const [decisive, further] = new Set(acts.filter((act) => DECISIVE.has(act)));
  if (further !== undefined || phrases.some(({ isUnclear }) => isUnclear)) return unclear;
  return resolvedAs(decisive ?? acts[0] ?? null);
}
