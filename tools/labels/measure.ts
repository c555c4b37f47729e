import type { CompiledTopics } from '../../src/classifier/keywords.ts';
import type { TrainedTopics } from '../../src/classifier/topic-hits.ts';
import { LABEL_KINDS, type LabelledTitle } from './corpus.ts';
import { type FactsMeasure, type FactsScore, scoreFacts } from './facts-figures.ts';
import { share } from './figures.ts';
import { type Prediction, predictionOf } from './prediction.ts';

interface Judged {
  readonly title: LabelledTitle;
  readonly prediction: Prediction;
}

/** Minimum number of labels for a rate; with fewer, only the cases are printed. */
const MIN_LABELS = 30;

/** Precision and recall of one row of the table: right of returned, right of labelled. */
interface Rate {
  readonly name: string;
  readonly right: number;
  readonly returned: number;
  readonly labelled: number;
}

interface MeasureOptions {
  readonly topics: CompiledTopics;
  readonly trainedFor: (title: LabelledTitle) => TrainedTopics;
  readonly isJson: boolean;
}

function rateOf(name: string, cases: readonly { readonly belongs: boolean; readonly isReturned: boolean }[]): Rate {
  const right = cases.filter(({ belongs, isReturned }) => belongs && isReturned).length;
  return {
    name,
    right,
    returned: cases.filter(({ isReturned }) => isReturned).length,
    labelled: cases.filter(({ belongs }) => belongs).length,
  };
}

const topicCases = (judged: readonly Judged[], slugs: readonly string[]) =>
  judged.flatMap(({ title, prediction }) =>
    slugs
      .filter((slug) => !title.unclear.includes(slug))
      .map((slug) => ({
        belongs: title.topics.includes(slug),
        isReturned: prediction.topics.some(({ topic }) => topic === slug),
      })),
  );

function topicRates(judged: readonly Judged[], slugs: readonly string[]): Rate[] {
  const jurisdictions = [...new Set(judged.map(({ title }) => title.jurisdiction))].toSorted();
  return [
    rateOf('all', topicCases(judged, slugs)),
    rateOf(
      'all, drawn at random',
      topicCases(
        judged.filter(({ title }) => title.isRandom),
        slugs,
      ),
    ),
    rateOf(
      'all, without doubt',
      topicCases(
        judged.filter(({ title }) => !title.isDoubtful),
        slugs,
      ),
    ),
    ...slugs.map((slug) => rateOf(slug, topicCases(judged, [slug]))),
    ...jurisdictions.map((name) =>
      rateOf(
        name,
        topicCases(
          judged.filter(({ title }) => title.jurisdiction === name),
          slugs,
        ),
      ),
    ),
  ];
}

/** Confidence of hits in steps of ten, with the share of correct hits. */
function confidenceRates(judged: readonly Judged[]): Rate[] {
  const hits = judged.flatMap(({ title, prediction }) =>
    prediction.topics
      .filter(({ topic }) => !title.unclear.includes(topic))
      .map(({ topic, confidence }) => ({ tens: Math.floor(confidence / 10), isRight: title.topics.includes(topic) })),
  );
  return [...Map.groupBy(hits, ({ tens }) => tens)]
    .toSorted(([left], [right]) => left - right)
    .map(([tens, own]) => ({
      name: `confidence ${tens * 10} to ${tens * 10 + 9}`,
      right: own.filter(({ isRight }) => isRight).length,
      returned: own.length,
      labelled: 0,
    }));
}

const kindRates = (judged: readonly Judged[]): Rate[] =>
  LABEL_KINDS.map((kind) =>
    rateOf(
      kind,
      judged.map(({ title, prediction }) => ({
        belongs: title.kind === kind,
        isReturned: prediction.kind === kind,
      })),
    ),
  );

function stageRates(judged: readonly Judged[]): Rate[] {
  const matters = judged.filter(({ title }) => title.kind === 'substantive' && title.stage !== null);
  const stages = [...new Set(matters.map(({ title }) => title.stage!))].toSorted();
  return stages.map((stage) =>
    rateOf(
      stage,
      matters.map(({ title, prediction }) => ({
        belongs: title.stage === stage,
        isReturned: prediction.stage === stage,
      })),
    ),
  );
}

const factRates = (judged: readonly Judged[]): Rate[] =>
  (Object.entries(scoreFacts(judged.map(({ title }) => title))) as [FactsMeasure, FactsScore][]).map(
    ([name, { found, returned, labelled }]) => ({ name, right: found, returned, labelled }),
  );

function cell(right: number, whole: number): string {
  if (whole === 0) return '-';
  return whole < MIN_LABELS ? `${right}/${whole}` : share(right, whole);
}

function tableOf(title: string, rates: readonly Rate[]): string {
  const rows = rates.map(({ name, right, returned, labelled }) => [name, cell(right, returned), cell(right, labelled)]);
  return [
    `\n| ${title} | precision | recall |`,
    '|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

/** Judges titles by their labels, and returns the tables as Markdown or JSON. */
export function measure(titles: readonly LabelledTitle[], { topics, trainedFor, isJson }: MeasureOptions): string {
  const judged = titles.map((title) => ({ title, prediction: predictionOf(title, topics, trainedFor(title)) }));
  const tables = {
    topics: topicRates(
      judged,
      topics.topics.map(({ slug }) => slug),
    ),
    confidence: confidenceRates(judged),
    kinds: kindRates(judged),
    stages: stageRates(judged),
    facts: factRates(judged),
  };
  if (isJson) return `${JSON.stringify(tables, null, 2)}\n`;
  return Object.entries(tables)
    .map(([title, rates]) => tableOf(title, rates))
    .join('');
}
