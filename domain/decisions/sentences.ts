import type { Act } from './lexicon.ts';
import type { MotionResult } from './statement.ts';
import { asWord, BE, has, isAct, type Token, WAS } from './tokens.ts';
import { wordSet } from '../text/words.ts';

export const ARTICLES = wordSet('the a an this that his her their');
/** Verbs whose object is an act that another person or body is to do. */
const ADVISING = wordSet('recommend direct instruct forward consider discuss initiate');

/** "The requested zoning", "approve the plan recommended for denial". */
function isAdjective(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? '';
  const clause = tokens.slice(tokens.findLastIndex(({ kind }) => kind === 'pause' || kind === 'motion') + 1, at);
  return ARTICLES.has(before) || /’s?$/.test(before) || clause.some((token) => isAct(token) && token.form !== 'noun');
}

/**
 * Returns the end of the words that the token at an index makes a report, history or a condition; null for other
 * tokens.
 */
function quietUntil(tokens: readonly Token[], at: number, next: Token | undefined): 'pause' | 'motion' | 'end' | null {
  const token = tokens[at]!;
  if (token.kind === 'report')
    return tokens[at - 1]?.text === 'be' ? 'motion' : isAdjective(tokens, at) ? null : 'pause';
  if (token.act === 'procedural') return ADVISING.has(token.text) ? 'motion' : null;
  if (token.kind === 'history') return 'pause';
  if (token.kind === 'condition') return /^(?:if|unless|whether)$/.test(token.text) ? 'end' : 'pause';
  const isLabel = token.text.startsWith('recommend') && /^[:–-]$/.test(next?.text ?? '') && !has(tokens, 'motion');
  return isLabel ? 'end' : null;
}

/**
 * Removes the acts that others advise, that are history or that are conditional, and returns the advised ones in
 * `reported`.
 */
export function withoutReports(sentence: readonly Token[]): {
  readonly tokens: readonly Token[];
  readonly reported: readonly Act[];
} {
  const tokens: Token[] = [];
  const reported: Act[] = [];
  let until: 'pause' | 'motion' | 'end' | null = null;
  let isAdvice = false;
  for (const [at, token] of sentence.entries()) {
    if ((until === 'pause' && token.kind === 'pause') || (until !== 'end' && token.kind === 'motion')) until = null;
    if (until !== null) {
      if (isAct(token) && isAdvice) reported.push(token.act);
      const isQuiet = isAct(token) || (until === 'end' && (token.kind === 'carried' || token.kind === 'failed'));
      tokens.push(isQuiet ? asWord(token) : token);
      continue;
    }
    tokens.push(token);
    until = quietUntil(tokens, at, sentence[at + 1]);
    isAdvice = until !== null && token.kind !== 'history' && token.kind !== 'condition';
    if (token.kind !== 'report' || until === null) continue;
    // "That the item be recommended for denial" is a motion; "denial is recommended" names what is advised before.
    if (until === 'motion') tokens[at] = { ...token, kind: 'act', act: 'procedural', form: 'past' };
    const noun = tokens.findLastIndex(({ text }, index) => index < at && !WAS.has(text) && !BE.has(text));
    if (tokens[noun]?.form !== 'noun') continue;
    reported.push(tokens[noun].act!);
    tokens[noun] = asWord(tokens[noun]);
  }
  return { tokens, reported };
}

export interface Segment {
  readonly tokens: readonly Token[];
  /** The words before "motion" or "moved"; null if the segment has none. */
  readonly lead: readonly string[] | null;
  /** Result that precedes the motion: "The Council approved the motion". */
  readonly result: MotionResult | null;
}

const RESULT_OF: Readonly<Partial<Record<Act, MotionResult>>> = {
  approved: 'carried',
  denied: 'failed',
  withdrawn: 'void',
};

/** Removes the end of "the Council approved a" from the words before a motion. */
function takeResult(before: Token[]): Segment['result'] {
  const at = before.findLastIndex(({ text }) => !ARTICLES.has(text));
  const verb = before[at];
  const result = verb?.form === 'past' ? RESULT_OF[verb.act!] : undefined;
  if (result === undefined) return null;
  before.length = at;
  return result;
}

/** The parts of a sentence, each but the first one after a word that begins a motion. */
export function segmentsOf(tokens: readonly Token[]): readonly Segment[] {
  const segments: (Segment & { tokens: Token[] })[] = [{ tokens: [], lead: null, result: null }];
  for (const [at, token] of tokens.entries()) {
    const segment = segments.at(-1)!;
    // "The item was moved to another day" is not a motion.
    const isMovedAway = token.text === 'moved' && WAS.has(tokens[at - 1]?.text ?? '') && tokens[at - 2]?.text !== 'it';
    if (token.kind !== 'motion' || isMovedAway) {
      segment.tokens.push(token);
      continue;
    }
    // "Grant moved to deny": a name.
    if (segment.tokens.length === 1 && segment.tokens[0]!.form === 'base') segment.tokens = [];
    const lead = tokens.slice(Math.max(0, at - 3), at).map(({ text }) => text);
    segments.push({ tokens: [], lead, result: token.text === 'motion' ? takeResult(segment.tokens) : null });
  }
  return segments;
}
