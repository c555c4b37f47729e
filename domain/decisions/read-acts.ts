import type { Act } from './lexicon.ts';
import { isNegated, readPhrases, readVote, resultIn, withoutMemberVote } from './motions.ts';
import { agreedWithAdvice, DECISIVE, nothingDecided, resolve, type ResolvedAct, combine, unclear } from './resolve.ts';
import type { Statement } from './statement.ts';
import { BE, has, isAct, isAmbiguous, type Token, WAS } from './tokens.ts';
import { wordSet } from '../text/words.ts';

const CONNECTIVES = wordSet('to and then by at for a an the of with vote be hereby unanimously');
/**
 * Words after "approved", "denied" and so on with which it is still the action itself. Other words name an object: the
 * text might be history or a proposal.
 */
const PLAIN_FOLLOWERS = wordSet(
  'and as at back by due for from in indefinitely on over per subject to unanimously under until with without w item items consent',
);

/** The year of an earlier day, "in 2017", "on March 3, 2026"; an item is put off to a later one. */
function hasEarlierDate(tokens: readonly Token[], act: Act): boolean {
  if (tokens.some(({ text }) => text === 'minutes')) return false;
  const year = tokens.findIndex(({ text }) => /^(?:19|20)\d\d$/.test(text));
  const before = tokens.slice(0, Math.max(0, year)).map(({ text }) => text);
  if (act === 'deferred' && before.some((text) => /^(?:to|until|till|for)$/.test(text))) return false;
  return before.slice(-5).some((text) => /^(?:in|on|from|since|of)$/.test(text));
}

/** "Denial was approved", "The recommendation of denial was followed". */
function readNoun(tokens: readonly Token[], at: number, isAppeal: boolean): Statement[] {
  const noun = tokens[at]!;
  const [isAdvice, verb] = [
    has(tokens.slice(0, at), 'advice'),
    tokens.findIndex(({ form }, index) => index > at && form === 'past'),
  ];
  const done = tokens[verb];
  if (done === undefined && isAdvice) return [{ is: 'reported', act: noun.act! }];
  const object = tokens.slice(at + 1, Math.max(at + 1, verb));
  const isTaken = done?.act === 'approved' || (done?.act === 'agreed' && (noun.act !== 'approved' || isAdvice));
  let resolved = unclear;
  // "On reconsideration, denied" undoes what was done before.
  const isUndone = noun.act === 'reconsidered' && /^(?:on|upon|after|following)$/.test(tokens[at - 1]?.text ?? '');
  if (isUndone) resolved = unclear;
  else if (done?.act === 'denied')
    resolved = noun.act === 'approved' ? resolve({ verb: done, object }, false, isAppeal) : nothingDecided;
  else if (isTaken && !isNegated(tokens, verb)) resolved = resolve({ verb: noun, object }, false, isAppeal);
  return [{ is: 'done', done: resolved, isBare: false, isPlain: true }];
}

/** Resolves a verb in the past tense to an act on the item. */
function resolveDone(tokens: readonly Token[], at: number, isAppeal: boolean): ResolvedAct {
  const [subject, object] = [tokens.slice(0, at), tokens.slice(at + 1)];
  const act = tokens[at]!.act!;
  if (has(subject, 'side_issue')) return nothingDecided;
  if (has(subject, 'advice') && (act === 'approved' || act === 'agreed')) {
    // "Recommendation followed and denied".
    const further = tokens.findIndex(
      (token, index) =>
        index > at && token.form === 'past' && DECISIVE.has(token.act) && tokens[index - 1]!.text === 'and',
    );
    return further < 0 ? agreedWithAdvice : combine([agreedWithAdvice, readPhrases(tokens, further, isAppeal)]);
  }
  const isOfAnother =
    has(subject, 'part') || has(subject, 'vote') || (has(subject, 'appeal') && !(isAppeal && act === 'denied'));
  const isContrary = has(object, 'failed') && act !== 'no_action';
  return isOfAnother || isContrary || hasEarlierDate(object, act) ? unclear : readPhrases(tokens, at, isAppeal);
}

/** "The request was denied 7-0", "Laid over two weeks", "Approved". */
function readDone(tokens: readonly Token[], at: number, isAppeal: boolean): Statement[] {
  const { act, text } = tokens[at]!;
  const [subject, object] = [tokens.slice(0, at), tokens.slice(at + 1)];
  const isPassive = subject.some((token) => WAS.has(token.text) || BE.has(token.text));
  if (has(subject, 'outsider') && !isPassive && !has(subject, 'item') && act !== 'withdrawn')
    return [{ is: 'reported', act: act! }];
  const follower = object[0];
  const isPlain =
    follower?.kind !== 'word' ||
    PLAIN_FOLLOWERS.has(follower.text) ||
    act === 'no_action' ||
    text.includes(' ') ||
    has(subject, act === 'withdrawn' ? 'outsider' : 'body');
  const isBare =
    subject.every((token) => token.kind === 'pause' || CONNECTIVES.has(token.text)) &&
    object.every((token) => ['pause', 'number', 'carried', 'vote'].includes(token.kind) || CONNECTIVES.has(token.text));
  // "Approved per staff".
  const isByAdvice = /^(?:per|as)$/.test(follower?.text ?? '') && (has(object, 'advice') || has(object, 'outsider'));
  return [{ is: 'done', done: resolveDone(tokens, at, isAppeal), isBare, isPlain, isByAdvice }];
}

/** A result alone: "Carried 7-0", "Vote: 7-0", "The ordinance failed". */
function readResult(tokens: readonly Token[]): Statement[] {
  const { result, at } = resultIn(tokens, -1);
  const subject = tokens.slice(0, at);
  const isOfItem =
    result === 'failed' &&
    /^(?:fail(?:ed|s)?|lost|defeated)$/.test(tokens[at]!.text) &&
    (subject.length === 0 || has(subject, 'item')) &&
    !has(tokens, 'side_issue') &&
    !tokens.some(({ text }) => text.includes('second'));
  if (isOfItem) return [{ is: 'failure' }];
  if (result !== null) return [{ is: 'result', result, rank: null }];
  const isTally =
    tokens.every(({ kind }) => kind === 'number' || kind === 'pause' || kind === 'vote') &&
    tokens.some(({ text }) => /^\d+[-–/]0(?:[-–/]\d+)*$/.test(text));
  return isTally ? [{ is: 'result', result: 'carried', rank: null }] : [];
}

const isBeginning = ({ kind, text }: Token): boolean =>
  kind === 'pause' || kind === 'number' || kind === 'not' || text === 'to' || /^\p{L}$/u.test(text);

/** "Approve the contract", "(a) Deny the request": what is proposed, or a motion in short. */
function readProposal(tokens: readonly Token[], at: number, isAppeal: boolean): Statement[] {
  const earlier = tokens.slice(0, at);
  if (/^(?:be|[:–-])$/.test(earlier.at(-1)?.text ?? '') || earlier.every(isBeginning)) {
    const { result, at: end } = resultIn(tokens, at);
    return [
      { is: 'motion', moved: readPhrases(tokens.slice(0, end), at, isAppeal), result, rank: null, isFormal: false },
    ];
  }
  // "Hearing closed and adopt".
  const isAtHearing = earlier.some(({ act }) => act?.startsWith('hearing'));
  if (isAtHearing) return [{ is: 'done', done: readPhrases(tokens, at, isAppeal), isBare: false, isPlain: true }];
  return isAmbiguous(tokens[at]!) ? [] : [{ is: 'done', done: unclear, isBare: false, isPlain: false }];
}

const isWeak = ({ act, text }: Token): boolean =>
  act === 'procedural' || act!.startsWith('hearing') || text === 'filed';

/** A part of a sentence without "motion" or "moved". */
export function readActs(whole: readonly Token[], isAppeal: boolean): Statement[] {
  const label = whole.findIndex(({ text }) => text === ':');
  const tokens = withoutMemberVote(label >= 0 && !whole.slice(0, label).some(isAct) ? whole.slice(label + 1) : whole);
  const vote = readVote(tokens, isAppeal);
  if (vote !== null) return vote;
  const verb = tokens.find((token) => isAct(token) && !isWeak(token)) ?? tokens.find(isAct);
  if (verb === undefined) return readResult(tokens);
  const at = tokens.indexOf(verb);
  const earlier = tokens.slice(0, at);
  const isOfOthers =
    earlier.at(-1)?.text === 'to' && earlier.some(({ kind, text }) => kind === 'advice' || text === 'request');
  const isNoun =
    verb.form === 'noun' ||
    (verb.form === 'base' && isOfOthers && tokens.slice(at).some(({ form }) => form === 'past'));
  if (isNoun) return readNoun(tokens, at, isAppeal);
  const isProposed = verb.form === 'base' || earlier.at(-1)?.text === 'be';
  return isProposed ? readProposal(tokens, at, isAppeal) : readDone(tokens, at, isAppeal);
}
