import { describe, expect, it } from 'vitest';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { compileTopics } from '../../src/classifier/keywords.ts';
import { mentionsOf, parseLexicon } from '../../src/classifier/topics/lexicon.ts';
import { probabilityOf, scoresOf, shippedTopicModel } from '../../src/classifier/topics/topic-model.ts';
import { wordsOf } from '../../src/classifier/topics/words.ts';
import { featuresOf, matterWords } from '../../src/classifier/topics/features.ts';
import { calibrationOf, foldsOf } from '../../tools/labels/cross-validation.ts';
import { type Example, trainedWeights } from '../../tools/labels/training.ts';
import { shippedTaxonomy, subject, topicRecord } from '../support/classifier-subjects.ts';

const slugs = new Map(shippedTaxonomy.topics.map(({ id, slug }) => [id, slug]));
const topicsOf = (title: string): string[] =>
  classifyItem(subject(title), shippedTaxonomy).map(({ content }) => slugs.get(content.topicId)!);

describe('the shipped model', () => {
  it.each([
    ['Case 26-014: request to rezone 12 acres at 400 Example Road from agricultural to light industrial', ['zoning']],
    ['Final plat of Sample Meadows, Phase 3, Lots 1-40', ['development-plats']],
    [
      'Award a contract to Example Builders for the replacement of a water main',
      ['procurement-contracts', 'water-utilities'],
    ],
    ['Consider an ordinance amending the budget for fiscal year 2026-2027', ['budget-taxes']],
    ['Appointment of two members to the Library Advisory Board', ['boards-appointments']],
    ['Quitclaim deed for a vacated alley behind 12 Sample Street', ['city-property']],
  ])('reads the topics of "%s"', (title, expected) => {
    expect(topicsOf(title).toSorted()).toEqual(expected);
  });

  it.each(['Approval of the minutes of March 3, 2026', 'Pledge of Allegiance', 'ZONING CASES', 'Adjournment'])(
    'reads no topic of "%s"',
    (title) => {
      expect(topicsOf(title)).toEqual([]);
    },
  );

  it('has no model of topics with few examples, whose keywords decide', () => {
    expect(shippedTopicModel().outputs).not.toContain('data-centers');
    expect(topicsOf('Incentives for a data center on Sample Road')).toContain('data-centers');
  });

  it('leaves a topic of the same slug to its keywords if an operator keeps it', () => {
    const own = compileTopics([topicRecord('zoning', { keywords: ['sample phrase'] })]);
    expect(classifyItem(subject('Rezone 12 acres at 400 Example Road'), own)).toEqual([]);
    expect(classifyItem(subject('A sample phrase'), own)).toHaveLength(1);
  });

  it('has weights of no name of a city', () => {
    const words = Object.keys(shippedTopicModel().weights).filter((feature) => /^[wlb]:/.test(feature));
    const names = ['dallas', 'austin', 'phoenix', 'nashville', 'klickitat', 'angleton', 'skiatook', 'brazoria'];
    expect(words.filter((feature) => names.some((name) => feature.includes(name)))).toEqual([]);
  });
});

describe('a calibration', () => {
  const judged = Array.from({ length: 400 }, (_, at) => ({
    score: at / 100,
    isRight: at % 4 < at / 100,
    weight: 1,
  }));

  it('never falls with the score, and interpolates between two scores', () => {
    const calibration = calibrationOf(judged);
    const shares = calibration.map(([, share]) => share);
    expect(shares).toEqual(shares.toSorted((left, right) => left - right));
    expect(probabilityOf(-1, calibration)).toBe(shares[0]);
    expect(probabilityOf(99, calibration)).toBe(shares.at(-1));
    expect(
      probabilityOf(1, [
        [0, 0.2],
        [2, 0.6],
      ]),
    ).toBeCloseTo(0.4);
  });

  it('counts a title by its weight', () => {
    const heavy = (isHeavy: boolean) => judged.map((one) => ({ ...one, weight: one.isRight === isHeavy ? 1 : 0.2 }));
    expect(probabilityOf(1, calibrationOf(heavy(true)))).toBeGreaterThan(probabilityOf(1, calibrationOf(heavy(false))));
  });
});

describe('features', () => {
  const lexicon = parseLexicon(
    'zoning.strong: rezone\nhousing.strong: apartments\nhousing.sure: affordable apartments\n',
  );
  const featuresIn = (title: string) =>
    featuresOf({ title, text: '', matterType: '', bodyName: '', keywords: new Map() }, lexicon);

  it('tell a topic that is named alone from one that is named beside others', () => {
    const alone = featuresIn('Request to rezone two acres');
    expect([alone.get('zoning.strong:alone'), alone.get('zoning.strong:share')]).toEqual([1, 1]);
    const both = featuresIn('Request to rezone land for affordable apartments');
    expect([both.has('zoning.strong:alone'), both.get('zoning.strong:share')]).toEqual([false, 0.5]);
    expect([both.get('zoning.strong:first'), both.has('housing.strong:first')]).toEqual([1, false]);
  });

  it('tell the topic at the beginning of a title from one far behind it', () => {
    const title = `Request to rezone two acres ${'of the old farm '.repeat(4)} for apartments`;
    expect([featuresIn(title).get('zoning.strong:leads'), featuresIn(title).has('housing.strong:leads')]).toEqual([
      1,
      false,
    ]);
  });
});

describe('training', () => {
  const example = (at: number, topic: string): Example => ({
    jurisdiction: `place ${at % 5}`,
    features: new Map([
      ['bias', 1],
      [`w:${topic}`, 1],
    ]),
    labels: new Set([topic]),
    unclear: new Set(),
    weight: 1,
  });
  const examples = Array.from({ length: 60 }, (_, at) => example(at, at % 2 === 0 ? 'plat' : 'bid'));

  it('gives the same weights for the same seed, and scores that tell two topics apart', () => {
    const outputs = ['plat', 'bid'];
    const weights = trainedWeights(examples, outputs, 1);
    expect(trainedWeights(examples, outputs, 1)).toEqual(weights);
    const [plat, bid] = scoresOf(
      new Map([
        ['bias', 1],
        ['w:plat', 1],
      ]),
      { outputs, weights },
    );
    expect(plat).toBeGreaterThan(bid!);
  });

  it('learns no word of fewer than three jurisdictions', () => {
    const local = examples.map((one) => ({ ...one, features: new Map([...one.features, ['w:townname', 1] as const]) }));
    const oneTown = local.map((one) => ({ ...one, jurisdiction: 'one town' }));
    expect(Object.keys(trainedWeights(oneTown, ['plat'], 1))).not.toContain('w:townname');
    expect(Object.keys(trainedWeights(local, ['plat'], 1))).toContain('w:townname');
  });

  it('leaves out whole jurisdictions', () => {
    const folds = foldsOf(['a', 'a', 'b', 'c', 'c', 'c']);
    expect(folds.size).toBe(3);
    expect(new Set(folds.values()).size).toBe(3);
  });
});

describe('the words of a title', () => {
  it('are compared in the singular, and numbers are one form', () => {
    expect(wordsOf('Bus permits, 12 parcels of $4,500').map(({ stem }) => stem)).toEqual([
      'bus',
      'permit',
      '0',
      'parcel',
      'of',
      '$',
      '0',
    ]);
  });

  it('leave out how an item is paid and what ends every ordinance', () => {
    const words = (title: string) => matterWords(title).map(({ stem }) => stem);
    expect(words('Award a bid for pumps from the Street Improvement Fund')).not.toContain('street');
    expect(words('Buy pumps. Funding: $200 is available in the Police Budget.')).not.toContain('police');
  });

  it('are matched with the longest phrase of a group', () => {
    const lexicon = parseLexicon('# comment\nzoning.strong: plan, planned development\n');
    expect(mentionsOf(wordsOf('a Planned Development plan'), lexicon)).toEqual([
      { group: 'zoning.strong', start: 1, end: 3 },
      { group: 'zoning.strong', start: 3, end: 4 },
    ]);
  });
});
