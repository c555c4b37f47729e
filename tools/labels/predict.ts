import type { CompiledTopics } from '../../src/classifier/keywords.ts';
import { SHIPPED } from '../../src/classifier/topic-hits.ts';
import type { LabelledTitle } from './corpus.ts';
import { type Prediction, predictionOf } from './prediction.ts';

const lineOf = ({ id, kind, topics, stage, summary, businessImpact, facts }: Prediction): string =>
  [
    `${id}: ${kind}, ${stage}`,
    `  topics: ${topics.map(({ topic, confidence }) => `${topic} ${confidence}`).join(', ') || '-'}`,
    `  facts: ${JSON.stringify(facts)}`,
    `  summary: ${summary}`,
    `  impact: ${businessImpact}`,
    '',
  ].join('\n');

/** Returns what the shipped classifier reads in each title, as text or as JSON. */
export function predict(titles: readonly LabelledTitle[], topics: CompiledTopics, isJson: boolean): string {
  const predictions = titles.map((title) => predictionOf(title, topics, SHIPPED));
  return isJson ? `${JSON.stringify(predictions, null, 2)}\n` : predictions.map(lineOf).join('');
}
