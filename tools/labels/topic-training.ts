import type { ReadTexts, TrainedTopics } from '../../src/classifier/topic-hits.ts';
import { topicTexts } from '../../src/classifier/topic-hits.ts';
import type { CompiledTopics } from '../../src/classifier/keywords.ts';
import { type Features, featuresOf } from '../../src/classifier/topics/features.ts';
import type { Lexicon } from '../../src/classifier/topics/lexicon.ts';
import { wordsOf } from '../../src/classifier/topics/words.ts';
import { ITEM_OUTPUT, type TopicModel } from '../../src/classifier/topics/topic-model.ts';
import type { LabelledTitle } from './corpus.ts';
import { calibrationOf, foldsOf, leftOutScores } from './cross-validation.ts';
import { CITIES } from './recordings.ts';
import { type Example, trainedWeights } from './training.ts';

/** Topics with fewer than 30 real examples: their keywords decide. */
const KEYWORD_TOPICS = new Set(['data-centers', 'short-term-rentals', 'annexation']);
const SEED = 1;
/** Lowest score of an item that is no step, heading or note. */
const ITEM_FROM = -1;
/** Share of a label that another careful reader could give differently. */
const DOUBTFUL = 0.5;
/** Share of a title of the four recorded cities, of which there are many: they would outweigh all others. */
const RECORDED_CITY = 0.4;
/** Share of an invented title. */
const INVENTED = 0.6;

export const readTextsOf = ({ title, text, matterType, body }: LabelledTitle): ReadTexts => ({
  title,
  text,
  matterType: matterType ?? '',
  bodyName: body,
});

/** Returns the words that some title has in lower case: others are names of cities, streets and people. */
function commonWords(titles: readonly LabelledTitle[]): ReadonlySet<string> {
  const common = new Set<string>();
  for (const { title } of titles)
    for (const { stem, start } of wordsOf(title)) if (!/\p{Lu}/u.test(title[start]!)) common.add(stem);
  return common;
}

/** Returns the features without those of names. */
const withoutNames = (features: Features, common: ReadonlySet<string>): Features =>
  new Map(
    [...features].filter(
      ([feature]) =>
        !/^[wlb]:/.test(feature) ||
        feature
          .slice(2)
          .split(' ')
          .every((word) => common.has(word)),
    ),
  );

interface TopicReading {
  readonly topics: CompiledTopics;
  readonly lexicon: Lexicon;
}

const isRecorded = (jurisdiction: string): boolean => CITIES.some(({ name }) => name === jurisdiction);
const isInvented = ({ id }: LabelledTitle): boolean => id.startsWith('invented/');

function shareOf(title: LabelledTitle): number {
  if (isInvented(title)) return INVENTED;
  return isRecorded(title.jurisdiction) ? RECORDED_CITY : 1;
}

function exampleOf(title: LabelledTitle, { topics, lexicon }: TopicReading, common: ReadonlySet<string>): Example {
  return {
    jurisdiction: title.jurisdiction,
    features: withoutNames(featuresOf(topicTexts(readTextsOf(title), topics), lexicon), common),
    labels: new Set([...title.topics, ...(title.kind === 'substantive' ? [ITEM_OUTPUT] : [])]),
    unclear: new Set(title.unclear),
    weight: (title.isDoubtful ? DOUBTFUL : 1) * shareOf(title),
  };
}

export interface Training {
  /** The model of all titles. */
  readonly model: TopicModel;
  /** Returns for each title the model that was trained without its jurisdiction. */
  readonly leftOut: ReadonlyMap<LabelledTitle, TrainedTopics>;
}

/** Learns the model of all titles, and one for each group of jurisdictions that is left out. */
export function trainTopics(titles: readonly LabelledTitle[], hash: string, reading: TopicReading): Training {
  const { topics, lexicon } = reading;
  const outputs = [...topics.topics.map(({ slug }) => slug).filter((slug) => !KEYWORD_TOPICS.has(slug)), ITEM_OUTPUT];
  const common = commonWords(titles);
  const examples = titles.map((title) => exampleOf(title, reading, common));
  const { scores, weights: weightsBy } = leftOutScores(examples, outputs, SEED);
  const folds = foldsOf(examples.map(({ jurisdiction }) => jurisdiction));
  const foldOf = (at: number): number => folds.get(examples[at]!.jurisdiction)!;
  const judgedWithout = (fold: number | null) =>
    examples.flatMap(({ labels, unclear }, at) =>
      isInvented(titles[at]!) || foldOf(at) === fold || scores[at]!.at(-1)! < ITEM_FROM
        ? []
        : outputs
            .slice(0, -1)
            .flatMap((slug, output) =>
              unclear.has(slug)
                ? []
                : [{ score: scores[at]![output]!, isRight: labels.has(slug), weight: shareOf(titles[at]!) }],
            ),
    );
  const modelOf = (weights: TopicModel['weights'], fold: number | null): TopicModel => ({
    corpus: hash,
    seed: SEED,
    outputs,
    itemFrom: ITEM_FROM,
    calibration: calibrationOf(judgedWithout(fold)),
    weights,
  });
  const models = new Map([...weightsBy].map(([fold, weights]) => [fold, modelOf(weights, fold)]));
  return {
    model: modelOf(trainedWeights(examples, outputs, SEED), null),
    leftOut: new Map(titles.map((title, at) => [title, { lexicon, model: models.get(foldOf(at))! }])),
  };
}
