import type { Classifier } from '../../domain/ports/classifier.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { wordsOf } from '../../src/classifier/phrases.ts';
import { hashed } from './hashed.ts';
import { CITIES, type RecordedItem } from './recordings.ts';

const SEED = 'labels-1';
/** `hit`: the classifier gives a hit. `random`: one of the others. `near`: one of the others with a word of some topic. */
export type Stratum = 'hit' | 'near' | 'random';
const SHARE_OF_HITS = 0.4;
/** A word in more than this share of the items does not indicate a topic. */
const COMMON = 0.04;
/** Words of the topics' subjects beside those of the keywords. */
const FURTHER_WORDS = `
  abatement bond bus camera clean climate debt demolition developer drainage eviction fire grant homes hotel hydrant incentive lease levy lot
  mortgage nomination nuisance officer park parking patrol pedestrian pollution power rail rent rental road sewer shelter sign soil speed
  storm street subway tax tenant traffic transit trash tree utility vehicle vendor waste water`;

export interface ChosenItem {
  readonly recorded: RecordedItem;
  readonly stratum: Stratum;
}

const textOf = ({ subject: { item } }: RecordedItem): string =>
  [item.title, item.text ?? '', item.matterName ?? ''].join('\n');
const formsOf = (item: RecordedItem): Set<string> => new Set(wordsOf(textOf(item)).map(({ form }) => form));

/** One item for each matter and for each title, in an order that is random and always the same. */
function distinctItems(items: readonly RecordedItem[]): RecordedItem[] {
  const seen = new Set<string>();
  const ordered = items.toSorted((left, right) => hashed(SEED, left.id) - hashed(SEED, right.id));
  return ordered.filter(({ city, subject: { item } }) => {
    const title = wordsOf(item.title)
      .map(({ form }) => form)
      .join(' ');
    const keys = [title, `${city}\n${item.matterFile}`];
    const isNew = keys.every((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
}

/** The words of the topics that stand in few items. */
function nearWords(items: readonly RecordedItem[], topics: readonly RecordData<'topics'>[]): Set<string> {
  const words = new Set(
    wordsOf([...topics.flatMap((topic) => topic.keywords), FURTHER_WORDS].join('\n')).map(({ form }) => form),
  );
  const texts = items.map(formsOf);
  return new Set(
    [...words].filter(
      (word) => word.length > 2 && texts.filter((text) => text.has(word)).length <= COMMON * items.length,
    ),
  );
}

/** Takes one item of each topic in turn, so that rare topics are in the set too. */
function spread(items: ReadonlyMap<RecordedItem, readonly string[]>, count: number): RecordedItem[] {
  const chosen = new Set<RecordedItem>();
  const topics = [...new Set([...items.values()].flat())].toSorted();
  while (chosen.size < Math.min(count, items.size)) {
    for (const topic of topics) {
      const next = [...items].find(([item, own]) => own.includes(topic) && !chosen.has(item));
      if (next !== undefined && chosen.size < count) chosen.add(next[0]);
    }
  }
  return [...chosen];
}

/** Chooses items of one city; a stratum that has too few is filled up from the other ones. */
function ofCity(
  hits: ReadonlyMap<RecordedItem, readonly string[]>,
  others: readonly RecordedItem[],
  near: (item: RecordedItem) => boolean,
) {
  return (count: number): ChosenItem[] => {
    const hitCount = Math.max(Math.round(count * SHARE_OF_HITS), count - others.length);
    const chosen = spread(hits, hitCount).map((recorded) => ({ recorded, stratum: 'hit' as Stratum }));
    const rest = count - chosen.length;
    const random = others.slice(0, Math.ceil(rest / 2));
    const remaining = others.slice(random.length);
    const nearest = [...remaining.filter(near), ...remaining.filter((item) => !near(item))].slice(
      0,
      rest - random.length,
    );
    const stratumOf = (item: RecordedItem): Stratum => (near(item) ? 'near' : 'random');
    return [
      ...chosen,
      ...random.map((recorded) => ({ recorded, stratum: 'random' as Stratum })),
      ...nearest.map((recorded) => ({ recorded, stratum: stratumOf(recorded) })),
    ];
  };
}

/** `total` items: equal shares of the cities, but no more than a city has in the wanted mixture. The same recordings give the same items. */
export async function chooseItems(
  items: readonly RecordedItem[],
  topics: readonly RecordData<'topics'>[],
  by: Classifier,
  total: number,
) {
  const distinct = distinctItems(items);
  const words = nearWords(distinct, topics);
  const near = (item: RecordedItem): boolean => [...formsOf(item)].some((form) => words.has(form));
  const slugs = new Map(topics.map((topic) => [topic.id, topic.slug]));
  const classified = new Map<RecordedItem, readonly string[]>();
  for (const item of distinct) {
    const hits = await by.classify(item.subject, topics);
    classified.set(
      item,
      hits.map(({ content }) => slugs.get(content.topicId)!),
    );
  }
  const sized = CITIES.map(({ name }) => distinct.filter(({ city }) => city === name)).toSorted(
    (a, b) => a.length - b.length,
  );
  const chosen: ChosenItem[] = [];
  for (const [at, own] of sized.entries()) {
    const hits = new Map(
      own.filter((item) => classified.get(item)!.length > 0).map((item) => [item, classified.get(item)!]),
    );
    const others = own.filter((item) => !hits.has(item));
    const share = Math.ceil((total - chosen.length) / (sized.length - at));
    const balanced = Math.floor(others.length / (1 - SHARE_OF_HITS));
    chosen.push(...ofCity(hits, others, near)(Math.min(own.length, share, balanced)));
  }
  return chosen.toSorted(
    (left, right) => hashed(`${SEED} order`, left.recorded.id) - hashed(`${SEED} order`, right.recorded.id),
  );
}
