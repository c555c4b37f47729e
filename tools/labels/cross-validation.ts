import { scoresOf, type TopicModel } from '../../src/classifier/topics/topic-model.ts';
import { type Example, trainedWeights } from './training.ts';

const FOLDS = 12;
/** Judged topics of a step of the calibration: most scores are far below any hit, so that steps are small. */
const STEP = 40;

/** Assigns whole jurisdictions to folds of about equal size, the same way each time. */
export function foldsOf(jurisdictions: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const name of jurisdictions) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const loads = Array.from({ length: Math.min(FOLDS, sizes.size) }, () => 0);
  const largestFirst = [...sizes].toSorted(([left, many], [right, few]) => few - many || (left < right ? -1 : 1));
  const folds = new Map<string, number>();
  for (const [name, size] of largestFirst) {
    const lightest = loads.indexOf(Math.min(...loads));
    folds.set(name, lightest);
    loads[lightest]! += size;
  }
  return folds;
}

/** Scores of each example by the model that never saw its jurisdiction, and the weights of these models by fold. */
export function leftOutScores(examples: readonly Example[], outputs: readonly string[], seed: number) {
  const folds = foldsOf(examples.map(({ jurisdiction }) => jurisdiction));
  const scores = examples.map((): number[] => []);
  const weightsBy = new Map<number, TopicModel['weights']>();
  for (const fold of new Set(folds.values())) {
    const isLeftOut = ({ jurisdiction }: Example): boolean => folds.get(jurisdiction) === fold;
    const weights = trainedWeights(
      examples.filter((example) => !isLeftOut(example)),
      outputs,
      seed,
    );
    weightsBy.set(fold, weights);
    for (const [at, example] of examples.entries())
      if (isLeftOut(example)) scores[at] = scoresOf(example.features, { outputs, weights });
  }
  return { scores, weights: weightsBy };
}

interface Judged {
  readonly score: number;
  readonly isRight: boolean;
  /** Share of a clear example, from 0 to 1. */
  readonly weight: number;
}

const weightOf = (judged: readonly Judged[]): number => judged.reduce((sum, { weight }) => sum + weight, 0);

/** Returns rising pairs of score and share of right answers, by merging neighbors that fall (isotonic regression). */
export function calibrationOf(judged: readonly Judged[]): TopicModel['calibration'] {
  const sorted = judged.toSorted((left, right) => left.score - right.score);
  const blocks: { scores: number; right: number; count: number }[] = [];
  for (let from = 0; from < sorted.length; from += STEP) {
    const part = sorted.slice(from, from + STEP);
    blocks.push({
      scores: part.reduce((sum, { score, weight }) => sum + score * weight, 0),
      right: weightOf(part.filter(({ isRight }) => isRight)),
      count: weightOf(part),
    });
    while (blocks.length > 1 && share(blocks.at(-2)!) >= share(blocks.at(-1)!)) mergeLast(blocks);
  }
  return blocks.map((block) => [round(block.scores / block.count), round(share(block))] as const);
}

const share = ({ right, count }: { right: number; count: number }): number => (right + 0.5) / (count + 1);
const round = (value: number): number => Math.round(value * 1_000) / 1_000;

function mergeLast(blocks: { scores: number; right: number; count: number }[]): void {
  const last = blocks.pop()!;
  const before = blocks.at(-1)!;
  before.scores += last.scores;
  before.right += last.right;
  before.count += last.count;
}
