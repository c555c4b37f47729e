import type { Features } from '../../src/classifier/topics/features.ts';
import { ITEM_OUTPUT } from '../../src/classifier/topics/topic-model.ts';

export interface Example {
  readonly jurisdiction: string;
  readonly features: Features;
  /** Outputs that are true of the item. */
  readonly labels: ReadonlySet<string>;
  /** Outputs about which its readers differ: they teach nothing. */
  readonly unclear: ReadonlySet<string>;
  /** Share of a clear example, from 0 to 1. */
  readonly weight: number;
}

/** A word counts from so many jurisdictions and examples: names of one city are learned nowhere. */
const MIN_JURISDICTIONS = 3;
const MIN_EXAMPLES = 4;
const MIN_PHRASES = 2;

const EPOCHS = 25;
/** Number of last epochs whose weights are averaged. */
const AVERAGED = 10;
const RATE = 0.15;
const DECAY = 0.005;
/** Value of phrases of other topics: they help to tell two topics apart. */
const OTHER_TOPIC = 0.35;
/** Weights before any example: a phrase of a topic speaks for it. */
const PRIOR_BIAS = -4;
const PRIOR: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  sure: { any: 1.8, lead: 1 },
  strong: { any: 2.9, lead: 1.4, multi: 1.1, more: 1.3, text: 1.6, type: 2.4, body: 0.5 },
  weak: { any: 0.6, lead: 0.6, more: 0.5, text: 0.3, type: 0.8 },
};
const PRIOR_PROCEDURE = -0.8;

/**
 * Splits a feature of the lexicon into its parts: `p:zoning.strong|plat` and `zoning.strong:any` belong to `zoning`.
 */
function groupOf(feature: string): { readonly topic: string; readonly strength: string; readonly kind: string } | null {
  const phrase = feature.startsWith('p:');
  const [group, kind] = phrase ? [feature.slice(2).split('|')[0]!, 'phrase'] : feature.split(':');
  const [topic, strength] = group!.split('.');
  return strength === undefined || kind === undefined || (feature.indexOf(':') === 1 && !phrase)
    ? null
    : { topic: topic!, strength, kind };
}

function priorOf(feature: string, output: string): number {
  if (output === ITEM_OUTPUT) return 0;
  if (feature === 'bias') return PRIOR_BIAS;
  const group = groupOf(feature);
  if (group === null) return 0;
  if (group.topic === 'proc') return group.kind === 'lead' ? PRIOR_PROCEDURE : 0;
  return group.topic === output ? (PRIOR[group.strength]?.[group.kind] ?? 0) : 0;
}

function scaleOf(feature: string, output: string): number {
  const group = groupOf(feature);
  if (group === null || !(group.strength in PRIOR) || output === ITEM_OUTPUT || group.topic === output) return 1;
  return group.kind === 'phrase' ? 0 : OTHER_TOPIC;
}

/** Returns the features that are learned, in a fixed order. */
function vocabularyOf(examples: readonly Example[]): string[] {
  const seen = new Map<string, { examples: number; readonly jurisdictions: Set<string> }>();
  for (const { features, jurisdiction } of examples)
    for (const feature of features.keys()) {
      const entry = seen.get(feature) ?? { examples: 0, jurisdictions: new Set() };
      entry.examples += 1;
      entry.jurisdictions.add(jurisdiction);
      seen.set(feature, entry);
    }
  const isLearned = ([feature, { examples: count, jurisdictions }]: [
    string,
    { examples: number; jurisdictions: Set<string> },
  ]): boolean =>
    /^[wlb]:/.test(feature)
      ? jurisdictions.size >= MIN_JURISDICTIONS && count >= MIN_EXAMPLES
      : !feature.startsWith('p:') || count >= MIN_PHRASES;
  return [...seen]
    .filter(isLearned)
    .map(([feature]) => feature)
    .toSorted();
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffle(order: number[], random: () => number): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
}

interface Row {
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

function rowOf(features: Features, columns: ReadonlyMap<string, number>): Row {
  const entries = [...features].filter(([feature]) => columns.has(feature));
  return {
    columns: Int32Array.from(entries, ([feature]) => columns.get(feature)!),
    values: Float64Array.from(entries, ([, value]) => value),
  };
}

function scoreOf({ columns, values }: Row, weights: Float64Array): number {
  let score = 0;
  for (let at = 0; at < columns.length; at += 1) score += weights[columns[at]!]! * values[at]!;
  return score;
}

/** Logistic regression by AdaGrad, with a decay towards the prior instead of zero. */
function weightsOf(
  output: string,
  examples: readonly Example[],
  { rows, vocabulary, seed }: TrainingSet,
): Float64Array {
  const prior = Float64Array.from(vocabulary, (feature) => priorOf(feature, output));
  const scales = Float64Array.from(vocabulary, (feature) => scaleOf(feature, output));
  const weights = Float64Array.from(prior, (weight, column) => weight * scales[column]!);
  const squares = new Float64Array(vocabulary.length).fill(0.5);
  const order = [...examples.keys()].filter((at) => !examples[at]!.unclear.has(output));
  const random = randomOf(seed);
  const mean = new Float64Array(vocabulary.length);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const at of order) {
      const { columns, values } = rows[at]!;
      const { labels, weight } = examples[at]!;
      const error = (1 / (1 + Math.exp(-scoreOf(rows[at]!, weights))) - (labels.has(output) ? 1 : 0)) * weight;
      for (let entry = 0; entry < columns.length; entry += 1) {
        const column = columns[entry]!;
        const scale = scales[column]!;
        const slope = error * values[entry]! * scale + DECAY * (weights[column]! - prior[column]! * scale);
        squares[column]! += slope * slope;
        weights[column]! -= (RATE * scale * slope) / Math.sqrt(squares[column]!);
      }
    }
    if (epoch >= EPOCHS - AVERAGED)
      for (const [column, weight] of weights.entries()) mean[column]! += weight / AVERAGED;
  }
  return mean;
}

interface TrainingSet {
  readonly rows: readonly Row[];
  readonly vocabulary: readonly string[];
  readonly seed: number;
}

const NEGLIGIBLE = 0.02;

/** Learns one linear model for each output. The same examples and seed give the same weights. */
export function trainedWeights(
  examples: readonly Example[],
  outputs: readonly string[],
  seed: number,
): Record<string, number[]> {
  const vocabulary = vocabularyOf(examples);
  const columns = new Map(vocabulary.map((feature, column) => [feature, column]));
  const rows = examples.map(({ features }) => rowOf(features, columns));
  const learned = outputs.map((output) => weightsOf(output, examples, { rows, vocabulary, seed }));
  const weights: Record<string, number[]> = {};
  for (const [column, feature] of vocabulary.entries()) {
    const pairs = learned.flatMap((own, output) => {
      const weight = Math.round(own[column]! * 100) / 100;
      return Math.abs(weight) < NEGLIGIBLE ? [] : [output, weight];
    });
    if (pairs.length > 0) weights[feature] = pairs;
  }
  return weights;
}
