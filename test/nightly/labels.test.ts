import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileTopics } from '../../src/classifier/keywords.ts';
import { shippedLexicon } from '../../src/classifier/topics/lexicon.ts';
import { parseLabelledTitles, readTrainingTitles } from '../../tools/labels/corpus.ts';
import { share, wilson } from '../../tools/labels/figures.ts';
import { agreedAnswer, parseLabels } from '../../tools/labels/labels-file.ts';
import { shippedTopics } from '../../tools/labels/recordings.ts';
import { trainTopics } from '../../tools/labels/topic-training.ts';

const TOPICS = new Set(['zoning', 'housing']);
const HEAD = 'id\tfirst\tsecond\tagreed\n';
/** Folder of the corpus, which is not in the repository. */
const CORPUS = process.env.LABELS_CORPUS;

test('the agreed label decides, and none where it is unclear or missing', () => {
  const [label, doubt, differ] = parseLabels(
    `${HEAD}nyc/1\tzoning,?housing\tzoning\tzoning,housing\nb\t?housing\t?housing\t\nc\tzoning\t-\t-\n`,
    TOPICS,
  );
  expect([agreedAnswer(label!, 'zoning'), agreedAnswer(label!, 'housing')]).toEqual([true, true]);
  expect([agreedAnswer(doubt!, 'zoning'), agreedAnswer(differ!, 'zoning')]).toEqual([null, false]);
});

test('a wrong line of the labels is named with what is allowed', () => {
  const parsed = (lines: string) => () => parseLabels(lines, TOPICS);
  expect(parsed('id\tfirst\n')).toThrow('line 1: must be the columns id, first, second, agreed');
  expect(parsed(`${HEAD}a\tzonning\t-\t-\n`)).toThrow(
    'line 2, first: "zonning" is no label; allowed: - or zoning, housing',
  );
  expect(parsed(`${HEAD}a\t\t-\t-\n`)).toThrow('line 2, first: "" is no label');
  expect(parsed(`${HEAD}a\tzoning,?zoning\t-\t-\n`)).toThrow('line 2, first: "zoning" occurs twice');
  expect(parsed(`${HEAD}a\t-\t-\n`)).toThrow('line 2: has 3 columns, must have 4');
  expect(parsed(`${HEAD}a\t-\t-\t-\na\t-\t-\t-\n`)).toThrow('line 3: a occurs twice');
});

test('a part has its share and its Wilson interval', () => {
  expect(wilson(0, 0)).toBeNull();
  const [low, high] = wilson(8, 10)!;
  expect([low, high].map((bound) => bound.toFixed(4))).toEqual(['0.4902', '0.9433']);
  expect([share(1, 2), share(0, 0)]).toEqual(['1/2 50 % [9-91]', '-']);
});

test('a wrong table of titles is named with its line and what is allowed', () => {
  const columns =
    'id\tjurisdiction\tbody\tdate\titem_no\tkind_at_source\ttitle\tkind\ttopics\tstage\tamount_usd\tparty\tplace\tdoubt\tdrawn';
  const row = 'a/1\tA\tCouncil\t2026-01-01\t1.\t\tSale of land\tsubstantive\tcity-property\tunknown\t\t\t\tn\trandom';
  expect(parseLabelledTitles(`${columns}\n${row}\n`)).toMatchObject([
    { title: 'Sale of land', topics: ['city-property'], amount: null, isRandom: true },
  ]);
  expect(() => parseLabelledTitles('id\ttitle\n')).toThrow('line 1: lacks the columns jurisdiction, body');
  expect(() => parseLabelledTitles(`${columns}\n${row}\tmore\n`)).toThrow('line 2: has 16 columns, must have 15');
  expect(() => parseLabelledTitles(`${columns}\n${row.replace('substantive', 'matter')}\n`)).toThrow(
    'line 2: kind "matter" must be one of substantive, procedural, heading, boilerplate',
  );
});

test.skipIf(CORPUS === undefined)('training again gives the shipped weights', { timeout: 600_000 }, async () => {
  const { corpus, others, hash } = await readTrainingTitles(CORPUS!, `${CORPUS}/..`);
  const { model } = trainTopics([...corpus, ...others], hash, {
    topics: compileTopics(shippedTopics()),
    lexicon: shippedLexicon(),
  });
  const shipped = await readFile(new URL('../../src/classifier/topics/weights.json', import.meta.url), 'utf8');
  expect(JSON.parse(shipped)).toEqual(model);
});
