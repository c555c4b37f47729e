import type { Act } from './lexicon.ts';
import type { ResolvedAct } from './resolve.ts';

/** Result of a motion. `void`: withdrawn, put off, or contradictory. */
export type MotionResult = 'carried' | 'failed' | 'void';
/** "The original motion", "a substitute motion". */
type Rank = 'first' | 'substitute' | null;

/** One statement of a text about a motion or an act. */
export type Statement =
  /**
   * A motion. `moved` is null if its words follow. `isFormal`: the text calls it a motion; otherwise it might be a
   * proposal.
   */
  | {
      readonly is: 'motion';
      readonly moved: ResolvedAct | null;
      readonly result: MotionResult | null;
      readonly rank: Rank;
      readonly isFormal: boolean;
    }
  /** The result of an earlier motion. */
  | { readonly is: 'result'; readonly result: MotionResult; readonly rank: Rank }
  /**
   * An act that was done. `isByAdvice`: as others advised. `isBare`: a single word, which might be the result of a
   * motion. `isPlain`: needs no vote.
   */
  | {
      readonly is: 'done';
      readonly done: ResolvedAct;
      readonly isBare: boolean;
      readonly isPlain: boolean;
      readonly isByAdvice?: boolean;
    }
  /** The item itself failed. */
  | { readonly is: 'failure' }
  /** A change of an earlier motion: "amended to deny". */
  | { readonly is: 'change'; readonly act: Act }
  /** An act that others advised or requested. */
  | { readonly is: 'reported'; readonly act: Act };
