import type { Act } from './lexicon.ts';
import { DECISIVE, type ResolvedAct, unclear } from './resolve.ts';
import type { MotionResult, Statement } from './statement.ts';

/** Result of a motion by the flag of its vote; null if the flag has none. */
export type VoteFlag = 'carried' | 'failed' | null;

type Motion = Pick<Extract<Statement, { is: 'motion' }>, 'moved' | 'rank' | 'isFormal'>;

/** State after a number of statements of a text. */
interface Minutes {
  /** Motions without a result so far. */
  open: readonly Motion[];
  acts: readonly Act[];
  readonly reported: Set<Act>;
  /** True if the text might contain a decision that was not understood. */
  isUnclear: boolean;
  /** The text contradicts itself. */
  isContrary: boolean;
  hasFailedItem: boolean;
  /** True if an act might be history or a proposal unless there was a vote. */
  needsVote: boolean;
  /** The act that others advised was done. */
  isByAdvice: boolean;
  hasVote: boolean;
}

const kindOf = (resolved: ResolvedAct | null): string | null =>
  resolved?.isUnclear ? 'unclear' : (resolved?.act ?? null);

/** A carried substitute replaces the other motions; a motion to reconsider undoes what was decided before. */
function settleMotion(minutes: Minutes, motion: Motion, result: MotionResult): void {
  const others = minutes.open.filter((open) => open !== motion);
  minutes.open = motion.rank === 'substitute' && result === 'carried' ? [] : others;
  const { moved } = motion;
  if (moved === null) minutes.isContrary ||= others.some((open) => kindOf(open.moved) !== null);
  if (moved === null || result !== 'carried') return;
  minutes.hasVote = true;
  if (moved.act === 'reconsidered') minutes.acts = [];
  else if (moved.act !== null) minutes.acts = [...minutes.acts, moved.act];
  if (moved.act !== null && motion.isFormal) minutes.isUnclear = false;
  minutes.isUnclear ||= moved.isUnclear;
}

/** Returns the motion that a result refers to. */
function motionOf({ open }: Minutes, rank: Motion['rank']): Motion | undefined {
  if (rank === 'first') return open.find((motion) => motion.rank !== 'substitute');
  return open.findLast((motion) => rank === null || motion.rank === rank) ?? open.at(-1);
}

function addResult(minutes: Minutes, result: MotionResult, rank: Motion['rank'] = null): void {
  const motion = motionOf(minutes, rank);
  if (motion !== undefined) settleMotion(minutes, motion, result);
  else if (result === 'carried') minutes.hasVote = true;
  else minutes.isContrary ||= minutes.acts.length > 0;
}

function addMotion(minutes: Minutes, { moved, result, rank, isFormal }: Extract<Statement, { is: 'motion' }>): void {
  const last = minutes.open.at(-1);
  // "Motion by Ash. Second by Birch. To deny."
  const isContinued = last !== undefined && last.moved === null;
  const motion: Motion = isContinued ? { moved, rank: rank ?? last.rank, isFormal: true } : { moved, rank, isFormal };
  minutes.open = [...(isContinued ? minutes.open.slice(0, -1) : minutes.open), motion];
  if (result !== null) settleMotion(minutes, motion, result);
}

/** A motion to approve that was amended to a denial is ambiguous. */
const unclearIfOther = (motion: Motion, act: Act): Motion =>
  motion.moved === null || motion.moved.act === act ? motion : { ...motion, moved: unclear };

function addDone(
  minutes: Minutes,
  { done, isBare, isPlain, isByAdvice = false }: Extract<Statement, { is: 'done' }>,
): void {
  const isResult = isBare && minutes.open.length > 0 && (done.act === 'approved' || done.act === 'denied');
  if (isResult) return addResult(minutes, done.act === 'approved' ? 'carried' : 'failed');
  // "Recommendation: denial. Approved": the recommendation or the item.
  const isOfAdvice = isBare && done.act === 'approved' && [...minutes.reported].some((act) => act !== 'approved');
  minutes.isUnclear ||= done.isUnclear || isOfAdvice;
  minutes.isByAdvice ||= isByAdvice && done.act === 'approved';
  if (done.act === null) return;
  // "Motion to deny. Remanded. Carried.": the motion or the referral.
  if (done.act === 'referred') minutes.open = minutes.open.map((motion) => unclearIfOther(motion, 'referred'));
  minutes.acts = [...minutes.acts, done.act];
  minutes.needsVote ||= !isPlain;
}

function applyStatement(minutes: Minutes, statement: Statement): void {
  switch (statement.is) {
    case 'motion':
      return addMotion(minutes, statement);
    case 'result':
      return addResult(minutes, statement.result, statement.rank);
    case 'done':
      return addDone(minutes, statement);
    case 'failure':
      if (minutes.open.length > 0) addResult(minutes, 'failed');
      else minutes.hasFailedItem = true;
      return;
    case 'change':
      minutes.open = minutes.open.map((motion) => unclearIfOther(motion, statement.act));
      return;
    case 'reported':
      minutes.reported.add(statement.act);
      // "Moved to approve. Ash asked to deny. Carried."
      minutes.open = minutes.open.map((motion) => unclearIfOther(motion, statement.act));
  }
}

/** Acts that are not decisive, the most informative ones first. */
const LESSER: readonly Act[] = [
  'referred',
  'filed',
  'agreed',
  'hearing_closed',
  'hearing_held',
  'reversed',
  'reconsidered',
  'procedural',
];

/** Returns the only decisive act, else the most informative one; null if several are decisive. */
function onlyAct(acts: readonly Act[]): Act | null {
  const decisive = new Set(acts.filter((act) => DECISIVE.has(act)));
  const [act = LESSER.find((lesser) => acts.includes(lesser)) ?? null, other] = decisive;
  return other === undefined ? act : null;
}

/** Returns the act that a text and the flag of its vote decide; null if they decide nothing or two different things. */
export function weighStatements(statements: readonly Statement[], flag: VoteFlag): Act | null {
  const minutes: Minutes = {
    open: [],
    acts: [],
    reported: new Set(),
    isUnclear: false,
    isContrary: false,
    hasFailedItem: false,
    needsVote: false,
    isByAdvice: false,
    hasVote: flag === 'carried',
  };
  for (const statement of statements) applyStatement(minutes, statement);
  if (minutes.hasFailedItem) return minutes.acts.length === 0 && flag !== 'carried' ? 'denied' : null;
  if (flag === 'failed') return null;

  const undecided = minutes.open.filter(({ moved }) => kindOf(moved) !== null);
  const last = undecided.at(-1);
  if (new Set(undecided.map(({ moved }) => kindOf(moved))).size > 1) return null;
  if (last !== undefined && flag === 'carried') settleMotion(minutes, last, 'carried');
  else if (last !== undefined && (!last.isFormal || kindOf(last.moved) !== onlyAct(minutes.acts))) return null;
  if (minutes.isUnclear || minutes.isContrary || (minutes.needsVote && !minutes.hasVote)) return null;
  const isAgainstAdvice =
    minutes.isByAdvice && [...minutes.reported].some((act) => DECISIVE.has(act) && act !== 'approved');
  return isAgainstAdvice ? null : onlyAct(minutes.acts);
}
