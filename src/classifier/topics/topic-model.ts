import { readFileSync } from 'node:fs';
import type { Features } from './features.ts';

/** Output that is true for items that the body decides, hears or receives, and false for steps and headings. */
export const ITEM_OUTPUT = 'item';

/** Linear models of topics, as `npm run labels -- --train` writes them. */
export interface TopicModel {
  /** Hash of the labelled items that the weights were learned from. */
  readonly corpus: string;
  readonly seed: number;
  /** Slugs of topics with a model, and `ITEM_OUTPUT`. */
  readonly outputs: readonly string[];
  /** Lowest score of `ITEM_OUTPUT` of an item that has topics. */
  readonly itemFrom: number;
  /** Pairs of score and probability, ascending; probabilities between two scores are interpolated. */
  readonly calibration: readonly (readonly [score: number, probability: number])[];
  /** Weights by feature: pairs of the number of an output and a weight. */
  readonly weights: Readonly<Record<string, readonly number[]>>;
}

export const shippedTopicModel = (): TopicModel =>
  JSON.parse(readFileSync(new URL('weights.json', import.meta.url), 'utf8')) as TopicModel;

/** Returns the score of each output. A feature without weights counts nothing. */
export function scoresOf(features: Features, { outputs, weights }: Pick<TopicModel, 'outputs' | 'weights'>): number[] {
  const scores = outputs.map(() => 0);
  for (const [feature, value] of features) {
    const pairs = Object.hasOwn(weights, feature) ? weights[feature]! : [];
    for (let at = 0; at < pairs.length; at += 2) scores[pairs[at]!]! += pairs[at + 1]! * value;
  }
  return scores;
}

/** Returns the calibrated probability of a score, from 0 to 1. */
export function probabilityOf(score: number, calibration: TopicModel['calibration']): number {
  const above = calibration.findIndex(([bound]) => bound >= score);
  if (above === -1) return calibration.at(-1)![1];
  if (above === 0) return calibration[0]![1];
  const [lowScore, low] = calibration[above - 1]!;
  const [highScore, high] = calibration[above]!;
  return low + ((score - lowScore) / (highScore - lowScore)) * (high - low);
}
