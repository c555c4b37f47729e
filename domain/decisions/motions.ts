import { combine, nothingDecided, resolve, type ResolvedAct, unclear } from './resolve.ts';
import { ARTICLES, type Segment } from './sentences.ts';
import type { MotionResult, Statement } from './statement.ts';
import { BE, has, isAct, type Token, WAS } from './tokens.ts';
import { wordSet } from '../text/words.ts';

const SUBSTITUTE = wordSet('substitute alternate alternative');
const FIRST = wordSet('main original primary');
/** A body that votes, with the words around its name. */
const VOTERS = wordSet('the city county town village mayor and then aldermen a after discussion motion by');

export const isNegated = (tokens: readonly Token[], at: number): boolean =>
  has(tokens.slice(Math.max(0, at - 3), at), 'not');

/** "To urge the county to deny it": a motion with an unknown verb. A known one can follow: "to find … and deny it". */
function hasUnknownVerb(tokens: readonly Token[]): boolean {
  const at = tokens.findIndex(
    ({ text, kind }, index) =>
      kind === 'word' &&
      tokens[index - 1]?.text === 'to' &&
      !/ly$|^(?:allow|permit)$/.test(text) &&
      !ARTICLES.has(text) &&
      !['number', 'word'].includes(tokens[index - 2]?.kind ?? ''),
  );
  return at >= 0 && (tokens.at(-1)?.text !== 'and' || tokens.slice(at).some(({ text }) => text === 'to'));
}

/**
 * Returns the index of the verb that names the moved act; -1 if there is none. `isOnMotion`: "on motion of Ash, the
 * request was denied".
 */
function verbAt(tokens: readonly Token[], isOnMotion: boolean): number {
  return tokens.findIndex((token, at) => {
    if (!isAct(token)) return false;
    if (token.form === 'noun') return true;
    if (token.form === 'base') return tokens[at - 2]?.kind !== 'failed';
    const near = tokens.slice(Math.max(0, at - 4), at);
    const isOfItem = near.some(({ text }) => WAS.has(text)) && has(tokens.slice(0, at), 'item');
    return isOnMotion || isOfItem || near.some(({ text }) => BE.has(text));
  });
}

/** Returns the result in a token, for a motion with its verb at an index. */
function resultAt(tokens: readonly Token[], at: number, verb: number): MotionResult | null {
  const [token, next] = [tokens[at]!, tokens[at + 1]];
  const before = tokens[at - 1]?.text ?? '';
  if (token.kind === 'failed') return 'failed';
  if (token.kind === 'carried') return isNegated(tokens, at) ? 'failed' : next?.kind === 'advice' ? null : 'carried';
  if (token.form !== 'past' || at <= verb || ARTICLES.has(before) || BE.has(before)) return null;
  // "Be approved and adopted" is not a result; "the motion was seconded and adopted" does.
  if (before === 'and' && verb >= 0) return null;
  if (token.act === 'approved') return isNegated(tokens, at) ? 'failed' : 'carried';
  if (token.act === 'denied') return 'failed';
  return token.act === 'withdrawn' || token.act === 'deferred' ? 'void' : null;
}

/** Returns the result of a motion by the words around its verb, and the index of the first of them after it. */
export function resultIn(
  tokens: readonly Token[],
  verb: number,
): { readonly result: MotionResult | null; readonly at: number } {
  const results = new Set<MotionResult>();
  let end = tokens.length;
  for (let at = 0; at < tokens.length; at += 1) {
    const result = resultAt(tokens, at, verb);
    if (result === null) continue;
    results.add(result);
    if (at > verb && end === tokens.length) end = at;
    // "Failed to carry", "died for lack of a second".
    if (result === 'failed') break;
  }
  const [result = null, further] = results;
  return { result: further === undefined ? result : 'void', at: end };
}

/** Resolves the verb at an index and those that follow after "and". */
export function readPhrases(tokens: readonly Token[], start: number, isAppeal: boolean): ResolvedAct {
  const firstAnd = tokens.findIndex(({ text }, at) => at > start && text === 'and');
  const verbs = tokens.flatMap((token, at) => {
    const before = tokens[at - 1]?.text ?? '';
    const isSecondBe = token.form === 'past' && before === 'be' && firstAnd >= 0 && firstAnd < at;
    const isFurther =
      isAct(token) && at > start && (isSecondBe || (token.form === 'base' && /^(?:and|then|&|,)$/.test(before)));
    return at === start || isFurther ? [at] : [];
  });
  return combine(
    verbs.map((at, index) => {
      const behind = tokens.slice(at + 1, verbs[index + 1]);
      // "Indefinitely postponed".
      const object = tokens[at - 1]?.text === 'indefinitely' ? [tokens[at - 1]!, ...behind] : behind;
      return resolve({ verb: tokens[at]!, object }, isNegated(tokens, at), isAppeal);
    }),
  );
}

/** A part of a sentence after "motion" or "moved". */
export function readMotion({ tokens, lead, result: earlierResult }: Segment, isAppeal: boolean): Statement[] {
  const marks = lead ?? [];
  const isOnMotion = marks.some((text) => text === 'on' || text === 'upon');
  const rank = marks.some((text) => SUBSTITUTE.has(text))
    ? 'substitute'
    : marks.some((text) => FIRST.has(text))
      ? 'first'
      : null;
  const verb = verbAt(tokens, isOnMotion);
  const { result: statedResult, at } = resultIn(tokens, verb);
  const result = statedResult ?? earlierResult;
  if (verb >= 0) {
    // "Moved against approval", "for no approval".
    const before = tokens.slice(0, verb);
    const isNoun = tokens[verb]!.form === 'noun';
    const isAgainst = isNoun && (/^(?:against|no|non)$/.test(before.at(-1)?.text ?? '') || has(before, 'appeal'));
    // "That no license be granted".
    const isOfNone = !isNoun && before[before.at(0)?.text === 'that' ? 1 : 0]?.text === 'no';
    const isUnknown = hasUnknownVerb(before);
    const moved =
      isAgainst || isOfNone ? unclear : isUnknown ? nothingDecided : readPhrases(tokens.slice(0, at), verb, isAppeal);
    const isDone = isOnMotion && (tokens[verb]!.form === 'past' || has(tokens.slice(0, verb), 'vote'));
    return [{ is: 'motion', moved, result: result ?? (isDone ? 'carried' : null), rank, isFormal: true }];
  }
  if (result !== null) return [{ is: 'result', result, rank }];
  // "Birch seconded the motion" does not begin a motion.
  const isKnown = ARTICLES.has(marks.at(-1) ?? '') && marks.at(-1) !== 'a';
  return isKnown ? [] : [{ is: 'motion', moved: null, result: null, rank, isFormal: true }];
}

interface Vote {
  /** Index of the beginning of the clause; `at`: index of the verb that was voted on. */
  readonly start: number;
  readonly verb: number;
  /** False for the vote of a single member. */
  readonly isOfBody: boolean;
}

/** "The Council voted 7-0 to deny", "Ash voted to approve"; null if there are no such words. */
function voteIn(tokens: readonly Token[]): Vote | null {
  const vote = tokens.findIndex(({ kind }) => kind === 'vote');
  const verb =
    vote < 0
      ? -1
      : tokens.findIndex((token, at) => at > vote && isAct(token) && /^(?:to|not|for|of)$/.test(tokens[at - 1]!.text));
  if (verb < 0 || tokens[verb]!.form === 'past') return null;
  const start = tokens.findLastIndex(({ kind }, at) => kind === 'pause' && at < vote) + 1;
  const voters = tokens.slice(start, vote);
  if (voters.some(isAct)) return null;
  return {
    start,
    verb,
    isOfBody: voters.every(({ text, kind }) => kind === 'body' || kind === 'carried' || VOTERS.has(text)),
  };
}

/** The words without the vote of a member: "Denied (Ash voted to approve)". */
export function withoutMemberVote(tokens: readonly Token[]): readonly Token[] {
  const vote = voteIn(tokens);
  return vote === null || vote.isOfBody ? tokens : tokens.slice(0, vote.start);
}

/** Returns the statements of a vote; null for words that are not a vote of a body on an act. */
export function readVote(tokens: readonly Token[], isAppeal: boolean): Statement[] | null {
  const vote = voteIn(tokens);
  if (vote === null || !vote.isOfBody || tokens.slice(0, vote.start).some(isAct)) return null;
  const { result, at } = resultIn(tokens, vote.verb);
  const moved = readPhrases(tokens.slice(0, at), vote.verb, isAppeal);
  return [{ is: 'motion', moved, result: result ?? 'carried', rank: null, isFormal: true }];
}
