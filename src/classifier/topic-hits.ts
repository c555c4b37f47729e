import { type CompiledTopics, type KeywordEvidence, keywordEvidence } from './keywords.ts';
import { featuresOf, matterOf, matterWords, type TopicTexts, withoutSides } from './topics/features.ts';
import { type Lexicon, mentionsOf, shippedLexicon } from './topics/lexicon.ts';
import { ITEM_OUTPUT, probabilityOf, scoresOf, shippedTopicModel, type TopicModel } from './topics/topic-model.ts';

type Topic = CompiledTopics['topics'][number];

/** A topic of an item, with the words that weighed most: offsets in UTF-16 code units of the title or the text. */
export interface TopicHit {
  readonly topic: Topic;
  readonly confidence: number;
  readonly field: 'title' | 'text';
  readonly start: number;
  readonly end: number;
}

/** Texts of an item in which topics and facts are read. */
export interface ReadTexts {
  readonly title: string;
  /** The text of the item; without one, the action that the source proposes. */
  readonly text: string | null;
  readonly matterType: string;
  readonly bodyName: string;
}

/** The reader of topics with a model. */
export interface TrainedTopics {
  readonly lexicon: Lexicon;
  readonly model: TopicModel;
}

/** The model that is shipped. */
export const SHIPPED: TrainedTopics = { lexicon: shippedLexicon(), model: shippedTopicModel() };

type Span = Pick<TopicHit, 'field' | 'start' | 'end'>;

/** Returns the first of the longest strong phrases of the lexicon, else of the weak ones. */
function phraseSpan(slug: string, title: string, lexicon: Lexicon): Span | null {
  const words = matterWords(title);
  const mentions = mentionsOf(words, lexicon);
  for (const strength of ['strong', 'weak']) {
    const own = mentions.filter(({ group }) => group === `${slug}.${strength}`);
    const longest = own.toSorted((left, right) => right.end - right.start - (left.end - left.start))[0];
    if (longest !== undefined)
      return { field: 'title', start: words[longest.start]!.start, end: words[longest.end - 1]!.end };
  }
  return null;
}

const HIT_FROM = 65;
/** No hit is certain. */
const HIGHEST = 99;
const WHOLE: Span = { field: 'title', start: 0, end: 1 };

/** Returns the evidence of keywords by topic, in what names the matter. */
const evidenceIn = ({ title, text, matterType }: ReadTexts, topics: CompiledTopics) =>
  keywordEvidence({ title: matterOf(title), text: withoutSides(text ?? ''), matterType }, topics);

/** Returns what the models of topics read in an item. */
export const topicTexts = (texts: ReadTexts, topics: CompiledTopics): TopicTexts =>
  withKeywords(texts, evidenceIn(texts, topics));

const withKeywords = (texts: ReadTexts, evidence: ReadonlyMap<Topic, KeywordEvidence>): TopicTexts => ({
  ...texts,
  text: texts.text ?? '',
  keywords: new Map([...evidence].map(([{ slug }, { confidence }]) => [slug, confidence])),
});

/** True if the texts belong to a matter, not to a step, a heading or a note. */
export function isItem(texts: TopicTexts, { lexicon, model }: TrainedTopics): boolean {
  return isItemScore(scoresOf(featuresOf(texts, lexicon), model), model);
}

const isItemScore = (scores: readonly number[], { outputs, itemFrom }: TopicModel): boolean =>
  scores[outputs.indexOf(ITEM_OUTPUT)]! >= itemFrom;

/**
 * Returns the confidence of a topic: its calibrated probability, or the points of its keywords if it has no model or an
 * operator keeps its keywords.
 */
function confidenceBy(texts: TopicTexts, { lexicon, model }: TrainedTopics): (topic: Topic) => number {
  const scores = scoresOf(featuresOf(texts, lexicon), model);
  const hasMatter = isItemScore(scores, model);
  return ({ slug, taxonomyManaged }) => {
    const output = model.outputs.indexOf(slug);
    if (output === -1 || !taxonomyManaged) return texts.keywords.get(slug) ?? 0;
    return hasMatter ? Math.min(HIGHEST, Math.round(100 * probabilityOf(scores[output]!, model.calibration))) : 0;
  };
}

/** Returns the topics of an item, ordered by id. */
export function topicHits(texts: ReadTexts, topics: CompiledTopics, trained: TrainedTopics): TopicHit[] {
  const evidence = evidenceIn(texts, topics);
  const confidenceOfTopic = confidenceBy(withKeywords(texts, evidence), trained);
  return topics.topics
    .map((topic) => ({ topic, confidence: confidenceOfTopic(topic) }))
    .filter(({ confidence }) => confidence >= HIT_FROM)
    .map(({ topic, confidence }) => {
      const span = evidence.get(topic)?.span;
      return { topic, confidence, ...(span ?? phraseSpan(topic.slug, texts.title, trained.lexicon) ?? WHOLE) };
    });
}
